import type { Job, Step } from '../../../domain/jobs/job.ts'
import type { AccountReport } from '../../../domain/metrics/account-report.ts'
import { backoffMs } from '../../../domain/retry.ts'
import { firstRow } from '../../sqlite.ts'
import type { AccountRow } from '../account-row.ts'
import { readJob, withoutJobLease } from '../jobs/job-rows.ts'
import type { BatchMessage } from '../queue-messages.ts'
import { Sequence } from './sequence.ts'

/**
 * Messages to queues, D1 and R2 are written in the transaction that causes them and sent right after its
 * commit, or by the alarm if that fails. A committed message is therefore always sent, and a rolled back one
 * never. Every message may be sent twice. What every job sends needs no row here: see job-messages.ts.
 */
export type OutboxMessage =
  /** For the deliver step of an ended job, which removes what is left in the caller's bucket. */
  | { kind: 'cleanup'; jobId: string }
  | { kind: 'delivery'; deliveryId: string }
  | { kind: 'discard'; objects: DiscardedObject[] }
  /** Writes the mark of removed media that a job still reads. */
  | { kind: 'withhold'; key: string }
  /** D1's copy of the account, for lists. Sent as it is then, because messages may arrive in another order. */
  | { kind: 'account' }
  /** Removes the job rows of D1 before a position, except those with the ids of `kept`. */
  | { kind: 'trim'; before: string; kept?: string[] }

export interface DiscardedObject {
  key: string
  uploadId: string | null
  /** Only the upload is aborted. */
  isObjectKept?: boolean
}

/** What D1's list of accounts has a copy of. */
export type ListedFacts = Pick<AccountRow, 'id' | 'name' | 'isSuspended' | 'totals'>

/** Where messages are sent. index.ts provides it, because an account knows no bindings. */
export interface OutboxTargets {
  /** `diskBytes`: what the step is known to need. */
  sendStep(accountId: string, job: Job, step: Step, diskBytes: number | null): Promise<void>
  sendDelivery(message: { accountId: string; deliveryId: string }): Promise<void>
  sendBatch(message: Omit<BatchMessage, 'v'>): Promise<void>
  /** Writes the job's row in D1, and reports to the metrics object. `report`: with the end of the job, if it has ended. */
  recordJob(accountId: string, job: Job, report: AccountReport): Promise<void>
  recordAccount(account: ListedFacts): Promise<void>
  /** The held money has changed. */
  reportHeld(report: AccountReport): Promise<void>
  removeJobs(accountId: string, before: string, kept: string[]): Promise<void>
  /** `isLastAbort`: uploads that cannot be aborted are left to R2. */
  discardMedia(objects: DiscardedObject[], isLastAbort: boolean): Promise<void>
  withholdMedia(key: string): Promise<void>
}

export const addToOutbox = (sql: SqlStorage, message: OutboxMessage, now: number): void => {
  sql.exec('INSERT INTO outbox (kind, body, due_at) VALUES (?, ?, ?)', message.kind, JSON.stringify(message), now)
}

/** What is due is being sent. The alarm looks again this much later, in case the object was evicted before. */
const LOOK_AGAIN_MS = 5_000

export const nextOutboxAt = (sql: SqlStorage, now: number): number | null => {
  const query = 'SELECT min(CASE WHEN due_at <= ?1 THEN ?1 + ?2 ELSE due_at END) AS at FROM outbox'
  return firstRow<{ at: number | null }>(sql, query, now, LOOK_AGAIN_MS)?.at ?? null
}

/**
 * Messages of one line are sent in order, one at a time, because a mark that is written must not follow its removal. No
 * line waits for another: D1 and R2 may hang, and webhooks do not wait for them.
 */
const lineOf = {
  cleanup: 'queues',
  delivery: 'queues',
  discard: 'media',
  withhold: 'media',
  account: 'lists',
  trim: 'lists',
} as const satisfies Record<OutboxMessage['kind'], string>

export type OutboxLine = (typeof lineOf)[OutboxMessage['kind']]

/** As SQL. */
const kindsIn = (line: OutboxLine): string =>
  Object.entries(lineOf)
    .flatMap(([kind, other]) => (other === line ? `'${kind}'` : []))
    .join()

const BATCH = 50
/** About an hour. R2 does not always say that an upload is gone, and it removes unfinished ones after seven days itself. */
const MAX_ABORTS = 20
export const retryBackoff = { firstMs: 1_000, longestMs: 300_000 }

interface OutboxRow {
  seq: number
  attempts: number
  message: OutboxMessage
}

/** A message that fails is retried later and does not block the others. */
export class OutboxSender {
  readonly #sql: SqlStorage
  readonly #targets: OutboxTargets
  readonly #account: () => ListedFacts
  readonly #flushes = { queues: new Sequence(), media: new Sequence(), lists: new Sequence() }

  constructor(sql: SqlStorage, targets: OutboxTargets, account: () => ListedFacts) {
    this.#sql = sql
    this.#targets = targets
    this.#account = account
  }

  /** Resolves when every message of the line that was due at the call has been tried: with whether there was any. */
  flush(line: OutboxLine): Promise<boolean> {
    return this.#flushes[line].run(() => this.#sendAllDue(kindsIn(line)))
  }

  async #sendAllDue(kinds: string): Promise<boolean> {
    let isAny = false
    for (let rows = this.#due(kinds); rows.length > 0; rows = this.#due(kinds)) {
      isAny = true
      for (const row of rows) await this.#trySend(row)
    }
    return isAny
  }

  /** Usually nothing is due, and this query costs a tenth of the one for a line. */
  #isAnyDue(now: number): boolean {
    return firstRow(this.#sql, 'SELECT 1 FROM outbox WHERE due_at <= ? LIMIT 1', now) !== undefined
  }

  #due(kinds: string): OutboxRow[] {
    const now = Date.now()
    if (!this.#isAnyDue(now)) return []
    return this.#sql
      .exec<{ seq: number; attempts: number; body: string }>(
        `SELECT seq, attempts, body FROM outbox WHERE due_at <= ? AND kind IN (${kinds}) ORDER BY seq LIMIT ?`,
        now,
        BATCH,
      )
      .toArray()
      .map(({ seq, attempts, body }) => ({ seq, attempts, message: JSON.parse(body) as OutboxMessage }))
  }

  async #trySend({ seq, attempts, message }: OutboxRow): Promise<void> {
    try {
      await this.#send(message, attempts + 1)
      this.#sql.exec('DELETE FROM outbox WHERE seq = ?', seq)
    } catch (cause) {
      console.error('outbox', message.kind, attempts, cause)
      const dueAt = Date.now() + backoffMs(attempts + 1, retryBackoff)
      this.#sql.exec('UPDATE outbox SET attempts = attempts + 1, due_at = ? WHERE seq = ?', dueAt, seq)
    }
  }

  async #send(message: OutboxMessage, attempt: number): Promise<void> {
    const { id: accountId, ...account } = this.#account()
    if (message.kind === 'delivery') return this.#targets.sendDelivery({ accountId, deliveryId: message.deliveryId })
    if (message.kind === 'discard') return this.#targets.discardMedia(message.objects, attempt >= MAX_ABORTS)
    if (message.kind === 'withhold') return this.#targets.withholdMedia(message.key)
    if (message.kind === 'account') return this.#targets.recordAccount({ id: accountId, ...account })
    if (message.kind === 'trim') return this.#targets.removeJobs(accountId, message.before, message.kept ?? [])
    const job = readJob(this.#sql, message.jobId)
    if (job) return this.#targets.sendStep(accountId, withoutJobLease(job), 'deliver', null)
  }
}
