import { type Failure, failure, isOurFault } from '../../../domain/codes/failures.ts'
import { type Job, mayHaveCaptions, type PreparedAudio, withAudio } from '../../../domain/jobs/job.ts'
import type { Step } from '../../../domain/jobs/transcript.ts'
import { MAX_ATTEMPTS, RESEND_BACKOFF } from '../../../domain/limits.ts'
import { type AttemptNames, mediaKey, tracksKey } from '../../../domain/media/media-keys.ts'
import {
  agreedBytes,
  agreedSeconds,
  type JobUsage,
  requiredHold,
  usageOf,
  wantedHold,
} from '../../../domain/money/bill.ts'
import { zero } from '../../../domain/money/money.ts'
import { firstProgress, type Progress, type StepOrder } from '../../../domain/protocol/protocol.ts'
import { backoffMs } from '../../../domain/retry.ts'
import type { AccountRows } from '../account-rows.ts'
import { type Act, type Acting, act, leasedAct } from '../acts.ts'
import type { JobLease, ProgressAnswer, ProgressVerdict, StoredFile } from '../calls.ts'
import type { Again, DueContext } from '../due/due.ts'
import { type DueRow, schedule } from '../due/due-rows.ts'
import { addEvent } from '../events/event-rows.ts'
import { growHold } from '../holds-and-ledger.ts'
import { fileOf } from '../stored-files/needed-files.ts'
import { discardObjects, noteObject } from '../stored-files/written-objects.ts'
import { fail } from './endings.ts'
import {
  clearLease,
  deadlineOf,
  isLive,
  type JobRow,
  limitOf,
  readJob,
  sealedKeyOf,
  withoutJobLease,
} from './job-rows.ts'
import { endAttempt, endedJobOf, noteDownloaded } from './measured.ts'

/**
 * A step is claimed with a lease, which progress reports renew, and ends with one report. A report under an older lease
 * changes nothing. A step whose lease expires is sent again. An attempt is used when the step may be why it failed;
 * after three of them the job fails.
 */
export interface Claimed {
  job: Job
  lease: string
  stored: StoredFile | null
  agreed: StepOrder['agreed']
  /** The attempt's media and captions have been noted under these. */
  names: AttemptNames | null
}

/**
 * `lease`: the id of the step's place, if the fleet claims it. `attempt`: its number, as far as the fleet knows. The
 * fleet may claim a step while its lease still runs, because it has found that no engine has the step. A claim without
 * a number needs a step without a lease. A claim that is repeated under its lease gets the same answer. null: the step
 * is done, or has had another lease since. `secret`: of the objects of a fetch.
 */
export const claimStep = (
  { rows, leaseMs, now }: Acting,
  jobId: string,
  step: Step,
  lease: string = leaseInWorker(),
  attempt?: number,
  secret?: string,
): Claimed | null => {
  const job = rows.findJob(jobId)
  if (!job) return null
  if (attempt === undefined) expireLease(rows, job, now)
  if (job.step !== step) return null
  if (!rows.findLeasedJob({ jobId, lease }, now)) {
    if (attempt === undefined ? job.lease !== null : attempt !== job.attempt + 1) return null
    if (job.lease !== null) endLease(rows, job, { isUsed: false, isLost: true, dueAt: now }, now)
    job.lease = lease
    job.leaseUntil = now + leaseMs
    scheduleLimit(rows, job)
    job.usedAttempts += 1
    job.attempt += 1
    markRunning(rows, job, now)
    job.measured = { ...job.measured, claimedAt: now }
    if (!lease.startsWith(IN_WORKER)) rows.progress.reported(job, firstProgress)
  }
  const agreed = agreedFor(job, usageOf(firstProgress))
  const names = secret === undefined ? null : { secret, attempt: job.attempt }
  if (names) {
    noteObject(job, mediaKey(job.id, names), null)
    if (job.kind === 'import' && mayHaveCaptions(job.request)) noteObject(job, tracksKey(job.id, step, names), null)
  }
  return { job: withoutJobLease(job), lease, stored: fileOf(rows, job), agreed, names }
}

