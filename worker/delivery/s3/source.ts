import type { Bytes } from './payload.ts'

/** `min` is in the standard and in both runtimes, but not yet in the types of one of them. */
interface FillingReader {
  read(view: Bytes, options: { min: number }): Promise<{ value?: Bytes | undefined; done: boolean }>
  cancel(): Promise<void>
}

/**
 * The next `lengthBytes` of a source, in memory that is used again: reading into a buffer takes that
 * buffer away and gives another over the same memory, to be found in the answer. R2 hands out chunks of 4 KiB;
 * asked for all at once, it fills the buffer without a turn of JavaScript for each. (Measured: a third less CPU.)
 */
export const readInto = async (
  memory: ArrayBuffer,
  lengthBytes: number,
  source: ReadableStream<Uint8Array>,
): Promise<Bytes> => {
  const reader: FillingReader = source.getReader({ mode: 'byob' })
  let buffer = memory
  let filled = 0
  while (filled < lengthBytes) {
    const missing = lengthBytes - filled
    const { value, done } = await reader.read(new Uint8Array(buffer, filled, missing), { min: missing })
    if (value) {
      buffer = value.buffer
      filled += value.length
    }
    if (done) break
  }
  // A source of another length than it announced is our own fault, not the bucket's.
  if (filled !== lengthBytes) throw new RangeError(`The source gave ${filled} of ${lengthBytes} bytes`)
  await reader.cancel()
  return new Uint8Array(buffer, 0, lengthBytes)
}
