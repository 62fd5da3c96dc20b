import { deserialize, serialize } from 'node:v8'
import type { FailureCode } from '../../domain/codes/failures.ts'

/** The messages between reader.ts and its child process: a length of four bytes, then the value as V8 serializes it. */

/** The URL of a module, and the exported function to call. */
export interface ReaderRequest {
  module: string
  name: string
  args: unknown[]
}

/** `cpuMs`: the CPU time of the process since its start. */
export type ReaderReply = { cpuMs: number } & (
  | { value: unknown }
  | { failure: { code: FailureCode; message: string } }
  | { error: string }
)

/** Far above any result. It bounds what a faulty child can make its parent keep in memory. */
const MAX_FRAME_BYTES = 128 * 1024 * 1024

export const frameOf = (message: unknown): Buffer => {
  const body = serialize(message)
  const head = Buffer.alloc(4)
  head.writeUInt32BE(body.length)
  return Buffer.concat([head, body])
}

/** Collects chunks and returns the messages that they complete. */
export const createFrameReader = <Message>() => {
  let chunks: Buffer[] = []
  let size = 0
  let expected: number | null = null
  const take = (bytes: number): Buffer => {
    const all = Buffer.concat(chunks)
    chunks = [all.subarray(bytes)]
    size -= bytes
    return all.subarray(0, bytes)
  }
  return (chunk: Buffer): Message[] => {
    chunks.push(chunk)
    size += chunk.length
    const messages: Message[] = []
    for (;;) {
      if (expected === null && size >= 4) expected = take(4).readUInt32BE()
      if (expected !== null && expected > MAX_FRAME_BYTES) throw new Error(`a message of ${expected} bytes`)
      if (expected === null || size < expected) return messages
      messages.push(deserialize(take(expected)) as Message)
      expected = null
    }
  }
}
