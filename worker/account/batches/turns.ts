import type { JobKind } from '../../../domain/jobs/job.ts'
import { JOB_DEADLINE_MS, MAX_ATTEMPTS } from '../../../domain/limits.ts'
import { MINUTE_MS } from '../../../domain/time.ts'
import type { AccountRow } from '../account-row.ts'
import type { AccountRows } from '../account-rows.ts'
import type { OpenBatch, Turn } from './open-batch.ts'

/** A check takes a few seconds, and a listing may take minutes. */
const CLAIM_MS = MINUTE_MS
const LISTING_CLAIM_MS = 5 * MINUTE_MS

export interface TurnReport {
  batchId: string
  index: number | null
  lease: string
}

/** null: another report was first, or the batch has ended. */
export const findTurn = ({ account }: AccountRows, { batchId, index, lease }: TurnReport): Turn | null =>
  account.turns.find((turn) => turn.batchId === batchId && turn.index === index && turn.lease === lease) ?? null

/** null: the message needs no work. */
export const claimTurn = (rows: AccountRows, batchId: string, index: number | null, now: number): Turn | null => {
  const { account, claimedTurns } = rows
  const turn = account.turns.find((each) => each.batchId === batchId && each.index === index)
  if (!turn || turn.admission || account.isSuspended || turn.dueAt > now) return null
  if ((claimedTurns.get(turn.lease) ?? 0) > now) return null
  claimedTurns.set(turn.lease, now + (index === null ? LISTING_CLAIM_MS : CLAIM_MS))
  return turn
}

/** A turn whose work was not done within the time of a job fails its item or its batch. */
const TURN_TIME_MS = JOB_DEADLINE_MS

/** null: it is checked and waits for a slot. The time begins anew when the object opens: nobody may have tried before. */
export const turnEndsAt = ({ openedAt }: AccountRows, { admission, dueAt }: Turn): number | null =>
  admission ? null : Math.max(dueAt, openedAt) + TURN_TIME_MS

export const changeTurn = (rows: AccountRows, turn: Turn, changes: Partial<Turn>): void => {
  const { account, claimedTurns } = rows
  account.turns = account.turns.map((each) => (each === turn ? { ...turn, ...changes } : each))
  claimedTurns.delete(turn.lease)
}

/** Sends the message of a turn again, whose work has failed. False: no attempt is left. */
export const retryTurn = (rows: AccountRows, turn: Turn, delayMs: number, now: number): boolean => {
  const attempts = turn.attempts + 1
  if (attempts >= MAX_ATTEMPTS) return false
  changeTurn(rows, turn, { attempts, dueAt: now + delayMs })
  return true
}

const addTurn = (account: AccountRow, { id, kind }: OpenBatch, index: number | null, now: number): void => {
  const turn = { batchId: id, kind, index, lease: crypto.randomUUID(), dueAt: now, attempts: 0 }
  account.turns = [...account.turns, turn]
}

export const endTurn = ({ account, claimedTurns }: AccountRows, { lease }: Turn): void => {
  account.turns = account.turns.filter((turn) => turn.lease !== lease)
  claimedTurns.delete(lease)
}

export const endTurnsOf = (rows: AccountRows, batchId: string): void => {
  for (const turn of rows.account.turns) if (turn.batchId === batchId) endTurn(rows, turn)
}

interface WantedTurns {
  kind: JobKind
  wanted: number
  mayWork: (batch: OpenBatch) => boolean
}

/**
 * Gives turns to items until there are `wanted` of this kind, one batch after the other: a batch that got one goes to the
 * end of the list.
 */
export const handOutTurns = (account: AccountRow, { kind, wanted, mayWork }: WantedTurns, now: number): void => {
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
export const handOutListings = (account: AccountRow, mayWork: WantedTurns['mayWork'], now: number): void => {
  const listings = account.turns.filter(({ index }) => index === null)
  const isWaiting = (batch: OpenBatch) =>
    batch.items === 0 && mayWork(batch) && !listings.some(({ batchId }) => batchId === batch.id)
  const free = Math.max(0, LISTINGS_AT_ONCE - listings.length)
  for (const batch of account.openBatches.filter(isWaiting).slice(0, free)) addTurn(account, batch, null, now)
}

/** The time of suspension does not count. */
export const resumeTurns = (account: AccountRow, now: number): void => {
  account.turns = account.turns.map((turn) => ({ ...turn, dueAt: Math.max(turn.dueAt, now) }))
}
