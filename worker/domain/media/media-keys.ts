import type { Job, Step, StoredMedia } from '../jobs/job.ts'

/** Each attempt writes under a key of its own, so a late writer can never touch what a newer one stored. */
export const mediaKey = (jobId: string, attempt: number): string => `media/${jobId}/${attempt}/media`
export const thumbnailKey = (jobId: string, attempt: number): string => `media/${jobId}/${attempt}/thumbnail`

/** Temporary: a lifecycle rule of the bucket ends what lies here after a day, should all else fail. */
export const audioKey = (jobId: string, attempt: number, index: number): string => `audio/${jobId}/${attempt}/${index}`

/** What was heard of a piece of audio, for as long as the piece itself is there. */
export const heardKey = (pieceKey: string): string => `${pieceKey}.heard`

export const transcriptKey = (jobId: string, step: Step, attempt: number): string =>
  `transcripts/${jobId}/${step}-${attempt}.json`

export const mediaKeys = (jobId: string, { attempt, hasThumbnail }: StoredMedia): string[] =>
  hasThumbnail ? [mediaKey(jobId, attempt), thumbnailKey(jobId, attempt)] : [mediaKey(jobId, attempt)]

/** All that a finished job keeps in storage. */
export const storedKeys = (job: Job): string[] => {
  if (!job.result) return []
  if (job.kind === 'import') return mediaKeys(job.id, job.result.stored)
  return [transcriptKey(job.id, job.result.step, job.result.attempt)]
}
