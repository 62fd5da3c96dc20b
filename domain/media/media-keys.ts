import type { Job, StoredMedia } from '../jobs/job.ts'
import { wordsOfParts } from '../jobs/parts.ts'
import type { Step, Transcript } from '../jobs/transcript.ts'

/** Each attempt has its own keys, so that a late writer cannot overwrite the objects of a newer attempt. */
export interface AttemptNames {
  attempt: number
  /** Nobody can guess the key of another's object: storage may copy one into a part of a caller's upload, if its key is named. */
  secret: string
}

/** The length of a secret: 132 bits in base64url. */
export const SECRET_LENGTH = 22

const pathOf = (id: string, { secret, attempt }: AttemptNames): string => `${id}/${secret}/${attempt}`

export const mediaKey = (jobId: string, names: AttemptNames): string => `media/${pathOf(jobId, names)}/media`
export const thumbnailKey = (jobId: string, names: AttemptNames): string => `media/${pathOf(jobId, names)}/thumbnail`

/** Temporary. Objects that were not deleted for some reason are removed after a day by a lifecycle rule of the bucket. */
export const audioKey = (jobId: string, names: AttemptNames, index: number): string =>
  `audio/${pathOf(jobId, names)}/${index}`

/** Who speaks when in an attempt's audio. As temporary as the pieces. */
export const turnsKey = (jobId: string, names: AttemptNames): string => `audio/${pathOf(jobId, names)}/turns`

export const recognizedPieceKey = (pieceKey: string): string => `${pieceKey}.heard`

export const transcriptKey = (jobId: string, step: Step, { secret, attempt }: AttemptNames): string =>
  `transcripts/${jobId}/${secret}/${step}-${attempt}.json`

/** All captions that a step has read as files are in one object. */
export const tracksKey = (jobId: string, step: Step, names: AttemptNames): string =>
  transcriptKey(jobId, step, names).replace(/json$/, 'tracks.json')

export const wordsKey = (jobId: string, words: Transcript): string =>
  (words.range ? tracksKey : transcriptKey)(jobId, words.step, words)

export const mediaKeys = (jobId: string, stored: StoredMedia): string[] =>
  stored.hasThumbnail ? [mediaKey(jobId, stored), thumbnailKey(jobId, stored)] : [mediaKey(jobId, stored)]

/** The object is stored beside that of the media, so it is noted, kept and discarded with it. */
export const thumbnailBeside = (key: string): string | null =>
  key.startsWith('media/') && key.endsWith('/media') ? key.replace(/media$/, 'thumbnail') : null

/** What is stored of a job that has ended. */
export const storedKeys = (job: Job): string[] => (job.result ? [...mediaKeysOf(job), ...wordsKeysOf(job)] : [])

/** What of it has not been removed: perhaps words whose media has expired. */
export const keysLeftOf = (job: Job): string[] => {
  if (job.removedAt === null) return storedKeys(job)
  return job.kind === 'import' ? wordsKeysOf(job) : []
}

/** They are removed with the media of an import. */
export const mediaKeysOf = ({ id, kind, result }: Job): string[] =>
  kind === 'import' && result ? [mediaKey(id, result.stored), thumbnailKey(id, result.stored)] : []

/** They stay as long as the job. One object may hold several transcripts. */
export const wordsKeysOf = (job: Pick<Job, 'id' | 'kind' | 'result' | 'parts'>): string[] => {
  const words = wordsOfParts(job.parts ?? [])
  const own = job.kind === 'transcription' && job.result ? [job.result as Transcript] : []
  return [...new Set([...own, ...words].map((each) => wordsKey(job.id, each)))]
}

/** Marks media that was removed while a job still reads it: its links are refused although the object is there. */
export const removedMarkKey = (mediaKey: string): string => mediaKey.replace(/media$/, 'removed')

export const uploadKey = (uploadId: string, names: AttemptNames): string => `uploads/${pathOf(uploadId, names)}`
