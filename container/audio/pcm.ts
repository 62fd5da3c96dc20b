import { open } from 'node:fs/promises'

/** Audio in the format that speech recognition needs: a headerless file of 16 kHz mono, 16-bit little-endian samples. */
export interface Pcm {
  path: string
  samples: number
  durationSeconds: number
}

export const SAMPLE_RATE = 16_000
export const BYTES_PER_SAMPLE = 2

/** A part of a recording, in samples: [start, end). */
export interface SampleRange {
  start: number
  end: number
}

export const secondsOf = (samples: number): number => samples / SAMPLE_RATE

/** The samples of one range, all in memory: for a few minutes, not for a whole recording. */
export const readSamples = async ({ path }: Pcm, { start, end }: SampleRange): Promise<Buffer> => {
  const file = await open(path)
  try {
    const size = (end - start) * BYTES_PER_SAMPLE
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(size), 0, size, start * BYTES_PER_SAMPLE)
    if (bytesRead < size) throw new Error(`${path} is shorter than its sample count`)
    return buffer
  } finally {
    await file.close()
  }
}
