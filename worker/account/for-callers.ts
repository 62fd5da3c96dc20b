import { limitsOf } from '../../domain/account-limits.ts'
import { failure } from '../../domain/codes/failures.ts'
import { accepted, refused } from '../../domain/codes/refusals.ts'
import type { JobKind } from '../../domain/jobs/job.ts'
import { type ListedJob, listedJob } from '../directory.ts'
import type {
  AccountAnswer,
  AccountSummary,
  Admission,
  IdempotencyClaim,
  JobSnapshot,
  LedgerEntry,
  RequestIdentity,
  ReuseRequest,
  Started,
} from './calls.ts'
import { admit, checkStart, reuse } from './entry/admission.ts'
import { isCounted } from './entry/authenticated-request.ts'
import { claimIdempotency, freeIdempotency } from './entry/idempotency.ts'
import { findJobToJoin } from './entry/join.ts'
import { checkSuspension } from './entry/suspension.ts'
import { ForUploads } from './for-uploads.ts'
import { entries, totals } from './holds-and-ledger.ts'
import { failLiveJob, removeMedia } from './jobs/endings.ts'
import { jobSnapshot } from './jobs/job-snapshot.ts'
import * as attempts from './webhooks/attempts-and-retries.ts'
import { countFailed, type DeliveryFilter, listDeliveries } from './webhooks/delivery-rows.ts'
import type { ClaimedDelivery, Delivery } from './webhooks/webhook-delivery.ts'
import { liveSeeds, rotateSecret, type SecretSeed } from './webhooks/webhook-secrets.ts'

export interface PageRequest {
  /** The last id of the previous page. */
  before: string | null
  limit: number
}

/** The account's methods for API requests. Each result includes the state of the rate limit. */
export abstract class ForCallers extends ForUploads {
  /** For requests that need nothing else from the account. */
  authenticate(identity: RequestIdentity): Promise<AccountAnswer<null>> {
    return this.state.requests.read(identity, () => accepted(null))
  }

  /** For a request that makes other requests, which are counted. */
  checkKey(identity: RequestIdentity): Promise<AccountAnswer<null>> {
    return this.state.requests.checkKey(identity)
  }

  /** The jobs whose row in D1 is not the current one. */
  openJobs(identity: RequestIdentity): Promise<AccountAnswer<ListedJob[]>> {
    const { rows } = this.state
    return this.state.requests.read(identity, () => accepted(rows.readOpenJobs().map(listedJob)))
  }

  summary(identity: RequestIdentity): Promise<AccountAnswer<AccountSummary>> {
    const { rows } = this.state
    return this.state.requests.read(identity, () => {
      const { id, name, limits } = rows.account
      const failedDeliveries = countFailed(rows.sql)
      return accepted({ accountId: id, name, ...totals(rows), limits: limitsOf(limits), failedDeliveries })
    })
  }

  ledger(identity: RequestIdentity, page: PageRequest): Promise<AccountAnswer<LedgerEntry[]>> {
    return this.state.requests.read(identity, () => accepted(entries(this.state.rows.sql, page.before, page.limit)))
  }

  /** Counts only if the request ends here; otherwise its admission counts it. */
  claimIdempotency(identity: RequestIdentity, claim: IdempotencyClaim): Promise<AccountAnswer<Started | null>> {
    return this.state.requests.handle(identity, (now) => claimIdempotency(this.state.rows, claim, now), {
      counts: (result) => !result.ok || result.value !== null,
    })
  }

  freeIdempotency(key: string): Promise<void> {
    return this.state.clockwork.act(() => freeIdempotency(this.state.rows.sql, key))
  }

  /** Checks before the source is probed. Counts only if the request ends here; otherwise its admission counts it. */
  checkStart(identity: RequestIdentity, kind: JobKind): Promise<AccountAnswer<null>> {
    const check = (now: number) => checkStart(this.state.rows, kind, identity.endpoint, now)
    return this.state.requests.handle(identity, check, { counts: (result) => !result.ok && isCounted(result) })
  }

  /** Checks before a large body is read. Counts only if the request ends here; otherwise a later call counts it. */
  mayStart(identity: RequestIdentity): Promise<AccountAnswer<null>> {
    return this.state.requests.handle(identity, () => checkSuspension(this.state.rows), {
      counts: (result) => !result.ok && isCounted(result),
    })
  }

  /** null: no job can be joined. Counts only if the request ends here; otherwise its admission counts it. */
  join(identity: RequestIdentity, joinKey: string): Promise<AccountAnswer<Started | null>> {
    const find = (now: number) => {
      const jobId = findJobToJoin(this.state.rows, joinKey, now)
      return accepted(jobId === null ? null : { jobId, isReused: true })
    }
    return this.state.requests.handle(identity, find, { counts: (result) => !result.ok || result.value !== null })
  }

