import { DurableObject } from 'cloudflare:workers'
import type { Terms } from '../../domain/account/terms.ts'
import { AccountRows } from './account-rows.ts'
import { type AccountState, withMethods } from './acts.ts'
import { admitBatch, retryBatch } from './batches/admit-batch.ts'
import { cancelBatch, readBatch, readBatches, readItems } from './batches/read-and-cancel.ts'
import {
  admitItem,
  claimItem,
  claimListing,
  failCheck,
  failListing,
  finishListing,
  refuseItem,
  reuseItem,
} from './batches/turn-work.ts'
import { kindsOfDue } from './due/kinds.ts'
import { Scheduler } from './due/scheduler.ts'
import type { Targets } from './due/targets.ts'
import { eventsAfter, openEventStream } from './events/event-streams.ts'
import { AccountFounding, type FindNewAccount } from './founding.ts'
import { cleanedUp, noteToCleanUp } from './jobs/bucket-copies.ts'
import { claimCopy, copyLeaseState, pauseCopy, saveCopy } from './jobs/deliver-step.ts'
import { failStep, finishDelivery, refuseStep } from './jobs/endings.ts'
import { finishFetch } from './jobs/import-results.ts'
import { cancelJob, openJobs, readJob, readLinked, readUncounted, removeJob } from './jobs/read-and-cancel.ts'
import { finishTranscriptionStep } from './jobs/step-results.ts'
import * as steps from './jobs/steps.ts'
import * as keys from './keys/manage-keys.ts'
import * as operators from './operators.ts'
import { authenticate, checkKey } from './requests/authenticated-request.ts'
import { checkPreview, noteLookup } from './requests/free-work.ts'
import * as index from './search/index-work.ts'
import { foundJobs, openSearch, wordsToFind } from './search/words-to-find.ts'
import { admit, mayStart, openStart } from './starts/admission.ts'
import { freeIdempotency, noteBegunResponse } from './starts/answers.ts'
import { ledger, summary } from './summary.ts'
import * as uploads from './uploads/life-of-uploads.ts'
import { WaitingWorkers } from './waiting/waiting-workers.ts'
import { reportLength, reportList } from './watches/lists.ts'
import * as watches from './watches/manage-watches.ts'
import { claimPolls, reportPolls } from './watches/polls.ts'
import { readWatchItems } from './watches/watch-items.ts'
import * as webhooks from './webhooks/attempts-and-retries.ts'
import { rotateWebhookSecret, webhookSecrets } from './webhooks/webhook-secrets.ts'

/** Called by the cron for accounts that have not reported in time. */
const wakeAccount = async ({ founding, scheduler }: AccountState): Promise<void> => {
  if (await founding.isAccount()) await scheduler.wake()
}

/** The acts for requests of callers may be repeated after they have committed: see http/account-calls.ts. */
const acts = {
  // Requests of callers.
  authenticate,
  checkKey,
  summary,
  ledger,
  // Keys.
  createKey: keys.createKey,
  keys: keys.readKeys,
  changeKey: keys.changeKey,
  removeKey: keys.removeKey,
  // Starts.
  mayStart,
  openStart,
  freeIdempotency,
  admit,
  noteBegunResponse,
  checkPreview,
  noteLookup,
  // Jobs.
  read: readJob,
  readUncounted,
  readLinked,
  openJobs,
  cancel: cancelJob,
  remove: removeJob,
  // Steps, for the fleet, the containers and the queues.
  claim: steps.claim,
  progress: steps.progress,
  reportProgress: steps.reportProgress,
  holdsLease: steps.holdsLease,
  sealedKey: steps.sealedKey,
  noteUpload: steps.noteUpload,
  noteWaiting: steps.noteWaiting,
  postpone: steps.postpone,
  giveBack: steps.giveBack,
  finishFetch,
  finishTranscriptionStep,
  failStep,
  refuseStep,
  // Copies to buckets.
  claimCopy,
  copyLeaseState,
  saveCopy,
  pauseCopy,
  finishDelivery,
  noteToCleanUp,
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
  failCheck,
  // Watches.
  admitWatch: watches.admitWatch,
  readWatch: watches.readWatch,
  watches: watches.readWatches,
  watchItems: readWatchItems,
  changeWatch: watches.changeWatch,
  pollWatch: watches.pollWatch,
  removeWatch: watches.removeWatch,
  claimPolls,
  reportPolls,
  reportList,
  reportLength,
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
  // Search.
  openSearch,
  foundJobs,
  wordsToFind,
  changeIndexing: index.changeIndexing,
  rebuildIndex: index.rebuildIndex,
  // Operators, and the cron.
  wake: wakeAccount,
  look: operators.lookAtAccount,
  change: operators.changeAccount,
  addKey: operators.addKeyToAccount,
  revokeKey: operators.revokeKeyOfAccount,
  credit: operators.creditAccount,
  startRebuild: operators.rebuildIndexOfAccount,
}

export interface AccountOptions {
  targets: Targets
  findNewAccount: FindNewAccount
  serviceOf: AccountState['serviceOf']
  leaseMs: number
  /** How long ended jobs are kept, and the entries of the ledger before they are added up by month. */
  historyMs: number
  terms: Terms
}

/** One object for each account. Each method is one transaction: refusals are returned, and exceptions roll it back. */
abstract class Account extends DurableObject<Env> {
  /** An instance field, because RPC callers can reach everything on the prototype. */
  readonly state: AccountState

  constructor(ctx: DurableObjectState, env: Env, options: AccountOptions) {
    super(ctx, env)
    const { targets, findNewAccount, leaseMs, historyMs, terms, serviceOf } = options
    const rows = new AccountRows(ctx.storage.sql, terms)
    const founding = new AccountFounding(ctx, rows, findNewAccount)
    const waiting = new WaitingWorkers(ctx, rows)
    const scheduler = new Scheduler(ctx, rows, targets, kindsOfDue(historyMs), (now) => waiting.tell(now))
    this.state = { rows, founding, scheduler, waiting, leaseMs, serviceOf }
  }

  /** The Worker sends no other requests than those for WebSockets. */
  override async fetch(request: Request): Promise<Response> {
    const { founding, waiting } = this.state
    return (await founding.isAccount()) ? waiting.open(request, Date.now()) : new Response(null, { status: 404 })
  }

  override async alarm(): Promise<void> {
    const { founding, scheduler } = this.state
    if (await founding.isAccount()) await scheduler.tick()
  }
}

export const AccountBase = withMethods(Account, acts)
export type AccountBase = InstanceType<typeof AccountBase>
