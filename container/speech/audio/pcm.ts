import { open } from 'node:fs/promises'

/** Sound as every engine wants it: 16 kHz mono, 16-bit little-endian, in a file without a head. */
export interface Pcm {
  path: string
  samples: number
  durationSeconds: number
}

export const SAMPLE_RATE = 16_000
export const BYTES_PER_SAMPLE = 2

/** A stretch of a recording, in samples: [start, end). */
export interface Stretch {
  start: number
  end: number
}

export const secondsOf = (samples: number): number => samples / SAMPLE_RATE

/** The samples of one stretch. They are in memory at once: a few minutes, not a film. */
export const readSamples = async ({ path }: Pcm, { start, end }: Stretch): Promise<Buffer> => {
  const file = await open(path)
  try {
    const size = (end - start) * BYTES_PER_SAMPLE
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(size), 0, size, start * BYTES_PER_SAMPLE)
    if (bytesRead < size) throw new Error(`${path} is shorter than the sound that was decoded into it`)
    return buffer
  } finally {
    await file.close()
  }
}
