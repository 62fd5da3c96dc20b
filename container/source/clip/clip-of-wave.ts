import { malformed, OutOfReach, type SparseFile } from '../index/sparse-file.ts'
import { type ClipRanges, type ClipTimes, refuseOutOfRange, windowOf } from './clip-ranges.ts'

/** Real files have about four chunks before their samples. */
const maxChunks = 32
/** What else there may be after the samples, such as titles. */
const maxTailBytes = 1024 * 1024
/** PCM of integers, of floating-point numbers, and of one of these with an extended header. */
const pcmFormats = new Set([1, 3, 0xfffe])

/** A WAV file: the offset of a sample follows from its time, because all take the same number of bytes. */
export const clipOfWave = (file: SparseFile, clip: ClipTimes): ClipRanges => {
  const { bytesPerSecond, frameBytes, start, end } = samplesOf(file)
  const mediaSeconds = (end - start) / bytesPerSecond
  refuseOutOfRange(clip, mediaSeconds)
  const { from, to } = windowOf(clip, 0)
  const offsetOf = (seconds: number) => {
    const frames = Math.floor((Math.max(0, seconds) * bytesPerSecond) / frameBytes)
    return Math.min(end, start + frames * frameBytes)
  }
  const sizeBytes = file.sizeBytes ?? end
  if (sizeBytes - end > maxTailBytes) throw new OutOfReach('a WAV file with much after its samples')
  return {
    ranges: [
      { start: 0, end: Math.min(end, start + bytesPerSecond) },
      { start: offsetOf(from), end: offsetOf(to) },
      { start: end, end: sizeBytes },
    ],
    holes: [],
    holeFormat: 'none',
    mediaSeconds,
    fileStartSeconds: 0,
    completeFromSeconds: Math.max(0, from),
    earliestSeconds: Math.max(0, from),
  }
}

const samplesOf = (file: SparseFile) => {
  let at = 12
  let format: Buffer | null = null
  for (let count = 0; count < maxChunks; count++) {
    const head = file.readUpTo(at, at + 8)
    if (head.length < 8) break
    const [type, size] = [head.toString('latin1', 0, 4), head.readUInt32LE(4)]
    if (type === 'fmt ') format = file.readUpTo(at + 8, at + 24)
    if (type === 'data') return { ...rateOf(format), start: at + 8, end: dataEnd(file, at + 8, size) }
    at += 8 + size + (size % 2)
  }
  throw malformed('WAV file')
}

/** A recorder that does not know the size writes 0 or the largest number. */
const dataEnd = ({ sizeBytes }: SparseFile, start: number, size: number): number => {
  if (size === 0 || size >= 0xffff_ff00 || start + size > (sizeBytes ?? 0))
    throw new OutOfReach('a WAV file of unknown size')
  return start + size
}

const rateOf = (format: Buffer | null) => {
  if (!format || format.length < 16 || !pcmFormats.has(format.readUInt16LE(0))) throw new OutOfReach('not PCM')
  const [bytesPerSecond, frameBytes] = [format.readUInt32LE(8), format.readUInt16LE(12)]
  if (bytesPerSecond === 0 || frameBytes === 0) throw malformed('WAV file')
  return { bytesPerSecond, frameBytes }
}
