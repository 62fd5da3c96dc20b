import type { Admission, Answer, Entry, IdempotencyClaim, Pass, Sighting, Started, Summary } from '../domain/calls.ts'
import { failure } from '../domain/codes/failures.ts'
import { accepted, refused } from '../domain/codes/refusals.ts'
import type { JobKind } from '../domain/jobs/job.ts'
import type { ClaimedDelivery, Delivery, SecretSeed } from '../domain/webhooks/deliveries.ts'
import { admit, claimIdempotency, room } from './entry/admission.ts'
import { free } from './entry/idempotency.ts'
import { identity } from './entry/identity.ts'
import { isLiveKey } from './entry/keys.ts'
import { ForOperators } from './for-operators.ts'
import { giveUp, removeMedia } from './jobs/endings.ts'
import { isNews, sighting } from './jobs/sightings.ts'
import { entries, totals } from './ledger.ts'
import * as attempts from './webhooks/attempts.ts'
import { countFailed, type DeliveryFilter, listDeliveries } from './webhooks/deliveries.ts'
import { liveSeeds, rotateSecret } from './webhooks/webhook-secrets.ts'

interface Page {
  before: string | null
  limit: number
}

/** What callers may ask of their account. Each answer carries the state of the window that it counted in. */
export abstract class ForCallers extends ForOperators {
  enter(pass: Pass): Promise<Answer<null>> {
    return this.books.gate.answer(pass, () => accepted(null))
  }

  summary(pass: Pass): Promise<Answer<Summary>> {
    return this.books.gate.answer(pass, () => {
      const { id, name } = identity(this.books.sql)
      return accepted({ accountId: id, name, ...totals(this.books.sql), failedDeliveries: countFailed(this.books.sql) })
    })
  }

  ledger(pass: Pass, page: Page): Promise<Answer<Entry[]>> {
    return this.books.gate.answer(pass, () => accepted(entries(this.books.sql, page.before, page.limit)))
  }

  /** Counts only when it is the answer: the request that goes on is counted by its admission. */
  claimIdempotency(pass: Pass, claim: IdempotencyClaim): Promise<Answer<Started | null>> {
    return this.books.gate.answer(pass, (now) => claimIdempotency(this.books.sql, claim, now), {
      counts: (result) => !result.ok || result.value !== null,
    })
  }

  freeIdempotency(key: string): Promise<void> {
    return this.books.clockwork.act(() => free(this.books.sql, key))
  }

  /** Whether a start would be refused whatever it asks for. Counts only when it is the answer, as above. */
  mayStart(pass: Pass, kind: JobKind): Promise<Answer<null>> {
    return this.books.gate.answer(pass, (now) => room(this.books.sql, kind, pass.endpoint, now), {
      counts: () => false,
    })
  }

  admit(pass: Pass, request: Admission): Promise<Answer<Started>> {
    return this.books.gate.answer(pass, (now) => admit(this.books.sql, request, pass.endpoint, now))
  }

  /** `kind` null takes either. */
  read(pass: Pass, jobId: string, kind: JobKind | null): Promise<Answer<Sighting>> {
    return this.books.gate.answer(pass, () => sighting(this.books, jobId, kind))
  }

  /** Waits for the job to move past the version `seen`, or to end; with `seen` null, for its end alone. */
  async follow(keyHash: string, jobId: string, seen: number | null, waitMs: number): Promise<Sighting | null> {
    const until = Date.now() + waitMs
    for (;;) {
      // A key that was revoked meanwhile sees nothing more.
      if (!isLiveKey(this.books.sql, keyHash)) return null
      const found = sighting(this.books, jobId, null)
      if (!found.ok) return null
      if (isNews(found.value, seen) || Date.now() >= until) return found.value
      await this.books.watch.news(jobId, until - Date.now())
    }
  }

  /** A live job is canceled, a finished one loses its media. Either way its record stays. */
  remove(pass: Pass, jobId: string): Promise<Answer<Sighting>> {
    return this.books.gate.answer(pass, (now) => {
      const canceled = giveUp(this.books.sql, jobId, failure('CANCELED'), now)
      if (canceled) this.books.watch.ended(jobId)
      else removeMedia(this.books.sql, jobId, now)
      return sighting(this.books, jobId, null)
    })
  }

  webhookSecrets(pass: Pass): Promise<Answer<SecretSeed[]>> {
    return this.books.gate.answer(pass, (now) => accepted(liveSeeds(this.books.sql, now)))
  }

  rotateWebhookSecret(pass: Pass): Promise<Answer<SecretSeed[]>> {
    return this.books.gate.answer(pass, (now) => rotateSecret(this.books.sql, pass.endpoint, now))
  }

  deliveries(pass: Pass, filter: DeliveryFilter, page: Page): Promise<Answer<Delivery[]>> {
    return this.books.gate.answer(pass, () => accepted(listDeliveries(this.books.sql, filter, page)))
  }

  replay(pass: Pass, deliveryId: string): Promise<Answer<Delivery>> {
    return this.books.gate.answer(pass, (now) => {
      const replayed = attempts.replay(this.books.sql, deliveryId, now)
      return replayed ? accepted(replayed) : refused('NOT_FOUND', {}, 'There is no delivery with this id.')
    })
  }

  replayFailed(pass: Pass, since: number): Promise<Answer<{ replayed: number; more: boolean }>> {
    return this.books.gate.answer(pass, (now) => accepted(attempts.replayFailed(this.books.sql, since, now)))
  }

  beginWebhookTest(pass: Pass, url: string): Promise<Answer<ClaimedDelivery>> {
    const lease = crypto.randomUUID()
    return this.books.gate.answer(pass, (now) => accepted(attempts.beginTest(this.books.sql, url, lease, now)))
  }
}
