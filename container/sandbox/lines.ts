import type { Readable } from 'node:stream'

export interface LineLimits {
  /** Of one line. Default: far above the lines of ffprobe, ffmpeg and the messages of Python programs. */
  maxLineBytes?: number | undefined
  /** Of all lines together. */
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
  let unfinished: Buffer[] = []
  let lineBytes = 0
  let totalBytes = 0
  const take = (bytes: Buffer) => {
    unfinished.push(bytes)
    lineBytes += bytes.length
  }
  const flush = () => {
    onLine(Buffer.concat(unfinished))
    unfinished = []
    lineBytes = 0
  }
  const read = (chunk: Buffer) => {
    totalBytes += chunk.length
    let from = 0
    for (let end = chunk.indexOf(10); end !== -1 && totalBytes <= maxBytes; end = chunk.indexOf(10, from)) {
      take(chunk.subarray(from, end))
      if (lineBytes > maxLineBytes) break
      flush()
      from = end + 1
    }
    if (lineBytes <= maxLineBytes) take(chunk.subarray(from))
    if (lineBytes > maxLineBytes || totalBytes > maxBytes) {
      stream.off('data', read)
      unfinished = []
      // What the child still writes until it is killed is dropped.
      stream.resume()
      onOverflow()
    }
  }
  stream.on('data', read)
  stream.once('end', () => {
    if (lineBytes > 0 && totalBytes <= maxBytes && lineBytes <= maxLineBytes) flush()
  })
}

/** null: it is no JSON. */
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
