import type { Step } from './job.ts'

/** The steps that may run in a container. */
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

/**
 * Disk space that is reserved before a step starts, while nobody knows its size. A container that finds out that the
 * step needs more gives it back with the number of bytes.
 */
export const estimatedDiskBytes = (step: ContainerStep): number => estimates[step]
