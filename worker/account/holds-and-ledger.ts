import { newId } from '../../domain/ids.ts'
import { type Micros, max, micros, min, minus, negative, zero } from '../../domain/money/money.ts'
import type { AccountTotals, LedgerEntry, LedgerEntryKind } from './calls.ts'
import { firstRow } from './sqlite.ts'

/**
 * Two sums hold after every act: credits + charges = balance, and credits + holds + releases = available.
 * A charge is taken out of its job's hold, so it moves the balance and leaves what is available as it was.
 */
export const totals = (sql: SqlStorage): AccountTotals => {
  const row = sql
    .exec<{ balance_micros: number; held_micros: number }>('SELECT balance_micros, held_micros FROM account')
    .one()
  const balance = micros(row.balance_micros)
  const held = micros(row.held_micros)
  return { balance, held, available: minus(balance, held) }
}

/** The amount credited for the reference, and whether this call credited it. A repeated call credits nothing. */
export interface Credited {
  amount: Micros
  isNew: boolean
}

export const credit = (sql: SqlStorage, amount: Micros, reference: string | null, now: number): Credited => {
  const known = reference === null ? null : creditedFor(sql, reference)
  if (known !== null) return { amount: known, isNew: false }
  addEntry(sql, { kind: 'credit', amount, jobId: null, reference, now })
  sql.exec('UPDATE account SET balance_micros = balance_micros + ?', amount)
  return { amount, isNew: true }
}

const creditedFor = (sql: SqlStorage, reference: string): Micros | null => {
  const row = firstRow<{ amount_micros: number }>(
    sql,
    'SELECT amount_micros FROM ledger WHERE reference = ?',
    reference,
  )
  return row ? micros(row.amount_micros) : null
}

export const heldFor = (sql: SqlStorage, jobId: string): Micros | null => {
  const row = firstRow<{ amount_micros: number }>(sql, 'SELECT amount_micros FROM holds WHERE job_id = ?', jobId)
  return row ? micros(row.amount_micros) : null
}

export const openHold = (sql: SqlStorage, jobId: string, amount: Micros, now: number): boolean => {
  if (totals(sql).available < amount) return false
  sql.exec('INSERT INTO holds VALUES (?, ?)', jobId, 0)
  addToHold(sql, jobId, amount, now)
  return true
}

/** Growing in steps of ten cents keeps a large download from writing an entry a second. */
const HOLD_STEP = 100_000

/**
 * Grows the hold to cover `needed`, and as much of `wanted` as the balance allows. False, and nothing written, when it
 * does not allow `needed`.
 */
export const growHold = (
  sql: SqlStorage,
  jobId: string,
  needed: Micros,
  now: number,
  wanted: Micros = needed,
): boolean => {
  const held = heldFor(sql, jobId)
  if (held === null) return false
  const target = max(needed, wanted)
  if (target <= held) return true
  const room = totals(sql).available
  if (needed - held > room) return false
  const comfortable = micros(Math.ceil(target / HOLD_STEP) * HOLD_STEP)
  const growth = comfortable - held <= room ? minus(comfortable, held) : min(minus(target, held), room)
  addToHold(sql, jobId, growth, now)
  return true
}

/** Ends the hold with a charge of at most its amount. A second call finds no hold and changes nothing. */
export const settle = (sql: SqlStorage, jobId: string, charge: Micros, now: number): Micros => {
  const held = heldFor(sql, jobId)
  if (held === null) return zero
  // Never more than was held: a larger charge would be our fault and not the caller's debt.
  const charged = charge < held ? max(charge, zero) : held
  sql.exec('DELETE FROM holds WHERE job_id = ?', jobId)
  sql.exec('UPDATE account SET held_micros = held_micros - ?, balance_micros = balance_micros - ?', held, charged)
  if (charged > 0) addEntry(sql, { kind: 'charge', amount: negative(charged), jobId, now })
  if (held > charged) addEntry(sql, { kind: 'release', amount: minus(held, charged), jobId, now })
  return charged
}

export const releaseHold = (sql: SqlStorage, jobId: string, now: number): void => {
  settle(sql, jobId, zero, now)
}

/** Newest first; the cursor is the last id of the page before. */
export const entries = (sql: SqlStorage, before: string | null, limit: number): LedgerEntry[] =>
  sql
    .exec<{ id: string; kind: LedgerEntryKind; amount_micros: number; job_id: string | null; at: number }>(
      'SELECT id, kind, amount_micros, job_id, at FROM ledger WHERE ? IS NULL OR id < ? ORDER BY id DESC LIMIT ?',
      before,
      before,
      limit,
    )
    .toArray()
    .map((row) => ({ id: row.id, kind: row.kind, amount: micros(row.amount_micros), jobId: row.job_id, at: row.at }))

const addToHold = (sql: SqlStorage, jobId: string, amount: Micros, now: number): void => {
  if (amount === 0) return
  sql.exec('UPDATE holds SET amount_micros = amount_micros + ? WHERE job_id = ?', amount, jobId)
  sql.exec('UPDATE account SET held_micros = held_micros + ?', amount)
  addEntry(sql, { kind: 'hold', amount: negative(amount), jobId, now })
}

interface NewEntry {
  kind: LedgerEntryKind
  amount: Micros
  jobId: string | null
  reference?: string | null
  now: number
}

const addEntry = (sql: SqlStorage, { kind, amount, jobId, reference = null, now }: NewEntry): void => {
  sql.exec('INSERT INTO ledger VALUES (?, ?, ?, ?, ?, ?)', nextEntryId(sql, now), kind, amount, jobId, reference, now)
}

/** Ids are the order of the ledger, so two of the same millisecond must not swap places. */
const nextEntryId = (sql: SqlStorage, now: number): string => {
  const last = firstRow<{ id: string }>(sql, 'SELECT id FROM ledger ORDER BY id DESC LIMIT 1')?.id ?? ''
  let id = newId('entry', now)
  while (id <= last) id = newId('entry', ++now)
  return id
}
