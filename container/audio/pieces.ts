import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { ffmpeg, ffmpegError } from '../media/ffmpeg.ts'
import { toEncode } from '../media/spending.ts'
import { BYTES_PER_SAMPLE, type Pcm, SAMPLE_RATE, type SampleRange, secondsOf } from './decode.ts'

/** The power of each 20 ms frame of a recording, 0 (silence) to 1 (full scale). Two hours take 1.4 MB. */
export type Loudness = Float32Array

export const FRAME_SAMPLES = SAMPLE_RATE / 50

/** -60 dBFS: below speech, above the noise of a silent line. */
const SILENCE_POWER = 1e-6

export const measureLoudness = async ({ path, samples }: Pcm): Promise<Loudness> => {
  const loudness = new Float32Array(Math.ceil(samples / FRAME_SAMPLES))
  // A multiple of the frame size, so that no frame spans two chunks.
  const chunkBytes = FRAME_SAMPLES * BYTES_PER_SAMPLE * 400
  let frame = 0
  for await (const chunk of wholeChunks(createReadStream(path, { highWaterMark: chunkBytes }), chunkBytes)) {
    const values = new Int16Array(chunk.buffer, chunk.byteOffset, Math.floor(chunk.byteLength / BYTES_PER_SAMPLE))
    for (let at = 0; at < values.length; at += FRAME_SAMPLES) {
      loudness[frame++] = power(values, at, Math.min(values.length, at + FRAME_SAMPLES))
    }
  }
  return loudness
}

/** A read may return fewer bytes, and at an odd offset, which Int16Array does not accept. */
async function* wholeChunks(stream: AsyncIterable<Buffer>, size: number): AsyncGenerator<Buffer> {
  let whole = Buffer.alloc(size)
  let filled = 0
  for await (const chunk of stream) {
    for (let consumed = 0; consumed < chunk.length; ) {
      const copied = chunk.copy(whole, filled, consumed)
      consumed += copied
      filled += copied
      if (filled < size) continue
      yield whole
      whole = Buffer.alloc(size)
      filled = 0
    }
  }
  if (filled > 0) yield whole.subarray(0, filled)
}

const power = (values: Int16Array, from: number, to: number): number => {
  let sum = 0
  for (let at = from; at < to; at++) sum += (values[at] ?? 0) ** 2
  return sum / (to - from) / 32768 ** 2
}

/** Silent audio is not sent to speech recognition, which would cost time or money and find nothing. */
export const isSilent = (loudness: Loudness, range?: SampleRange): boolean => {
  const { start, end } = range ?? { start: 0, end: loudness.length * FRAME_SAMPLES }
  return loudness
    .subarray(Math.floor(start / FRAME_SAMPLES), Math.ceil(end / FRAME_SAMPLES))
    .every((frame) => frame < SILENCE_POWER)
}

/** 240 ms, a pause between words. The silence inside a consonant such as `t` is shorter. */
const PAUSE_FRAMES = 12
/** 120 ms. Who speaks without pauses, or over music, is silent for less than a pause. */
const CUT_FRAMES = 6
/** How far a piece may deviate from an equal share of the recording. */
const SLACK = 0.2
/** Pieces are planned below the limit: at the limit each cut could be made at one point only. */
const FILL = 0.9

/** Few pieces of about equal length, cut at the quietest points: a word that is cut in two is lost in both pieces. */
export const cutAtSilences = ({ samples }: Pcm, loudness: Loudness, maxSeconds: number): SampleRange[] => {
  const longest = Math.floor(maxSeconds * SAMPLE_RATE)
  const pieces: SampleRange[] = []
  let start = 0
  while (start < samples) {
    const end = nextCut(samples, loudness, start, longest)
    pieces.push({ start, end })
    start = end
  }
  return pieces
}

const nextCut = (samples: number, loudness: Loudness, start: number, longest: number): number => {
  const left = samples - start
  if (left <= longest) return samples
  const count = Math.ceil(left / (longest * FILL))
  const share = left / count
  const earliest = Math.max(share * (1 - SLACK), left - (count - 1) * longest)
  const latest = Math.min(share * (1 + SLACK), longest)
  const pause = quietestPause(loudness, (start + earliest) / FRAME_SAMPLES, (start + latest) / FRAME_SAMPLES)
  const cut = pause === null ? start + latest : quietestPoint(loudness, pause) * FRAME_SAMPLES
  return Math.floor(Math.min(start + latest, Math.max(start + earliest, cut)))
}

