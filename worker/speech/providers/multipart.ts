import { utf8 } from '../../../domain/encoding.ts'
import type { SizedStream } from './request.ts'

export interface Multipart extends SizedStream {
  contentType: string
}

/** multipart/form-data of a length that is known in advance, so that the file can be streamed. */
export const multipart = (
  fields: [name: string, value: string][],
  file: Multipart & { name: string; filename: string },
): Multipart => {
  const boundary = `haul-${crypto.randomUUID()}`
  const head = utf8(
    [
      ...fields.map(
        ([name, value]) =>
          `--${boundary}\r\ncontent-disposition: form-data; name="${escapeName(name)}"\r\n\r\n${value}\r\n`,
      ),
      `--${boundary}\r\ncontent-disposition: form-data; name="${escapeName(file.name)}"; filename="${escapeName(file.filename)}"\r\n`,
      `content-type: ${file.contentType}\r\n\r\n`,
    ].join(''),
  )
  const tail = utf8(`\r\n--${boundary}--\r\n`)
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    sizeBytes: head.byteLength + file.sizeBytes + tail.byteLength,
    stream: surround(head, file.stream, tail),
  }
}

/** Escapes names as the HTML standard does. Callers choose them, and a bare quote or newline would end the header. */
const escapeName = (text: string): string => text.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A')

const surround = (head: Uint8Array, middle: ReadableStream<Uint8Array>, tail: Uint8Array): ReadableStream<Uint8Array> =>
  middle.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      start: (controller) => controller.enqueue(head),
      flush: (controller) => controller.enqueue(tail),
    }),
  )
