import { DurableObject } from 'cloudflare:workers'
import { failure } from '../../domain/codes/failures.ts'
import { JOB_DEADLINE_MS } from '../../domain/limits.ts'
import { type AccountOptions, type AccountState, accountState } from './account-state.ts'
import { withMethods } from './acts.ts'
import { admitBatch, retryBatch } from './batches/admit-batch.ts'
import { cancelBatch } from './batches/cancel-batch.ts'
import { admitItem, claimItem, endOldTurns, refuseItem, reuseItem } from './batches/check-items.ts'
import { claimListing, failListing, finishListing } from './batches/listings.ts'
import { readBatch, readBatches, readItems } from './batches/read-batches.ts'
import type { Task } from './clockwork/schedule.ts'
import { admit, checkNotSuspended, checkStart, mayStart } from './entry/admission.ts'
import { authenticate, checkKey } from './entry/authenticated-request.ts'
import { claimIdempotency, deleteIdempotency, freeIdempotency } from './entry/idempotency.ts'
import { join } from './entry/join.ts'
import { checkPreview, noteLookup } from './entry/lookups.ts'
import { reuse } from './entry/reuse.ts'
import { closeEventStream, eventsAfter, openEventStream } from './events/event-streams.ts'
import { cleanedUp, requestCleanup } from './jobs/bucket-copies.ts'
import { claimCopy, copyLeaseState, pauseCopy, saveCopy } from './jobs/deliver-step.ts'
import { complete, failLiveJob, failStep, refuseStep } from './jobs/endings.ts'
import type { JobRow } from './jobs/job-rows.ts'
import { cancelJob, changeSince, openJobs, readJob, removeJob } from './jobs/read-and-cancel.ts'
import * as steps from './jobs/steps.ts'
import { sweep } from './jobs/sweep.ts'
import * as operators from './operators.ts'
import { ledger, summary } from './summary.ts'
import * as uploads from './uploads/life-of-uploads.ts'
import * as webhooks from './webhooks/attempts-and-retries.ts'
import { rotateWebhookSecret, webhookSecrets } from './webhooks/webhook-secrets.ts'

/** The methods of an account object. Each is implemented in the file of its subject, next to its rules. */
const acts = {
  // Requests of callers.
  authenticate,
  checkKey,
  summary,
  ledger,
  // Starts.
  mayStart,
  checkStart,
  checkSuspension: checkNotSuspended,
  claimIdempotency,
  freeIdempotency,
  reuse,
  join,
  admit,
  checkPreview,
  noteLookup,
  // Jobs.
  read: readJob,
  changeSince,
  openJobs,
  cancel: cancelJob,
  remove: removeJob,
  // Steps, for the fleet, the containers and the queues.
  claim: steps.claim,
  progress: steps.progress,
  reportProgress: steps.reportProgress,
  holdsLease: steps.holdsLease,
  leasedJob: steps.leasedJob,
  sealedKey: steps.sealedKey,
  noteUpload: steps.noteUpload,
  postpone: steps.postpone,
  giveBack: steps.giveBack,
  advance: steps.advance,
  finishFetch: steps.finishFetch,
  complete,
  failStep,
  refuseStep,
  // Copies to buckets.
  claimCopy,
  copyLeaseState,
  saveCopy,
  pauseCopy,
  cleanedUp,
  // Batches.
  admitBatch,
  retryBatch,
  readBatch,
  batches: readBatches,
  batchItems: readItems,
  cancelBatch,
  claimListing,
  finishListing,
  failListing,
  claimItem,
  admitItem,
  reuseItem,
  refuseItem,
  // Uploads.
  reserveUpload: uploads.reserveUpload,
  reserveReceivedFile: uploads.reserveReceivedFile,
  discardReceivedFile: uploads.discardReceivedFile,
  upload: uploads.showUpload,
  uploadToComplete: uploads.uploadToComplete,
  startUploadAttempt: uploads.startUploadAttempt,
  markUploadReady: uploads.markUploadReady,
  removeUpload: uploads.removeUpload,
  // Event streams.
  openEventStream,
  eventsAfter,
  closeEventStream,
  // Webhooks.
  webhookSecrets,
  rotateWebhookSecret,
  deliveries: webhooks.deliveries,
  replay: webhooks.replay,
  replayFailed: webhooks.replayFailed,
  beginWebhookTest: webhooks.beginWebhookTest,
  claimDelivery: webhooks.claimDelivery,
  reportDelivery: webhooks.reportDelivery,
  countDeadLetter: webhooks.countDeadLetter,
  // Operators.
  look: operators.lookAtAccount,
  change: operators.changeAccount,
  addKey: operators.addKeyToAccount,
  revokeKey: operators.revokeKeyOfAccount,
  credit: operators.creditAccount,
}

/**
 * One object for each account, which owns the account's jobs and balance. Each method is one transaction: refusals are
 * returned, and exceptions roll it back.
 */
abstract class Account extends DurableObject<Env> {
  /** An instance field, because RPC callers can reach everything on the prototype. */
  readonly state: AccountState

  constructor(ctx: DurableObjectState, env: Env, options: AccountOptions) {
    super(ctx, env)
    this.state = accountState(ctx, options)
  }

  override async alarm(): Promise<void> {
    const { rows, founding, clockwork, historyMs } = this.state
    if (!(await founding.isAccount())) return
    await clockwork.tick({
      perform: (task, now) => this.#perform(task, now),
      check: (job, now) => this.#check(job, now),
      advanceBatches: (now) => endOldTurns(rows, now),
      sweep: (now) => sweep(rows, historyMs, now),
    })
  }

  #perform({ kind, ref }: Task, now: number): void {
    const { rows } = this.state
    if (kind === 'delivery') webhooks.runDeliveryTask(rows.sql, ref, Math.random(), now)
    else if (kind === 'cleanup') requestCleanup(rows.sql, ref, now)
    else if (kind === 'upload') uploads.expireUpload(rows, ref, now)
    else deleteIdempotency(rows.sql, ref)
  }

  #check(job: JobRow, now: number): void {
    const { rows } = this.state
    if (job.createdAt + JOB_DEADLINE_MS <= now) failLiveJob(rows, job.id, failure('TIMED_OUT'), now)
    else steps.expireLease(rows, job, now)
  }
}

/** index.ts subclasses it and passes in the outbox targets. */
export const AccountBase = withMethods(Account, acts)
export type AccountBase = InstanceType<typeof AccountBase>
