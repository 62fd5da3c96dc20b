import type { Step } from './transcript.ts'

export type ContainerStep = Exclude<Step, 'deliver'>
export const containerSteps = ['fetch', 'captions', 'audio', 'recognize'] as const satisfies ContainerStep[]

const MB = 1_000_000

/** Most media is smaller. Small enough that the network places of a small container do not wait for its disk. */
const MEDIA_BYTES = 300 * MB

const estimates: Record<ContainerStep, number> = {
  fetch: MEDIA_BYTES,
  // Looking for captions reads 32 MB at most.
  captions: 64 * MB,
  audio: MEDIA_BYTES,
  // One piece at a time, and the transcript.
  recognize: 32 * MB,
}

/** Streams that are copied to a new file are on the disk twice. */
export const copiesOnDisk = { oneFile: 1, copiedStreams: 2 } as const

export const largestMediaBytes = (diskBytes: number, as: keyof typeof copiesOnDisk): number =>
  Math.floor(diskBytes / copiesOnDisk[as])

/** Reserved while nobody knows the size. A container that needs more gives the step back with the number of bytes. */
export const estimatedDiskBytes = (step: ContainerStep): number => estimates[step]

export const announcedDiskBytes = (step: Step, announcedBytes: number | null): number | null => {
  const downloadsAll = step === 'fetch' || step === 'audio'
  return downloadsAll && announcedBytes !== null && announcedBytes > MEDIA_BYTES ? announcedBytes : null
}

/** 16 kHz, 16 bits, mono: what audio is decoded to. */
const DECODED_BYTES_PER_SECOND = 32_000

/** What is reserved for a step that reads a stored file, whose length is known too. */
export const storedDiskBytes = (
  step: Step,
  { sizeBytes, durationSeconds }: { sizeBytes: number; durationSeconds: number | null },
): number | null => announcedDiskBytes(step, sizeBytes + Math.ceil((durationSeconds ?? 0) * DECODED_BYTES_PER_SECOND))
