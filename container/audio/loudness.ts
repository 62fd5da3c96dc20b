import { createReadStream } from 'node:fs'
import { BYTES_PER_SAMPLE, type Pcm, SAMPLE_RATE, type SampleRange } from './pcm.ts'

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
