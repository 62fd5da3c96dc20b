import { type Failure, failure } from '../../domain/codes/failures.ts'
import { newId } from '../../domain/ids.ts'
import { type Micros, max, micros, min, minus, negative, sum, zero } from '../../domain/money/money.ts'
import { firstValue } from '../sqlite.ts'
import type { AccountRows } from './account-rows.ts'
import { leftOfCeiling } from './batches/live-items.ts'
import type { AccountTotals, LedgerEntry } from './calls.ts'
import type { JobRow } from './jobs/job-rows.ts'
import { leftOfBudget, noteSpent } from './keys/budgets.ts'

/**
 * Two sums hold after every act: credits + charges = balance, and credits + holds + releases = available. A charge is
 * taken out of its job's hold, so it leaves what is available as it was.
 */
export const totals = ({ account: { balance, held } }: AccountRows): AccountTotals => ({
  balance,
  held,
  available: minus(balance, held),
})

/** The amount credited for the reference, and whether this call credited it. A repeated call credits nothing. */
export const credit = (rows: AccountRows, amount: Micros, reference: string | null, now: number) => {
  const known = reference === null ? null : creditedFor(rows.sql, reference)
  if (known !== null) return { amount: known, isNew: false }
  addEntry(rows.sql, { kind: 'credit', amount, jobId: null, reference, now })
  rows.account.balance = sum(rows.account.balance, amount)
  return { amount, isNew: true }
}

const creditedFor = (sql: SqlStorage, reference: string): Micros | null => {
  const query = `SELECT amount_micros FROM ledger WHERE reference = ?1
    UNION ALL SELECT amount_micros FROM credit_references WHERE reference = ?1`
  const amount = firstValue<number>(sql, query, reference)
  return amount === null ? null : micros(amount)
}

/** Growing in steps of ten cents keeps a large download from writing an entry a second. */
const HOLD_STEP = 100_000

/** Covers `needed`, and as much of `wanted` as there is money for. A failure: nothing was held. */
export const growHold = (
  rows: AccountRows,
  job: JobRow,
  needed: Micros,
  now: number,
  wanted: Micros = needed,
): Failure | null => {
  const { held } = job
  if (held === null) return failure('INSUFFICIENT_BALANCE')
  const target = max(needed, wanted)
  if (target <= held) return null
  const { available } = totals(rows)
  const batch = job.batch && rows.batches.find(job.batch.id)
  const ceiling = batch ? leftOfCeiling(rows, batch, now) : Number.POSITIVE_INFINITY
  const budget = leftOfBudget(rows, job.keyId, now)
  if (needed - held > ceiling) return failure('MAX_COST_EXCEEDED')
  if (needed - held > available) return failure('INSUFFICIENT_BALANCE')
  if (needed - held > budget) return failure('KEY_BUDGET_EXCEEDED')
  const room = micros(Math.min(ceiling, available, budget))
  const comfortable = micros(Math.ceil(target / HOLD_STEP) * HOLD_STEP)
  const growth = comfortable - held <= room ? minus(comfortable, held) : min(minus(target, held), room)
  addToHold(rows, job, growth, now)
  return null
}

/** Ends the hold with a charge of at most its amount. A second call finds no hold and changes nothing. */
export const settle = (rows: AccountRows, job: JobRow, charge: Micros, now: number): Micros => {
  const { held } = job
  if (held === null) return zero
  // Never more than was held: a larger charge would be our fault and not the caller's debt.
  const charged = charge < held ? max(charge, zero) : held
  job.held = null
  rows.account.held = minus(rows.account.held, held)
  rows.account.balance = minus(rows.account.balance, charged)
  noteSpent(rows, job, charged, now)
  const { id: jobId, keyId } = job
  if (charged > 0) addEntry(rows.sql, { kind: 'charge', amount: negative(charged), jobId, keyId, now })
  if (held > charged) addEntry(rows.sql, { kind: 'release', amount: minus(held, charged), jobId, keyId, now })
  return charged
}

export const entries = (sql: SqlStorage, before: string | null, limit: number): LedgerEntry[] =>
  sql
    .exec<LedgerEntry>(
      `SELECT id, kind, amount_micros AS amount, job_id AS jobId, key_id AS keyId, at FROM ledger
        WHERE ?1 IS NULL OR id < ?1 ORDER BY id DESC LIMIT ?2`,
      before,
      limit,
    )
    .toArray()

/** The caller has checked that the amount is available. */
export const addToHold = (rows: AccountRows, job: JobRow, amount: Micros, now: number): void => {
  if (amount === 0) return
  job.held = sum(job.held ?? zero, amount)
  rows.account.held = sum(rows.account.held, amount)
  addEntry(rows.sql, { kind: 'hold', amount: negative(amount), jobId: job.id, keyId: job.keyId, now })
}

interface NewEntry extends Pick<LedgerEntry, 'kind' | 'amount' | 'jobId'> {
  keyId?: string | null
  reference?: string | null
  now: number
}

const addEntry = (sql: SqlStorage, { kind, amount, jobId, keyId = null, reference = null, now }: NewEntry): void => {
  sql.exec(
    'INSERT INTO ledger (id, kind, amount_micros, job_id, key_id, reference, at) VALUES (?, ?, ?, ?, ?, ?, ?)',
    ...[nextEntryId(sql, now), kind, amount, jobId, keyId, reference, now],
  )
}

/** Ids are the order of the ledger, so two of the same millisecond must not change their order. */
const nextEntryId = (sql: SqlStorage, now: number): string => {
  const last = firstValue<string>(sql, 'SELECT max(id) FROM ledger') ?? ''
  let id = newId('entry', now)
  while (id <= last) id = newId('entry', ++now)
  return id
}

/**
 * The entries of a month wholly before `keptFrom` become one for each kind, in the place of the last of them, so the
 * two sums stay. References of credits are kept, because a repeated one must credit nothing however late it comes.
 */
export const rollUpMonths = (sql: SqlStorage, keptFrom: number): void => {
  const day = new Date(keptFrom)
  const before = Date.UTC(day.getUTCFullYear(), day.getUTCMonth())
  const months = sql
    .exec<{ month: string; kind: string; amount: number; last: string }>(
      `SELECT ${monthOf} AS month, kind, sum(amount_micros) AS amount, max(id) AS last FROM ledger
        WHERE at < ? GROUP BY month, kind HAVING count(*) > 1`,
      before,
    )
    .toArray()
  for (const { month, kind, amount, last } of months) {
    sql.exec(
      `INSERT INTO credit_references (reference, amount_micros) SELECT reference, amount_micros FROM ledger
        WHERE reference IS NOT NULL AND kind = ? AND ${monthOf} = ?`,
      kind,
      month,
    )
    sql.exec(`DELETE FROM ledger WHERE kind = ? AND ${monthOf} = ? AND id <> ?`, kind, month, last)
    sql.exec(
      'UPDATE ledger SET amount_micros = ?, job_id = NULL, key_id = NULL, reference = NULL WHERE id = ?',
      amount,
      last,
    )
  }
}

const monthOf = "strftime('%Y-%m', at / 1000, 'unixepoch')"
