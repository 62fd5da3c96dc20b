import type { ImportRequest, ImportResult, TranscribeRequest } from '../../../domain/jobs/job.ts'
import type { Part } from '../../../domain/jobs/parts.ts'
import { storedKeys } from '../../../domain/media/media-keys.ts'
import type { StepRun } from '../actors/false-work.ts'
import { endsActs, type FaultClass } from '../faults/fault-classes.ts'
import { eachAccount, type Invariants, type Row, type Seen, type Sql } from './seen.ts'

interface CompletedRow extends Row {
  id: string
  kind: string
  request: string
  result: string
  parts: string | null
  bucket_key: string | null
  removed_at: number | null
}

const completedJobs = (sql: Sql): CompletedRow[] =>
  sql
    .exec<CompletedRow>(
      "SELECT id, kind, request, result, parts, bucket_key, removed_at FROM jobs WHERE state = 'completed'",
    )
    .toArray()

const keysOf = ({ id, kind, result, parts }: CompletedRow): string[] => {
  const parsed = JSON.parse(result) as { stored?: { hasThumbnail: boolean } }
  const keys = storedKeys({ id, kind, result: parsed, parts: JSON.parse(parts ?? '[]') } as never)
  return parsed.stored?.hasThumbnail === false ? keys.filter((key) => !key.endsWith('/thumbnail')) : keys
}

/** After these, R2 may have an upload that the account has no note of. R2 removes it after some days. */
const forgetsUploads: FaultClass[] = [...endsActs, 'database slow', 'report lost', 'report answer lost']

/** What is charged is there, and what was removed is gone. */
export const storage = (): Invariants => ({
  atRest: (seen) => {
    if (seen.neverFail(...forgetsUploads)) {
      const left = seen.world.bucket.unfinishedUploads().filter(({ key }) => !key.startsWith('uploads/'))
      for (const { key } of left) seen.broken('uploads of attempts are completed or aborted', key, 'it is unfinished')
    }
    eachAccount(seen, (_, sql) => {
      for (const job of completedJobs(sql)) {
        if (job.removed_at === null) expectFiles(seen, job)
        if (!isRepeated(sql, job)) expectCopy(seen, job)
      }
      for (const run of seen.runs) if (run.hasFailed) expectNoFiles(seen, run)
      const changes = sql.exec<{ body: string }>('SELECT body FROM due WHERE body IS NOT NULL').toArray()
      for (const { body } of changes)
        seen.broken('at rest all changes have been sent to R2 and D1', body, 'it is not sent')
    })
  },
  atEnd: (seen) => {
    if (seen.neverFail(...forgetsUploads)) {
      for (const { key } of seen.world.bucket.unfinishedUploads())
        seen.broken('uploads that callers leave are aborted', key, 'it is unfinished')
    }
    if (!seen.accounts.some(({ hasRemovedBucket }) => hasRemovedBucket)) {
      for (const { key } of seen.bucket.uploads.values())
        seen.broken('no upload is left in the caller’s bucket', key, 'it was neither completed nor aborted')
      const completed = completedIds(seen)
      for (const [key, { marks }] of seen.bucket.objects) {
        if (marks.jobId !== null && !completed.has(marks.jobId))
          seen.broken('a job that fails leaves nothing in the caller’s bucket', marks.jobId, key)
      }
    }
    const left = seen.world.bucket.keys().filter((key) => key.startsWith('media/'))
    eachAccount(seen, (_, sql) => {
      for (const job of completedJobs(sql)) {
        const kept = keysOf(job).filter((key) => left.includes(key) && job.kind === 'import')
        if (kept.length > 0) seen.broken('media is removed after its retention', job.id, kept.join(' '))
      }
    })
  },
})

const completedIds = (seen: Seen): Set<string> => {
  const ids = new Set<string>()
  eachAccount(seen, (_, sql) => {
    for (const { id } of completedJobs(sql)) ids.add(id)
  })
  return ids
}

/** A batch that is retried twice makes an item twice. Its files have the same keys, and those of the last job stay. */
const isRepeated = (sql: Sql, { id, bucket_key: key }: CompletedRow): boolean => {
  const query = "SELECT id FROM jobs WHERE bucket_key = ?1 AND id <> ?2 AND (state = 'completed' OR id > ?2)"
  return key !== null && sql.exec(query, key, id).toArray().length > 0
}

/** What was to be copied to the caller's bucket is there, whole. */
const expectCopy = ({ bucket, broken }: Seen, { id, request, result, parts }: CompletedRow): void => {
  const { store, storage, formats = [null] } = JSON.parse(request) as Partial<ImportRequest & TranscribeRequest>
  if (!store && !storage) return
  const { bucket: copy, fileSizeBytes } = JSON.parse(result) as Partial<ImportResult>
  const sizeBytes = copy && bucket.objects.get(copy.key)?.sizeBytes
  if (!copy || (fileSizeBytes !== undefined && sizeBytes !== fileSizeBytes))
    broken('what was to be copied is in the bucket', id, `${sizeBytes} of ${fileSizeBytes} bytes`)
  const completed = (JSON.parse(parts ?? '[]') as Part[]).filter(({ state }) => state === 'completed')
  const ofParts = completed.map(({ kind }) => (kind === 'captions' || kind === 'transcript' ? formats.length : 1))
  const files = ofParts.reduce((sum, count) => sum + count, store ? 1 : 0)
  const copied = [...bucket.objects.values()].filter(({ marks }) => marks.jobId === id).length
  if (copied !== files) broken('all files are in the bucket', id, `${copied} of ${files}`)
}

/** When an attempt fails by itself, its uploads have ended. The account then discards them. */
const expectNoFiles = (seen: Seen, { jobId, step, attempt }: StepRun): void => {
  const folder = `${jobId}/(?:[\\w-]{22}/)?`
  const ofAttempt = new RegExp(`^(?:(?:media|audio)/${folder}${attempt}/|transcripts/${folder}${step}-${attempt}\\.)`)
  const left = seen.world.bucket.keys().filter((key) => ofAttempt.test(key))
  if (left.length > 0) seen.broken('files of failed attempts are gone', jobId, left.join(' '))
}

const expectFiles = (seen: Seen, job: CompletedRow): void => {
  const { fileSizeBytes } = JSON.parse(job.result) as { fileSizeBytes?: number }
  for (const [index, key] of keysOf(job).entries()) {
    const stored = seen.world.bucket.get(key)
    if (!stored) {
      seen.broken('what is charged is there', job.id, `${key} is missing`)
      continue
    }
    const size =
      typeof stored.body === 'object' && stored.body && 'sizeBytes' in stored.body ? stored.body.sizeBytes : null
    if (index === 0 && job.kind === 'import' && size !== null && size !== fileSizeBytes) {
      seen.broken('a file has the size of its result', job.id, `${size} instead of ${fileSizeBytes}`)
    }
  }
}
