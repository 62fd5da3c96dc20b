import { utf8 } from '../../../domain/encoding.ts'
import { pieceFile } from '../recognition.ts'
import type { SizedStream } from './request.ts'

/** multipart/form-data with a piece of audio, of a length that is known in advance, so that the piece can be streamed. */
export const multipart = (
  fields: [name: string, value: string][],
  piece: SizedStream,
): SizedStream & { contentType: string } => {
  const boundary = `haul-${crypto.randomUUID()}`
  const part = (name: string) => `--${boundary}\r\ncontent-disposition: form-data; name="${escapeName(name)}"`
  const file = `${part('file')}; filename="${pieceFile.filename}"\r\ncontent-type: ${pieceFile.contentType}\r\n\r\n`
  const head = utf8(fields.map(([name, value]) => `${part(name)}\r\n\r\n${value}\r\n`).join('') + file)
  const tail = utf8(`\r\n--${boundary}--\r\n`)
  const around = new TransformStream<Uint8Array, Uint8Array>({
    start: (controller) => controller.enqueue(head),
    flush: (controller) => controller.enqueue(tail),
  })
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    sizeBytes: head.byteLength + piece.sizeBytes + tail.byteLength,
    stream: piece.stream.pipeThrough(around),
  }
}

/** Escapes names as the HTML standard does. Callers choose them, and a bare quote or newline would end the header. */
const escapeName = (text: string): string => text.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
