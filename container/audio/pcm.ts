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
