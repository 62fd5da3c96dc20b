import { resendAt } from '../../../domain/limits.ts'
import type { Due, DueContext } from '../due/due.ts'
import { freeWorkAgainAt } from '../entry/free-work.ts'
import { endOldTurns } from './check-items.ts'
import type { Turn } from './open-batch.ts'
import { turnEndsAt } from './turns.ts'

/** The messages of turns, and the end of their time. While too much work has been free, items wait. */
export const dueOfBatches = (context: DueContext): Due[] => {
  const { rows, act } = context
  const { isSuspended, turns, openBatches } = rows.account
  if (isSuspended || openBatches.length === 0) return []
  const budgets = (['full', 'limited'] as const).map((pool) => freeWorkAgainAt(rows, pool, 'jobs'))
  const times = new Set([...budgets, ...turns.map((turn) => turnEndsAt(rows, turn))])
  const run = async () => act((now) => endOldTurns(rows, now))
  return [
    ...turns.flatMap((turn) => message(context, turn)),
    ...[...times].flatMap((at): Due[] => (at === null ? [] : [{ key: `turns ${at}`, at, lane: 'acts', run }])),
  ]
}

/** Sent again until the turn's work is done. */
const message = ({ rows, targets }: DueContext, { batchId, index, lease, dueAt, admission }: Turn): Due[] => {
  if (admission) return []
  const at = Math.max(dueAt, rows.claimedTurns.get(lease) ?? 0)
  const run = async () => {
    await targets.sendBatch({ accountId: rows.account.id, batchId, index })
    return resendAt(at, Date.now())
  }
  return [{ key: `turn ${lease} ${at}`, at, lane: 'messages', run }]
}
