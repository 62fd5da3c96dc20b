import type { Readable } from 'node:stream'

export interface LineLimits {
  /** Of one line. Default: far above the lines of ffprobe, ffmpeg and the messages of Python programs. */
  maxLineBytes?: number | undefined
  maxBytes?: number
  /** Called when a line or all lines are too long. No line is passed on after that. */
  onOverflow: () => void
}

/** Calls `onLine` for each line of a child's output, which an untrusted file may have made long or endless. */
export const eachLine = (
  stream: Readable,
  onLine: (line: Buffer) => void,
  { maxLineBytes = 1024 * 1024, maxBytes = Number.POSITIVE_INFINITY, onOverflow }: LineLimits,
): void => {
  let line: Buffer[] = []
  let lineBytes = 0
  let totalBytes = 0
  const takeLine = (): Buffer => {
    const whole = Buffer.concat(line)
    line = []
    lineBytes = 0
    return whole
  }
  const read = (chunk: Buffer) => {
    totalBytes += chunk.length
    for (let from = 0, end = 0; end !== -1; from = end + 1) {
      end = chunk.indexOf(10, from)
      const part = chunk.subarray(from, end === -1 ? undefined : end)
      line.push(part)
      lineBytes += part.length
      if (lineBytes > maxLineBytes || totalBytes > maxBytes) return overflow()
      if (end !== -1) onLine(takeLine())
    }
  }
  const overflow = () => {
    stream.off('data', read)
    line = []
    lineBytes = 0
    // What the child still writes until it is killed is dropped.
    stream.resume()
    onOverflow()
  }
  stream.on('data', read)
  stream.once('end', () => {
    if (lineBytes > 0) onLine(takeLine())
  })
}

/** null: there are more bytes. The rest is not read. */
export const readAtMost = async (body: AsyncIterable<Uint8Array> | null, maxBytes: number): Promise<Buffer | null> => {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body ?? []) {
    size += chunk.byteLength
    if (size > maxBytes) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** null: invalid JSON. */
export const jsonIn = (line: Buffer | string): unknown => {
  try {
    return JSON.parse(line.toString('utf8'))
  } catch {
    return null
  }
}

const MAX_TAIL_BYTES = 64 * 1024

/** The end of what a child writes, for the message of an error. */
export const tailOf = (stream: Readable): (() => string) => {
  let tail = Buffer.alloc(0)
  stream.on('data', (chunk: Buffer) => {
    tail = Buffer.concat([tail, chunk]).subarray(-MAX_TAIL_BYTES)
  })
  return () => tail.toString('utf8')
}
