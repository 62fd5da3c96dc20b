import { failure } from '../../domain/codes/failures.ts'
import { accepted, refused } from '../../domain/codes/refusals.ts'
import type { JobKind } from '../../domain/jobs/job.ts'
import type {
  AccountAnswer,
  AccountSummary,
  Admission,
  IdempotencyClaim,
  JobSnapshot,
  LedgerEntry,
  RequestIdentity,
  Started,
} from './calls.ts'
import { admit, checkConcurrency } from './entry/admission.ts'
import { isLiveKey, readAccount } from './entry/authenticated-request.ts'
import { claimIdempotency, freeIdempotency } from './entry/idempotency.ts'
import { ForOperators } from './for-operators.ts'
import { entries, totals } from './holds-and-ledger.ts'
import { failLiveJob, removeMedia } from './jobs/endings.ts'
import { hasChanged, jobSnapshot } from './jobs/job-watchers.ts'
import * as attempts from './webhooks/attempts-and-retries.ts'
import { countFailed, type DeliveryFilter, listDeliveries } from './webhooks/delivery-rows.ts'
import type { ClaimedDelivery, Delivery } from './webhooks/webhook-delivery.ts'
import { liveSeeds, rotateSecret, type SecretSeed } from './webhooks/webhook-secrets.ts'

interface PageRequest {
  /** The last id of the previous page. */
  before: string | null
  limit: number
}

/** The account's methods for API requests. Each result includes the state of the rate limit. */
export abstract class ForCallers extends ForOperators {
  /** For requests that need nothing else from the account. */
  authenticate(identity: RequestIdentity): Promise<AccountAnswer<null>> {
    return this.state.requests.handle(identity, () => accepted(null))
  }

  summary(identity: RequestIdentity): Promise<AccountAnswer<AccountSummary>> {
    return this.state.requests.handle(identity, () => {
      const { sql } = this.state
      const { id, name } = readAccount(sql)
      return accepted({ accountId: id, name, ...totals(sql), failedDeliveries: countFailed(sql) })
    })
  }

  ledger(identity: RequestIdentity, page: PageRequest): Promise<AccountAnswer<LedgerEntry[]>> {
    return this.state.requests.handle(identity, () => accepted(entries(this.state.sql, page.before, page.limit)))
  }

  /** Counts only if the request ends here; otherwise its admission counts it. */
  claimIdempotency(identity: RequestIdentity, claim: IdempotencyClaim): Promise<AccountAnswer<Started | null>> {
    return this.state.requests.handle(identity, (now) => claimIdempotency(this.state.sql, claim, now), {
      counts: (result) => !result.ok || result.value !== null,
    })
  }

  freeIdempotency(key: string): Promise<void> {
    return this.state.clockwork.act(() => freeIdempotency(this.state.sql, key))
  }

  /** Checks the concurrency limit before the source is probed. Never counts: admission counts, and a 429 does not. */
  checkConcurrency(identity: RequestIdentity, kind: JobKind): Promise<AccountAnswer<null>> {
    const check = (now: number) => checkConcurrency(this.state.sql, kind, identity.endpoint, now)
    return this.state.requests.handle(identity, check, { counts: () => false })
  }

  admit(identity: RequestIdentity, request: Admission): Promise<AccountAnswer<Started>> {
    return this.state.requests.handle(identity, (now) => admit(this.state.sql, request, identity.endpoint, now))
  }

  /** `kind` null accepts both kinds. */
  read(identity: RequestIdentity, jobId: string, kind: JobKind | null): Promise<AccountAnswer<JobSnapshot>> {
    return this.state.requests.handle(identity, () => jobSnapshot(this.state, jobId, kind))
  }

  /** Waits until the job's version is above `seen`, or the job ends. `seen` null waits only for the end. */
  async follow(keyHash: string, jobId: string, seen: number | null, waitMs: number): Promise<JobSnapshot | null> {
    const until = Date.now() + waitMs
    for (;;) {
      // Checked on every change, because the key may be revoked while the request waits.
      if (!isLiveKey(this.state.sql, keyHash)) return null
      const found = jobSnapshot(this.state, jobId, null)
      if (!found.ok) return null
      if (hasChanged(found.value, seen) || Date.now() >= until) return found.value
      await this.state.watchers.waitForChange(jobId, until - Date.now())
    }
  }

  /** Cancels a live job, and removes the media of a completed one. The job's record stays. */
  remove(identity: RequestIdentity, jobId: string): Promise<AccountAnswer<JobSnapshot>> {
    return this.state.requests.handle(identity, (now) => {
      const canceled = failLiveJob(this.state.sql, jobId, failure('CANCELED'), now)
      if (canceled) this.state.watchers.stepEnded(jobId)
      else removeMedia(this.state.sql, jobId, now)
      return jobSnapshot(this.state, jobId, null)
    })
  }

  webhookSecrets(identity: RequestIdentity): Promise<AccountAnswer<SecretSeed[]>> {
    return this.state.requests.handle(identity, (now) => accepted(liveSeeds(this.state.sql, now)))
  }

  rotateWebhookSecret(identity: RequestIdentity): Promise<AccountAnswer<SecretSeed[]>> {
    return this.state.requests.handle(identity, (now) => rotateSecret(this.state.sql, identity.endpoint, now))
  }

  deliveries(identity: RequestIdentity, filter: DeliveryFilter, page: PageRequest): Promise<AccountAnswer<Delivery[]>> {
    return this.state.requests.handle(identity, () => accepted(listDeliveries(this.state.sql, filter, page)))
  }

  replay(identity: RequestIdentity, deliveryId: string): Promise<AccountAnswer<Delivery>> {
    return this.state.requests.handle(identity, (now) => {
      const replayed = attempts.replay(this.state.sql, deliveryId, now)
      return replayed ? accepted(replayed) : refused('NOT_FOUND', {}, 'There is no delivery with this id.')
    })
  }

  replayFailed(identity: RequestIdentity, since: number): Promise<AccountAnswer<{ replayed: number; more: boolean }>> {
    return this.state.requests.handle(identity, (now) => accepted(attempts.replayFailed(this.state.sql, since, now)))
  }

  beginWebhookTest(identity: RequestIdentity, url: string): Promise<AccountAnswer<ClaimedDelivery>> {
    const lease = crypto.randomUUID()
    return this.state.requests.handle(identity, (now) => accepted(attempts.beginTest(this.state.sql, url, lease, now)))
  }
}
