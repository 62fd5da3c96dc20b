import { accepted } from '../../../domain/codes/refusals.ts'
import type { Job } from '../../../domain/jobs/job.ts'
import type { JobMetadata } from '../../../domain/jobs/job-metadata.ts'
import { readableTranscript } from '../../../domain/jobs/readable-words.ts'
import type { Transcript } from '../../../domain/jobs/transcript.ts'
import type { AccountRows } from '../account-rows.ts'
import { readAct } from '../acts.ts'
import { type JobRow, readJob, withoutJobLease } from '../jobs/job-rows.ts'
import { type ApiKey, maySee, onlyOf } from '../keys/key-rows.ts'
import { readRequestAct } from '../requests/authenticated-request.ts'

/** What the index has of a job. */
export interface WordsToFind {
  transcript: Transcript
  title: string | null
  createdAt: number
  keyId: string
  watchId: string | null
  metadata: JobMetadata
}

export const hasWordsToFind = (job: Job): boolean =>
  job.state === 'completed' && job.request.index !== false && readableTranscript(job) !== null

/** null: nothing of the job is to be found. */
export const wordsToFind = readAct(({ rows }, jobId: string): WordsToFind | null => {
  const job = findable(rows, jobId)
  const transcript = job && readableTranscript(job)
  if (!job || !transcript) return null
  const { createdAt, keyId, metadata = {}, batch } = job
  const watchId = (batch && rows.batches.find(batch.id)?.request.watchId) ?? null
  return { transcript, title: job.result?.title ?? null, createdAt, keyId, watchId, metadata }
})

/** `onlyOf`: the key, if it sees no jobs but its own. */
export const openSearch = readRequestAct(({ rows, key }) =>
  accepted({ isOff: rows.account.search.isOff, onlyOf: onlyOf(key) }),
)

/** Of a job whose words were found. */
export interface FoundJob {
  job: Job
  /** The import whose media it has read, while that is here. */
  source: Job | null
}

/** The jobs that this key may see now, by their ids. The search was counted when it was opened. */
export const foundJobs = readAct(({ rows, now }, keyHash: string, ids: string[]): Record<string, FoundJob> => {
  const key = rows.keys.live(keyHash, now)
  return Object.fromEntries(ids.flatMap((id) => (key && foundJob(rows, key, id)) ?? []))
})

const foundJob = (rows: AccountRows, key: ApiKey, id: string): [string, FoundJob][] => {
  const job = findable(rows, id)
  if (!job || !maySee(key, job)) return []
  const importId = 'importId' in job.request ? job.request.importId : null
  const source = importId === null ? null : readJob(rows.sql, importId)
  const seen = source && maySee(key, source) ? withoutJobLease(source) : null
  return [[id, { job: withoutJobLease(job), source: seen }]]
}

const findable = ({ account, sql }: AccountRows, id: string): JobRow | null => {
  const job = account.search.isOff ? null : readJob(sql, id)
  return job && hasWordsToFind(job) ? job : null
}