  /** For a start that is refused for its source: a suspended account must not learn whether a URL answers. */
  checkSuspension(identity: RequestIdentity): Promise<AccountAnswer<null>> {
    return this.state.requests.read(identity, () => checkSuspension(this.state.rows))
  }

  /** Counts only if the request ends here; otherwise its admission counts it. */
  reuse(identity: RequestIdentity, request: ReuseRequest): Promise<AccountAnswer<Started | null>> {
    return this.state.requests.handle(identity, (now) => reuse(this.state.rows, request, now), {
      counts: (result) => !result.ok || result.value !== null,
    })
  }

  admit(identity: RequestIdentity, request: Admission): Promise<AccountAnswer<Started>> {
    return this.state.requests.handle(identity, (now) => admit(this.state.rows, request, identity.endpoint, now))
  }

  /** `kind` null accepts both kinds. */
  read(identity: RequestIdentity, jobId: string, kind: JobKind | null): Promise<AccountAnswer<JobSnapshot>> {
    const { rows } = this.state
    return this.state.requests.read(identity, () => jobSnapshot(rows.readJob(jobId), rows.progress, kind))
  }

  /**
   * For a request that follows a job: whether it has changed since the version that the request has seen. Not counted:
   * the request itself was. null: the job is gone, or the key was revoked meanwhile.
   */
  changeSince(keyHash: string, jobId: string, seen: number): Promise<JobSnapshot | 'unchanged' | null> {
    const { rows, clockwork } = this.state
    return Promise.resolve(
      clockwork.read(() => {
        if (!rows.isLiveKey(keyHash)) return null
        if (rows.progress.versionOf(jobId) === seen) return 'unchanged'
        const found = jobSnapshot(rows.readJob(jobId), rows.progress, null)
        return found.ok ? found.value : null
      }),
    )
  }

  /** Cancels a live job. A job that has ended stays as it is. */
  cancel(identity: RequestIdentity, jobId: string): Promise<AccountAnswer<JobSnapshot>> {
    const { rows } = this.state
    return this.state.requests.handle(identity, (now) => {
      failLiveJob(rows, jobId, failure('CANCELED'), now)
      return jobSnapshot(rows.findJob(jobId), rows.progress, null)
    })
  }

  /** Cancels a live job, and removes the media of a completed one. The job's record stays. */
  remove(identity: RequestIdentity, jobId: string): Promise<AccountAnswer<JobSnapshot>> {
    const { rows } = this.state
    return this.state.requests.handle(identity, (now) => {
      if (!failLiveJob(rows, jobId, failure('CANCELED'), now)) removeMedia(rows, jobId, now)
      return jobSnapshot(rows.findJob(jobId), rows.progress, null)
    })
  }

  webhookSecrets(identity: RequestIdentity): Promise<AccountAnswer<SecretSeed[]>> {
    return this.state.requests.handle(identity, (now) => accepted(liveSeeds(this.state.rows.sql, now)))
  }

  rotateWebhookSecret(identity: RequestIdentity): Promise<AccountAnswer<SecretSeed[]>> {
    return this.state.requests.handle(identity, (now) => rotateSecret(this.state.rows.sql, identity.endpoint, now))
  }

  deliveries(identity: RequestIdentity, filter: DeliveryFilter, page: PageRequest): Promise<AccountAnswer<Delivery[]>> {
    return this.state.requests.read(identity, () => accepted(listDeliveries(this.state.rows.sql, filter, page)))
  }

  replay(identity: RequestIdentity, deliveryId: string): Promise<AccountAnswer<Delivery>> {
    return this.state.requests.handle(identity, (now) => {
      const replayed = attempts.replay(this.state.rows.sql, deliveryId, now)
      return replayed ? accepted(replayed) : refused('NOT_FOUND', {}, 'There is no delivery with this id.')
    })
  }

  replayFailed(identity: RequestIdentity, since: number): Promise<AccountAnswer<{ replayed: number; more: boolean }>> {
    return this.state.requests.handle(identity, (now) =>
      accepted(attempts.replayFailed(this.state.rows.sql, since, now)),
    )
  }

  beginWebhookTest(identity: RequestIdentity, url: string): Promise<AccountAnswer<ClaimedDelivery>> {
    const lease = crypto.randomUUID()
    return this.state.requests.handle(identity, (now) =>
      accepted(attempts.beginTest(this.state.rows.sql, url, lease, now)),
    )
  }
}
