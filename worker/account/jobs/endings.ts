import { type Failure, isOurFault } from '../../../domain/codes/failures.ts'
import {
  asksForFiles,
  type ImportResult,
  isOfSpeech,
  type Job,
  type JobOutput,
  type StoredObject,
  storageOf,
  type TranscriptResult,
} from '../../../domain/jobs/job.ts'
import { outcomeOf, type PartOutcome, withoutWords } from '../../../domain/jobs/parts.ts'
import { storedDiskBytes } from '../../../domain/jobs/step-resources.ts'
import type { Step } from '../../../domain/jobs/transcript.ts'
import { keysLeftOf } from '../../../domain/media/media-keys.ts'
import { endOfJob, withEnd } from '../../../domain/metrics/job-totals.ts'
import { costOfMade } from '../../../domain/money/bill.ts'
import { type Micros, zero } from '../../../domain/money/money.ts'
import type { ReadBy } from '../../../domain/protocol/protocol.ts'
import type { AccountRows } from '../account-rows.ts'
import { type Acting, act, leasedAct } from '../acts.ts'
import { endItemOfJob } from '../batches/item-ends.ts'
import { startItems } from '../batches/start-items.ts'
import { schedule, scheduleBy } from '../due/due-rows.ts'
import { addEvent } from '../events/event-rows.ts'
import { growHold, settle } from '../holds-and-ledger.ts'
import { poolOf } from '../keys/key-rows.ts'
import { noteFreeWork } from '../requests/free-work.ts'
import { indexEnd, updateIndex } from '../search/index-work.ts'
import { hasWordsToFind } from '../search/words-to-find.ts'
import { discardStored, fileOf, releaseFile, withholdMedia } from '../stored-files/needed-files.ts'
import { retentionMs } from '../stored-files/retention.ts'
import { discardObjects, keepObject, releaseObject } from '../stored-files/written-objects.ts'
import { addEventDelivery } from '../webhooks/attempts-and-retries.ts'
import { abandonCopy, deleteCopy } from './bucket-copies.ts'
import { bucketKeyOf } from './bucket-keys.ts'
import { coverCost } from './caption-parts.ts'
import { clearLease, deleteSealedKey, isLive, type JobRow } from './job-rows.ts'
import { keysOfMade, outputOf, withoutAudio } from './made.ts'
import { copiedBytes, endAttempt, endSpeechWork, noteDownloaded, workOf } from './measured.ts'

/**
 * A job ends once. The same transaction ends its hold, makes its webhook due, deletes the caller's provider key, counts
 * it in its batch and gives its slot to an item that waits. The job stays open until its end is in D1.
 */

/** `keys`: the stored objects of the result. All others are discarded. */
interface Done {
  finished: JobOutput
  charge: Micros
  keys: string[]
}

const completeJob = ({ rows, now }: Pick<Acting, 'rows' | 'now'>, job: JobRow, done: Done): boolean => {
  const { finished, charge, keys } = done
  endAttempt(rows, job, now, {
    downloadedBytes: finished.kind === 'import' ? finished.result.downloadedBytes : undefined,
  })
  const reason = coverCost({ rows, now }, job, charge)
  if (reason) return fail({ rows, now }, job, reason)
  for (const key of keys) releaseObject(rows, job, key, now)
  discardObjects(rows, job, 'all', now)
  const costMicros = settle(rows, job, charge, now)
  const result =
    finished.kind === 'import'
      ? { ...finished.result, costMicros, expiresAt: now + retentionMs(rows.account, job.id) }
      : { ...finished.result, costMicros }
  end(rows, job, { state: 'completed', result }, now)
  return true
}

/** Everything that the job makes is stored. What follows is the copy into the bucket, or the end. */
export const deliverOrComplete = (
  acting: Pick<Acting, 'rows' | 'now'>,
  job: JobRow,
  about = job.carry?.about,
): boolean => {
  if (!storageOf(job)) return completeMade(acting, job, null)
  job.bucketKey = bucketKeyOf(acting.rows, job, about)
  const carry = job.kind === 'import' && job.carry ? withoutAudio(job.carry, job.bucketKey) : job.carry
  return advanceJob(acting, job, { next: 'deliver', carry, holdMicros: costOfMade(job), keys: keysOfMade(job) })
}

export const finishDelivery = leasedAct(false, (acting, job, bucket: StoredObject) => completeMade(acting, job, bucket))

const completeMade = (acting: Pick<Acting, 'rows' | 'now'>, job: JobRow, bucket: StoredObject | null): boolean => {
  const finished = outputOf(job, bucket)
  if (!finished) return false
  const done = { finished, charge: costOfMade(job), keys: keysOfMade(job) }
  // The transcript alone is the result of a transcription.
  if (!asksForFiles(job)) delete job.parts
  return completeJob(acting, job, done)
}

/** `keys`: the stored objects that the next step needs. */
export interface NextStep {
  next: Step
  carry: Job['carry']
  holdMicros: Micros
  keys: string[]
}