const quietestPause = (loudness: Loudness, from: number, to: number): number | null => {
  const [first, last] = [Math.floor(from), Math.min(loudness.length, Math.ceil(to))]
  let sum = 0
  let lowest = Infinity
  let quietest: number | null = null
  for (let frame = first; frame < last; frame++) {
    sum += loudness[frame] ?? 0
    const dropped = frame - PAUSE_FRAMES
    if (dropped >= first) sum -= loudness[dropped] ?? 0
    if (frame < first + PAUSE_FRAMES - 1 || sum >= lowest) continue
    lowest = sum
    quietest = dropped + 1
  }
  return quietest
}

/** The middle of the quietest part of a pause. If all of it is equally quiet, that is its own middle. */
const quietestPoint = (loudness: Loudness, pause: number): number => {
  const soundAt = (start: number) => loudness.subarray(start, start + CUT_FRAMES).reduce((sum, frame) => sum + frame, 0)
  return CUT_FRAMES / 2 + startsOfParts.map((at) => pause + at).reduce((a, b) => (soundAt(b) < soundAt(a) ? b : a))
}

const startsOfParts = Array.from({ length: PAUSE_FRAMES - CUT_FRAMES + 1 }, (_, at) => at).sort(
  (a, b) => Math.abs(2 * a - PAUSE_FRAMES + CUT_FRAMES) - Math.abs(2 * b - PAUSE_FRAMES + CUT_FRAMES),
)

/** How a piece is uploaded: raw samples for the built-in recognizer, Opus for providers that limit the file size. */
const encodings = {
  samples: { contentType: 'application/octet-stream', bytesPerSecond: SAMPLE_RATE * BYTES_PER_SAMPLE, headerBytes: 0 },
  /** 24 kbit/s plus 3 % Ogg overhead and a small margin. */
  opus: { contentType: 'audio/ogg', bytesPerSecond: 3_150, headerBytes: 16_384 },
} as const

type PieceEncoding = keyof typeof encodings

export const longestPiece = (encoding: PieceEncoding, limits: { maxBytes: number; maxSeconds: number }): number => {
  const { bytesPerSecond, headerBytes } = encodings[encoding]
  return Math.min(limits.maxSeconds, Math.floor((limits.maxBytes - headerBytes) / bytesPerSecond))
}

interface PieceOptions {
  encoding: PieceEncoding
  /** Where an encoded piece is written. Samples are not copied. */
  outputFile: string
  signal: AbortSignal
}

/** Bytes [start, end) of a file, and the times of the piece in the recording. */
export const preparePiece = async (pcm: Pcm, range: SampleRange, options: PieceOptions) => {
  const { contentType } = encodings[options.encoding]
  const bytes =
    options.encoding === 'samples'
      ? { path: pcm.path, start: range.start * BYTES_PER_SAMPLE, end: range.end * BYTES_PER_SAMPLE }
      : await encode(pcm, range, options)
  return {
    ...bytes,
    contentType,
    offsetSeconds: secondsOf(range.start),
    durationSeconds: secondsOf(range.end - range.start),
  }
}

const encode = async (pcm: Pcm, { start, end }: SampleRange, { outputFile, signal }: PieceOptions) => {
  const { code, stderr } = await ffmpeg(
    [
      ...['-protocol_whitelist', 'file,pipe', '-f', 's16le', '-ar', String(SAMPLE_RATE), '-ac', '1'],
      ...['-ss', secondsOf(start).toFixed(6), '-t', secondsOf(end - start).toFixed(6), '-i', pcm.path],
      // A constant bitrate makes the size predictable. Level 5 takes half the time of level 10 for the same transcript.
      ...['-c:a', 'libopus', '-b:a', '24k', '-vbr', 'off', '-compression_level', '5', '-application', 'voip'],
      ...['-f', 'ogg', outputFile],
    ],
    {
      ...{ signal, reads: [pcm.path], writes: outputFile },
      spends: toEncode(secondsOf(end - start), encodings.opus.bytesPerSecond),
    },
  )
  if (code !== 0) throw ffmpegError(stderr)
  return { path: outputFile, start: 0, end: (await stat(outputFile)).size }
}