export const claim = act(claimStep)

const scheduleLimit = ({ sql }: AccountRows, job: JobRow): void => schedule(sql, 'limit', job.id, limitOf(job))

const agreedFor = (job: JobRow, usage: JobUsage) => {
  const held = job.held ?? zero
  return { bytes: agreedBytes(job, usage, held), seconds: agreedSeconds(job, usage, held) }
}

/** The lease of a step that runs in the Worker. Other leases are the ids of places. */
export const leaseInWorker = (): string => `${IN_WORKER}${crypto.randomUUID()}`
const IN_WORKER = 'worker-'

export const endLease = (
  rows: AccountRows,
  job: JobRow,
  { isUsed, isLost = false, dueAt }: { isUsed: boolean; isLost?: boolean; dueAt: number },
  now: number,
): void => {
  if (!isUsed) job.usedAttempts -= 1
  discardObjects(rows, job, 'of this attempt', now)
  endAttempt(rows, job, now, { isLost })
  clearLease(job)
  schedule(rows.sql, 'step', job.id, dueAt)
}

/** The hold covers what has arrived, was announced or is needed, and of what is wanted what the balance allows. */
export const reportProgress = leasedAct(
  { verdict: 'lost', agreedBytes: null, agreedSeconds: null } as ProgressAnswer,
  ({ rows, leaseMs, now }, job, report: Progress): ProgressAnswer => {
    noteDownloaded(rows, job, report.downloadedBytes)
    const usage = usageOf(report)
    const verdict = requiredHold(job, usage)
    const reason =
      'failed' in verdict ? verdict.failed : growHold(rows, job, verdict.holdMicros, now, wantedHold(job, usage))
    if (reason) {
      fail({ rows, now }, job, reason)
      return { verdict: 'stop', agreedBytes: null, agreedSeconds: null }
    }
    // Renewed only in the second half of the lease, because each renewal writes rows. Two more reports fit into it.
    if ((job.leaseUntil ?? 0) - now < leaseMs / 2) {
      job.leaseUntil = now + leaseMs
      scheduleLimit(rows, job)
    }
    rows.progress.reported(job, report)
    const agreed = agreedFor(job, usage)
    return { verdict: 'continue', agreedBytes: agreed.bytes, agreedSeconds: agreed.seconds }
  },
)

/** The progress of a step that the Worker runs itself, which downloads nothing that is charged. */
export const progress: Act<[lease: JobLease, report: Progress], Promise<ProgressVerdict>> = async (
  account,
  lease,
  report,
) => (await reportProgress(account, lease, report)).verdict

export const holdsLease = leasedAct(false, () => true)

export const sealedKey = leasedAct(null, ({ rows }, job) => sealedKeyOf(rows.sql, job.batch?.id ?? job.id))

export interface Postponement {
  delayMs: number
  /** Of the step that recognizes it. */
  audio?: PreparedAudio
  /** The step needs this much, and its container did not have it. */
  diskBytes?: number | undefined
  downloadedBytes?: number | undefined
}

/** Runs the step again later, without counting an attempt: no container took it, or a provider needs more time. */
export const postpone = leasedAct(false, ({ rows, now }, job, postponement: Postponement) => {
  const { delayMs, audio, diskBytes, downloadedBytes } = postponement
  noteDownloaded(rows, job, downloadedBytes)
  job.diskBytes = diskBytes ?? job.diskBytes
  endLease(rows, job, { isUsed: false, dueAt: now + delayMs }, now)
  if (audio) job.carry = withAudio(job, audio) as never
  return true
})

export interface FailedAttempt {
  delayMs?: number
  /** False: the step was not the reason. */
  isUsed?: boolean
  /** The job's failure if this was its last attempt. */
  reason?: Failure
  downloadedBytes?: number | undefined
}