export const advanceJob = (
  { rows, now }: Pick<Acting, 'rows' | 'now'>,
  job: JobRow,
  { next, carry, holdMicros, keys }: NextStep,
): boolean => {
  const reason = growHold(rows, job, holdMicros, now)
  if (reason) return fail({ rows, now }, job, reason)
  for (const key of keys) keepObject(job, key)
  discardObjects(rows, job, 'of this attempt', now)
  endAttempt(rows, job, now, { downloadedBytes: carry?.downloadedBytes })
  // The next step has its own attempts. Their numbers go on, because object keys must not repeat within a job.
  job.step = next
  job.carry = carry as never
  job.usedAttempts = 0
  const stored = fileOf(rows, job)
  job.diskBytes = stored && storedDiskBytes(next, stored)
  clearLease(job)
  schedule(rows.sql, 'step', job.id, now)
  return true
}

export const failStep = leasedAct(
  false,
  ({ rows, now }, job, reason: Failure, downloadedBytes?: number, readBy?: ReadBy) => {
    if (readBy) job.measured = { ...job.measured, readBy }
    noteDownloaded(rows, job, downloadedBytes)
    return fail({ rows, now }, job, reason)
  },
)

/** The fleet has no place for the step, and never will. The job fails, unless it has moved on since. */
export const refuseStep = act(({ rows, now }, jobId: string, step: Step, attempt: number, reason: Failure) => {
  const job = rows.findJob(jobId)
  if (!job || job.step !== step || job.attempt + 1 !== attempt) return false
  return fail({ rows, now }, job, reason)
})

export const failLiveJob = (rows: AccountRows, jobId: string, reason: Failure, now: number): boolean => {
  const job = rows.findJob(jobId)
  if (!job || !isLive(job)) return false
  return fail({ rows, now }, job, reason)
}

/**
 * Called when its owner deletes the files of a completed job. The job's record stays, and what other jobs need. The media
 * of an import may have expired before its words are deleted.
 */
export const removeFiles = (rows: AccountRows, jobId: string, now: number): void => {
  const job = rows.findJob(jobId)
  if (job?.state !== 'completed' || keysLeftOf(job).length === 0) return
  if (hasWordsToFind(job)) updateIndex(rows, jobId, now)
  if (job.removedAt === null) withholdMedia(rows, job, now)
  discardStored(rows, [job], now)
  job.removedAt ??= now
  if (job.parts) job.parts = withoutWords(job.parts)
  schedule(rows.sql, 'record', job.id, now)
}

/** What fails in the speech of an import is its transcript, and not the job. */
export const fail = (acting: Pick<Acting, 'rows' | 'now'>, job: JobRow, reason: Failure): true =>
  job.kind === 'import' && job.carry && isOfSpeech(job.step) && reason.code !== 'CANCELED'
    ? endSpeech(acting, job, outcomeOf(reason))
    : failJob(acting, job, reason)

const endSpeech = (acting: Pick<Acting, 'rows' | 'now'>, job: JobRow, outcome: PartOutcome): true => {
  const { rows, now } = acting
  endAttempt(rows, job, now)
  const work = endSpeechWork(job)
  // The import pays for its media, and not for this.
  if (outcome.state !== 'failed' || !isOurFault(outcome.failure)) {
    noteFreeWork(rows, poolOf(rows.keys.find(job.keyId)), 'jobs', work, now)
  }
  job.parts = [...(job.parts ?? []), { kind: 'transcript', ...outcome }]
  deliverOrComplete(acting, job)
  return true
}

const failJob = ({ rows, now }: Pick<Acting, 'rows' | 'now'>, job: JobRow, reason: Failure): true => {
  discardObjects(rows, job, 'all', now)
  settle(rows, job, zero, now)
  end(rows, job, { state: 'failed', failure: reason }, now)
  return true
}

type Ending = { state: 'completed'; result: ImportResult | TranscriptResult } | { state: 'failed'; failure: Failure }

const end = (rows: AccountRows, job: JobRow, ending: Ending, now: number): void => {
  endAttempt(rows, job, now)
  if (ending.state === 'failed' && !isOurFault(ending.failure)) {
    noteFreeWork(rows, poolOf(rows.keys.find(job.keyId)), 'jobs', workOf(job), now)
  }
  Object.assign(job, ending)
  job.completedAt = now
  job.step = null
  job.carry = null
  clearLease(job)
  const { sql, account } = rows
  scheduleBy(sql, 'sweep', now + retentionMs(account, job.id))
  const { bytesIn } = job.measured
  const costMicros = job.result?.costMicros ?? 0
  account.totals = withEnd(account.totals, endOfJob(job), { bytesIn, bytesOut: copiedBytes(job), costMicros })
  job.measured = { ...job.measured, endNumber: account.totals.ends }
  deleteSealedKey(sql, job.id)
  releaseFile(rows, job, now)
  if (ending.state === 'completed') deleteCopy(sql, job.id)
  else abandonCopy(sql, job.id, now)
  const event = addEvent(sql, `${job.kind}.${ending.state}`, job.id, now)
  addEventDelivery(rows, event, job.request.webhookUrl, now)
  endItemOfJob(rows, job, now)
  schedule(sql, 'record', job.id, now)
  indexEnd(rows, job, now)
  startItems(rows, now)
}
