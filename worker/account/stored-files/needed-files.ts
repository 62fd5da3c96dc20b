import { accepted, type Result, refused } from '../../../domain/codes/refusals.ts'
import { type ImportJob, isOfSpeech, mediaOf, type TranscribeRequest } from '../../../domain/jobs/job.ts'
import { keysLeftOf, mediaKey, removedMarkKey, uploadKey } from '../../../domain/media/media-keys.ts'
import { titleOfUpload, type Upload } from '../../../domain/uploads/upload.ts'
import type { AccountRows } from '../account-rows.ts'
import type { StoredFile } from '../calls.ts'
import { changeMedia } from '../due/due-rows.ts'
import { isLive, type JobRow } from '../jobs/job-rows.ts'
import { type ApiKey, maySee } from '../keys/key-rows.ts'
import { readUpload, uploadOf } from '../uploads/upload-rows.ts'

/**
 * A transcription may read the media of an import, or an upload. A file that expires or is deleted meanwhile is removed
 * for callers at once, and its object when the last live job that needs it has ended.
 */
export const neededFileOf = (
  rows: AccountRows,
  key: ApiKey,
  { importId, uploadId }: TranscribeRequest,
  now: number,
): Result<StoredFile | null> => {
  if (importId !== null) return importedFile(rows, key, importId, now)
  return uploadId === null ? accepted(null) : uploadedFile(rows, key, uploadId, now)
}

/** What a job reads instead of a URL, whether it was removed since or not. */
export const fileOf = (rows: AccountRows, reader: JobRow): StoredFile | null => {
  if (reader.kind === 'import') return isOfSpeech(reader.step) ? fileOfImport(reader) : null
  const { importId, uploadId } = reader.request
  const job = importId === null ? null : rows.findJob(importId)
  if (job?.kind === 'import') return fileOfImport(job)
  const upload = uploadId === null ? null : readUpload(rows.sql, uploadId)
  return upload && fileOfUpload(upload)
}

const importedFile = (rows: AccountRows, key: ApiKey, importId: string, now: number): Result<StoredFile> => {
  const job = rows.findJob(importId)
  if (job?.kind !== 'import' || !maySee(key, job)) return refused('JOB_NOT_FOUND')
  const file = job.result && fileOfImport(job)
  if (job.state === 'failed') return refused('SOURCE_NOT_READY', {}, 'The import failed, so it has no file.')
  if (!file) return refused('SOURCE_NOT_READY', {}, 'The import has not ended yet.')
  const isHere = job.removedAt === null && (job.result?.expiresAt ?? 0) > now
  return isHere ? accepted(file) : refused('MEDIA_EXPIRED')
}

const uploadedFile = ({ sql }: AccountRows, key: ApiKey, uploadId: string, now: number): Result<StoredFile> => {
  const found = uploadOf(sql, key, uploadId, now)
  if (!found.ok) return found
  const upload = found.value
  if (upload.state === 'pending') return refused('SOURCE_NOT_READY', {}, 'The upload is not completed yet.')
  return upload.state === 'ready' ? accepted(fileOfUpload(upload)) : refused('MEDIA_EXPIRED')
}

/** The service has a copy of its own, whether the import was also stored in the caller's bucket or not. */
const fileOfImport = (job: ImportJob): StoredFile | null => {
  const media = mediaOf(job)
  return (
    media && {
      key: mediaKey(job.id, media.stored),
      title: media.title,
      contentType: media.contentType,
      sizeBytes: media.fileSizeBytes,
      durationSeconds: media.durationSeconds,
    }
  )
}

const fileOfUpload = (upload: Upload): StoredFile => ({
  key: uploadKey(upload.id, upload),
  title: titleOfUpload(upload),
  contentType: upload.contentType ?? 'application/octet-stream',
  sizeBytes: upload.sizeBytes,
  durationSeconds: upload.durationSeconds,
})

export const isNeeded = (rows: AccountRows, id: string): boolean => neededFiles(rows).has(id)

/** The ids of imports and uploads that live jobs read. */
export const neededFiles = (rows: AccountRows): Set<string> => {
  const live = rows.openJobs().filter((job) => job.kind === 'transcription' && isLive(job))
  return new Set(live.flatMap(({ request }) => sourceIdOf(request as TranscribeRequest) ?? []))
}

const sourceIdOf = ({ importId, uploadId }: TranscribeRequest): string | null => importId ?? uploadId

/** Deletes what is left of ended jobs, or only their media, except for media that is needed. */
export const discardStored = (rows: AccountRows, jobs: JobRow[], now: number, keysOf = keysLeftOf): void => {
  const needed = jobs.length > 0 ? neededFiles(rows) : new Set<string>()
  discard(
    rows,
    jobs.flatMap((job) => keysOf(job).filter((key) => !needed.has(job.id) || key !== keyOfMedia(job))),
    now,
  )
}

/** Refuses the links of media that its owner deleted while a job needs it. */
export const withholdMedia = (rows: AccountRows, job: JobRow, now: number): void => {
  const key = keyOfMedia(job)
  if (key !== null && isNeeded(rows, job.id)) changeMedia(rows.sql, { kind: 'withhold', key: removedMarkKey(key) }, now)
}

/** Deletes the file of a job that has ended, if it was removed meanwhile and no other job needs it. */
export const releaseFile = (rows: AccountRows, { kind, request }: JobRow, now: number): void => {
  if (kind !== 'transcription') return
  const { importId, uploadId } = request as TranscribeRequest
  const id = sourceIdOf(request as TranscribeRequest)
  if (id === null || isNeeded(rows, id)) return
  const job = importId === null ? null : rows.findJob(importId)
  const key = job && job.removedAt !== null ? keyOfMedia(job) : null
  if (key !== null) discard(rows, [key, removedMarkKey(key)], now)
  const upload = uploadId === null ? null : readUpload(rows.sql, uploadId)
  if (upload?.state === 'removed') discard(rows, [uploadKey(upload.id, upload)], now)
}

const keyOfMedia = (job: JobRow): string | null =>
  job.kind === 'import' && job.result ? mediaKey(job.id, job.result.stored) : null

const discard = ({ sql }: AccountRows, keys: string[], now: number): void => {
  const objects = keys.map((key) => ({ key, uploadId: null }))
  if (objects.length > 0) changeMedia(sql, { kind: 'discard', objects }, now)
}
