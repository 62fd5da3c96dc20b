import type { JobKind } from '../../../domain/jobs/job.ts'
import { JOB_DEADLINE_MS, MAX_ATTEMPTS } from '../../../domain/limits.ts'
import { MINUTE_MS } from '../../../domain/time.ts'
import type { AccountRow, OpenBatch, Turn } from '../account-row.ts'
import type { AccountRows } from '../account-rows.ts'
import { dueAt, schedule, unschedule } from '../due/due-rows.ts'
import { freeWorkAgainAt } from '../requests/free-work.ts'

/** A check takes a few seconds, and a listing may take minutes. */
const CLAIM_MS = MINUTE_MS
const LISTING_CLAIM_MS = 5 * MINUTE_MS

export interface TurnReport {
  batchId: string
  /** Absent: the turn is a listing. */
  index?: number
  lease: string
}

/** null: another report was first, or the batch has ended. */
export const findTurn = ({ account }: AccountRows, { batchId, index, lease }: TurnReport): Turn | null =>
  account.turns.find((turn) => turn.batchId === batchId && turn.index === (index ?? null) && turn.lease === lease) ??
  null

export const claimTurn = (rows: AccountRows, batchId: string, index: number | null, now: number): Turn | null => {
  const { account } = rows
  const turn = account.turns.find((each) => each.batchId === batchId && each.index === index)
  if (!turn || turn.admission || account.isSuspended || turn.dueAt > now) return null
  const claimedUntil = now + (index === null ? LISTING_CLAIM_MS : CLAIM_MS)
  changeTurn(rows, turn, { dueAt: claimedUntil, messageAt: claimedUntil })
  scheduleTurns(rows, now)
  return turn
}

/** A turn whose work was not done within the time of a job fails its item or its batch. */
const TURN_TIME_MS = JOB_DEADLINE_MS

/** null: it is checked and waits for a slot. */
export const turnEndsAt = ({ admission, since }: Turn): number | null => (admission ? null : since + TURN_TIME_MS)

export const changeOpenBatch = (
  { account }: AccountRows,
  id: string,
  changes: (batch: OpenBatch) => Partial<OpenBatch>,
): void => {
  account.openBatches = account.openBatches.map((open) => (open.id === id ? { ...open, ...changes(open) } : open))
}

export const changeTurn = ({ account }: AccountRows, turn: Turn, changes: Partial<Turn>): void => {
  account.turns = account.turns.map((each) => (each.lease === turn.lease ? { ...each, ...changes } : each))
}

/** Called when the work of a turn has failed. False: no attempt is left. */
export const retryTurn = (rows: AccountRows, turn: Turn, delayMs: number, now: number): boolean => {
  const attempts = turn.attempts + 1
  if (attempts >= MAX_ATTEMPTS) return false
  changeTurn(rows, turn, { attempts, dueAt: now + delayMs, messageAt: now + delayMs })
  scheduleTurns(rows, now)
  return true
}

/** When messages of turns are to be sent, when a turn's time is over, or when free work is left again for which items wait. */
export const nextTurnAt = (rows: AccountRows, now: number): number | null => {
  const { isSuspended, turns, openBatches } = rows.account
  if (isSuspended || openBatches.length === 0) return null
  const budgets = (['full', 'limited'] as const).flatMap((pool) => freeWorkAgainAt(rows, pool, 'jobs') ?? [])
  const ofTurn = (turn: Turn): number[] => {
    const endsAt = turnEndsAt(turn)
    return endsAt === null ? [] : [turn.messageAt, endsAt]
  }
  const times = [...turns.flatMap(ofTurn), ...budgets.filter((at) => at > now)]
  return times.length > 0 ? Math.min(...times) : null
}

/** One row of what is due serves all turns. Called by every act that changes them. */
export const scheduleTurns = (rows: AccountRows, now: number): void => {
  const at = nextTurnAt(rows, now)
  if (at === dueAt(rows.sql, 'turns')) return
  if (at === null) unschedule(rows.sql, 'turns')
  else schedule(rows.sql, 'turns', 'turns', at)
}

const addTurn = (account: AccountRow, { id, kind }: OpenBatch, index: number | null, now: number): void => {
  const lease = crypto.randomUUID()
  const turn = { batchId: id, kind, index, lease, since: now, dueAt: now, messageAt: now, attempts: 0 }
  account.turns = [...account.turns, turn]
}

export const endTurn = ({ account }: AccountRows, { lease }: Turn): void => {
  account.turns = account.turns.filter((turn) => turn.lease !== lease)
}

export const endTurnsOf = (rows: AccountRows, batchId: string): void => {
  for (const turn of rows.account.turns) if (turn.batchId === batchId) endTurn(rows, turn)
}

type MayWork = (batch: OpenBatch) => boolean

/** One batch after the other: a batch that got a turn goes to the end of the list. */
export const handOutTurns = (
  account: AccountRow,
  { kind, wanted, mayWork }: { kind: JobKind; wanted: number; mayWork: MayWork },
  now: number,
): void => {
  let missing = wanted - account.turns.filter((turn) => turn.kind === kind && turn.index !== null).length
  for (; missing > 0; missing--) {
    const batch = account.openBatches.find((each) => each.kind === kind && each.next < each.items && mayWork(each))
    if (!batch) return
    addTurn(account, batch, batch.next, now)
    account.openBatches = [...account.openBatches.filter((each) => each !== batch), { ...batch, next: batch.next + 1 }]
  }
}

/** The fleet gives an account two places at a time for lists, and a message whose list waits for one keeps a Worker busy. */
const LISTINGS_AT_ONCE = 2

/** Playlists get their turns one after the other too. A batch without items has not been listed. */
export const handOutListings = (account: AccountRow, mayWork: MayWork, now: number): void => {
  const listings = account.turns.filter(({ index }) => index === null)
  const isWaiting = (batch: OpenBatch) =>
    batch.items === 0 && mayWork(batch) && !listings.some(({ batchId }) => batchId === batch.id)
  const free = Math.max(0, LISTINGS_AT_ONCE - listings.length)
  for (const batch of account.openBatches.filter(isWaiting).slice(0, free)) addTurn(account, batch, null, now)
}

/** The time of suspension does not count. */
export const resumeTurns = (account: AccountRow, now: number): void => {
  account.turns = account.turns.map((turn) => ({ ...turn, since: now }))
}
