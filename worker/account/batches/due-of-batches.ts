import { resendAt } from '../../../domain/limits.ts'
import type { AccountRows } from '../account-rows.ts'
import type { Again, DueContext } from '../due/due.ts'
import { endOldTurns } from './check-items.ts'
import type { Turn } from './open-batch.ts'
import { changeTurn, nextTurnAt, scheduleTurns } from './turns.ts'

/** Ends the turns whose time is over, starts what may start now, and sends the messages of turns. */
export const sendTurns = async ({ rows, targets, act }: DueContext): Promise<Again> => {
  act((now) => endOldTurns(rows, now))
  const { id: accountId, turns, isSuspended } = rows.account
  const toSend = isSuspended ? [] : turns.filter(({ admission, messageAt }) => !admission && messageAt <= Date.now())
  const send = async (turn: Turn) => {
    await targets.sendTurn({ accountId, batchId: turn.batchId, index: turn.index })
    act((now) => noteSent(rows, turn, now))
  }
  const failed = (await Promise.allSettled(toSend.map(send))).find((sent) => sent.status === 'rejected')
  if (failed) throw failed.reason
  return nextTurnAt(rows, Date.now()) ?? undefined
}

const noteSent = (rows: AccountRows, turn: Turn, now: number): void => {
  const latest = rows.account.turns.find(({ lease }) => lease === turn.lease)
  // It may have been claimed meanwhile.
  if (latest?.messageAt === turn.messageAt) changeTurn(rows, latest, { messageAt: resendAt(turn.dueAt, now) })
  scheduleTurns(rows, now)
}
