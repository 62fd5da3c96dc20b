import type { Readable } from 'node:stream'

export interface LineLimits {
  /** Of all lines. */
  maxBytes?: number
  /** Called when a line or all lines are too long. No line is passed on after that. */
  onOverflow: () => void
}

/** Far above the lines of ffprobe, ffmpeg and the messages of Python programs. */
const MAX_LINE_BYTES = 1024 * 1024

/** Calls `onLine` for each line of a child's output, which an untrusted file may have made long or endless. */
export const eachLine = (
  stream: Readable,
  onLine: (line: string) => void,
  { maxBytes = Number.POSITIVE_INFINITY, onOverflow }: LineLimits,
): void => {
  let unfinished: Buffer[] = []
  let lineBytes = 0
  let totalBytes = 0
  const take = (bytes: Buffer) => {
    unfinished.push(bytes)
    lineBytes += bytes.length
  }
  const flush = () => {
    onLine(Buffer.concat(unfinished).toString('utf8'))
    unfinished = []
    lineBytes = 0
  }
  const read = (chunk: Buffer) => {
    totalBytes += chunk.length
    let from = 0
    for (let end = chunk.indexOf(10); end !== -1 && totalBytes <= maxBytes; end = chunk.indexOf(10, from)) {
      take(chunk.subarray(from, end))
      if (lineBytes > MAX_LINE_BYTES) break
      flush()
      from = end + 1
    }
    if (lineBytes <= MAX_LINE_BYTES) take(chunk.subarray(from))
    if (lineBytes > MAX_LINE_BYTES || totalBytes > maxBytes) {
      stream.off('data', read)
      unfinished = []
      // What the child still writes until it is killed is dropped.
      stream.resume()
      onOverflow()
    }
  }
  stream.on('data', read)
  stream.once('end', () => {
    if (lineBytes > 0 && totalBytes <= maxBytes && lineBytes <= MAX_LINE_BYTES) flush()
  })
}
