import type { Job, Step, StoredMedia } from '../jobs/job.ts'

/** Each attempt has its own keys, so that a late writer cannot overwrite a newer attempt's files. */
export const mediaKey = (jobId: string, attempt: number): string => `media/${jobId}/${attempt}/media`
export const thumbnailKey = (jobId: string, attempt: number): string => `media/${jobId}/${attempt}/thumbnail`

/** Temporary. Objects that were not deleted for some reason are removed after a day by a lifecycle rule of the bucket. */
export const audioKey = (jobId: string, attempt: number, index: number): string => `audio/${jobId}/${attempt}/${index}`

/** The recognized text of a piece of audio, deleted together with the piece. */
export const recognizedPieceKey = (pieceKey: string): string => `${pieceKey}.heard`

export const transcriptKey = (jobId: string, step: Step, attempt: number): string =>
  `transcripts/${jobId}/${step}-${attempt}.json`

export const mediaKeys = (jobId: string, { attempt, hasThumbnail }: StoredMedia): string[] =>
  hasThumbnail ? [mediaKey(jobId, attempt), thumbnailKey(jobId, attempt)] : [mediaKey(jobId, attempt)]

/** The object is stored beside that of the media, so it is noted, kept and discarded with it. */
export const thumbnailBeside = (key: string): string | null =>
  key.startsWith('media/') && key.endsWith('/media') ? key.replace(/media$/, 'thumbnail') : null

/** All objects that may be stored of a finished job. */
export const storedKeys = (job: Job): string[] => {
  if (!job.result) return []
  const { attempt } = job.kind === 'import' ? job.result.stored : job.result
  if (job.kind === 'import') return [mediaKey(job.id, attempt), thumbnailKey(job.id, attempt)]
  return [transcriptKey(job.id, job.result.step, attempt)]
}

/** Marks media that was removed while a job still reads it: its links are refused although the object is there. */
export const removedMarkKey = (mediaKey: string): string => mediaKey.replace(/media$/, 'removed')

export const uploadKey = (uploadId: string, attempt: number): string => `uploads/${uploadId}/${attempt}`