/** Ends a failed attempt. The step is retried while attempts are left. */
export const giveBack = leasedAct(false, ({ rows, now }, job, failed: FailedAttempt = {}) => {
  noteDownloaded(rows, job, failed.downloadedBytes)
  retryOrFail(rows, job, now, failed)
  return true
})

/** Uses no attempt, because only reports are missing: the fleet says when a container ends. */
export const expireLease = (rows: AccountRows, job: JobRow, now: number): void => {
  if (job.leaseUntil === null || job.leaseUntil > now) return
  retryOrFail(rows, job, now, { isUsed: false })
}

/** The fleet has no place for the step now. */
export const noteWaiting = act(({ rows }) => rows.reports.wantNote())

/** Called before an attempt writes an object, so that the object is discarded if the attempt fails. */
export const noteUpload = leasedAct(false, (_, job, { key, uploadId }: { key: string; uploadId: string | null }) => {
  noteObject(job, key, uploadId)
  return true
})

const markRunning = (rows: AccountRows, job: JobRow, now: number): void => {
  job.state = 'running'
  if (job.startedAt !== null) return
  job.startedAt = now
  addEvent(rows.sql, 'job.started', job.id, now)
}

const retryOrFail = (
  rows: AccountRows,
  job: JobRow,
  now: number,
  { delayMs, isUsed = true, reason }: { [Name in keyof FailedAttempt]: FailedAttempt[Name] | undefined },
): void => {
  if (job.step === null) return
  if (isUsed && job.usedAttempts >= MAX_ATTEMPTS) {
    const message = `The job failed after ${MAX_ATTEMPTS} attempts.`
    fail({ rows, now }, job, reason ?? failure('INTERNAL', message))
    return
  }
  // Without a reason its engine has died, is stopping, or was not heard.
  const isLost = reason === undefined || isOurFault(reason)
  endLease(rows, job, { isUsed, isLost, dueAt: now + (delayMs ?? (isUsed ? 0 : delayOfLost(job))) }, now)
}

/** Attempts that vanish cost what they have downloaded, so a step that loses many waits longer each time. */
const delayOfLost = ({ attempt, usedAttempts }: JobRow): number => {
  const lost = attempt - usedAttempts
  return lost < LOST_AT_ONCE ? 0 : backoffMs(lost - LOST_AT_ONCE + 1, LOST_BACKOFF)
}
const LOST_AT_ONCE = 3
const LOST_BACKOFF = { firstMs: 5_000, longestMs: 300_000 }

/** Sends the message of a job's step, again and again until the step is claimed. */
export const sendStep = async (context: DueContext, row: DueRow, attempt: number): Promise<Again> => {
  const { rows, targets } = context
  const job = readJob(rows.sql, row.ref)
  if (!job?.step) return
  const deadline = deadlineOf(job)
  if (deadline <= Date.now()) return endLimit(context, row)
  await targets.sendStep(rows.account.id, withoutJobLease(job), job.step, job.diskBytes)
  return Math.min(Date.now() + backoffMs(attempt, RESEND_BACKOFF), deadline)
}

export const endLimit = async ({ rows, act }: DueContext, { ref }: DueRow): Promise<Again> =>
  act((now) => {
    const job = rows.findJob(ref)
    if (!job || !isLive(job)) return
    if (deadlineOf(job) > now) expireLease(rows, job, now)
    else if (fail({ rows, now }, job, failure('TIMED_OUT')) && isLive(job)) return now
    return limitOf(job)
  })

export const recordEnd = async ({ rows, targets }: DueContext, { ref }: DueRow): Promise<Again> => {
  const job = readJob(rows.sql, ref)
  if (!job) return
  await Promise.all([
    targets.recordJob(rows.account.id, withoutJobLease(job)),
    rows.reports.send(rows.account, targets, { ended: endedJobOf(job), ref }),
  ])
}
