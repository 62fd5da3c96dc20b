import { createReadStream } from 'node:fs'
import { type Pcm, SAMPLE_RATE, type Stretch } from './pcm.ts'

/** The power of every 20 ms of a recording: 0 is silence, 1 as loud as can be. 1.4 MB for two hours. */
export type Loudness = Float32Array

export const FRAME_SAMPLES = SAMPLE_RATE / 50

/** -60 dBFS: below it nobody speaks, and the hiss of a silent line lies. */
const SILENCE = 1e-6

export const measureLoudness = async ({ path, samples }: Pcm): Promise<Loudness> => {
  const loudness = new Float32Array(Math.ceil(samples / FRAME_SAMPLES))
  // A whole number of frames, so that none is torn in two.
  const highWaterMark = FRAME_SAMPLES * 2 * 400
  let frame = 0
  for await (const chunk of wholeChunks(createReadStream(path, { highWaterMark }), highWaterMark)) {
    const values = new Int16Array(chunk.buffer, chunk.byteOffset, chunk.byteLength >> 1)
    for (let at = 0; at < values.length; at += FRAME_SAMPLES) {
      loudness[frame++] = power(values, at, Math.min(values.length, at + FRAME_SAMPLES))
    }
  }
  return loudness
}

/** Reads may come short and at odd addresses. */
async function* wholeChunks(stream: AsyncIterable<Buffer>, size: number): AsyncGenerator<Buffer> {
  let whole = Buffer.alloc(size)
  let filled = 0
  for await (const chunk of stream) {
    for (let taken = 0; taken < chunk.length; ) {
      const copied = chunk.copy(whole, filled, taken)
      taken += copied
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

/** Not a sound in it: no engine needs to be asked, or paid, to find no words there. */
export const isSilent = (loudness: Loudness, stretch?: Stretch): boolean => {
  const { start, end } = stretch ?? { start: 0, end: loudness.length * FRAME_SAMPLES }
  return loudness
    .subarray(Math.floor(start / FRAME_SAMPLES), Math.ceil(end / FRAME_SAMPLES))
    .every((frame) => frame < SILENCE)
}
