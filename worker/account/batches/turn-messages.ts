import { RESEND_MS } from '../../../domain/limits.ts'
import { backoffMs } from '../../../domain/retry.ts'
import type { AccountRows } from '../account-rows.ts'
import { type OutboxTargets, retryBackoff } from '../clockwork/outbox.ts'
import { Sequence } from '../clockwork/sequence.ts'
import { freeWorkAgainAt } from '../entry/free-work.ts'
import type { Turn } from './open-batch.ts'
import { turnEndsAt } from './turns.ts'

interface Sent {
  /** The turn as it was sent. A listing that failed is due again at another time. */
  dueAt: number
  againAt: number
  failures: number
}

const never = Number.POSITIVE_INFINITY

/**
 * The messages of turns. A turn itself says that its message is to be sent; that it was sent is kept in memory and costs no
 * row, so it may be sent again after an eviction of the object. It is sent again until its check is done.
 */
export class TurnMessages {
  readonly #rows: AccountRows
  readonly #targets: OutboxTargets
  readonly #sent = new Map<string, Sent>()
  readonly #flushes = new Sequence()

  constructor(rows: AccountRows, targets: OutboxTargets) {
    this.#rows = rows
    this.#targets = targets
  }

  /** When the alarm sends a message, or ends a turn whose work was not done. */
  nextAt(now: number): number {
    const { isSuspended, turns, openBatches } = this.#rows.account
    if (isSuspended) return never
    const startsAt = openBatches.length > 0 ? freeWorkAgainAt(this.#rows, now) : null
    const times = turns.flatMap((turn) => {
      const at = this.#messageAt(turn)
      return [at <= now ? now + RESEND_MS : at, turnEndsAt(this.#rows, turn) ?? never]
    })
    return Math.min(startsAt ?? never, ...times)
  }

  /** Resolves when everything that was due at the call has been tried. */
  flush(): Promise<void> {
    return this.#flushes.run(() => this.#sendAllDue())
  }

  async #sendAllDue(): Promise<void> {
    const { account } = this.#rows
    for (const lease of this.#sent.keys()) {
      if (!account.turns.some((turn) => turn.lease === lease)) this.#sent.delete(lease)
    }
    for (const turn of account.isSuspended ? [] : account.turns) {
      if (this.#messageAt(turn) <= Date.now()) await this.#send(turn)
    }
  }

  #isChecked({ lease }: Turn): boolean {
    return this.#rows.checks.get(lease)?.admission != null
  }

  #messageAt(turn: Turn): number {
    if (this.#isChecked(turn)) return never
    const sent = this.#sent.get(turn.lease)
    const at = sent?.dueAt === turn.dueAt ? sent.againAt : turn.dueAt
    return Math.max(at, this.#rows.checks.get(turn.lease)?.claimedUntil ?? 0)
  }

  async #send({ batchId, index, lease, dueAt }: Turn): Promise<void> {
    const before = this.#sent.get(lease)
    try {
      await this.#targets.sendBatch({ accountId: this.#rows.account.id, batchId, index })
      this.#sent.set(lease, { dueAt, againAt: Date.now() + RESEND_MS, failures: 0 })
    } catch (cause) {
      const failures = (before?.failures ?? 0) + 1
      console.error('message of a batch', batchId, index, failures, cause)
      this.#sent.set(lease, { dueAt, againAt: Date.now() + backoffMs(failures, retryBackoff), failures })
    }
  }
}
