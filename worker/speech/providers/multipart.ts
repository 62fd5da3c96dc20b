import type { SizedStream } from './exchange.ts'

export interface Multipart extends SizedStream {
  contentType: string
}

export interface FilePart extends SizedStream {
  name: string
  filename: string
  contentType: string
}

/** multipart/form-data whose length is known before a byte is read, so that the file streams through. */
export const multipart = (fields: [name: string, value: string][], file: FilePart): Multipart => {
  const boundary = `haul-${crypto.randomUUID()}`
  const encoder = new TextEncoder()
  const head = encoder.encode(
    [
      ...fields.map(
        ([name, value]) =>
          `--${boundary}\r\ncontent-disposition: form-data; name="${quoted(name)}"\r\n\r\n${value}\r\n`,
      ),
      `--${boundary}\r\ncontent-disposition: form-data; name="${quoted(file.name)}"; filename="${quoted(file.filename)}"\r\n`,
      `content-type: ${file.contentType}\r\n\r\n`,
    ].join(''),
  )
  const tail = encoder.encode(`\r\n--${boundary}--\r\n`)
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    sizeBytes: head.byteLength + file.sizeBytes + tail.byteLength,
    stream: between(head, file.stream, tail),
  }
}

/** The escapes of the HTML standard. Names come from callers, and a bare quote or newline would end the header. */
const quoted = (text: string): string => text.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A')

const between = (head: Uint8Array, middle: ReadableStream<Uint8Array>, tail: Uint8Array): ReadableStream<Uint8Array> =>
  middle.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      start: (controller) => controller.enqueue(head),
      flush: (controller) => controller.enqueue(tail),
    }),
  )
