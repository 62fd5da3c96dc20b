import type { Work } from '../protocol/protocol.ts'
import { type Engine, type Engines, freeDisk, hasDiskFor } from './engines.ts'
import { KEEP_DISK_AFTER_MS, MAX_PROBES_OF_ACCOUNT } from './fleet-limits.ts'
import type { Line, Waiting } from './line.ts'
import { type Rank, ranks } from './place.ts'

export interface Turn {
  step: Waiting
  engine: Engine
}

/**
 * By rank first. Within a rank the account with the fewest places, then the one with the fewest turns, and among equals the
 * one whose last turn is longest ago. Within an account first come, first served. A step for which no engine has the disk space lets others pass, for
 * a while.
 */
export const nextTurn = (line: Line, engines: Engines, work: Work, now: number): Turn | null => {
  if (!line.has(work)) return null
  const free = engines.withFree(work)
  if (free.length === 0) return null
  // An account never has all places of one kind, so that others need not wait until it ends something.
  const most = Math.max(1, engines.places(work) - 1)
  const mostDisk = Math.max(0, ...free.map(freeDisk))
  const kept = engines.kept()
  let next: Turn | null = null
  let stuck: Waiting | null = null
  for (const step of line.values()) {
    if (step.work !== work || step.restsUntil !== null || !mayRun(step, most)) continue
    if (next && !isBefore(step, next.step)) continue
    const engine = step.diskBytes <= mostDisk ? free.find((each) => hasDiskFor(each, step)) : undefined
    if (engine) next = { step, engine }
    else if (now - step.since < KEEP_DISK_AFTER_MS || kept.has(step)) continue
    else if (!stuck || isBefore(step, stuck)) stuck = step
  }
  const isStuckNext = stuck !== null && (!next || isBefore(stuck, next.step))
  if (stuck && isStuckNext && engines.keepFor(stuck, now)) return nextTurn(line, engines, work, now)
  return next
}

const mayRun = ({ account, work, rank }: Waiting, most: number): boolean =>
  account.places[work] < most && (rank !== 'probe' || account.probePlaces < MAX_PROBES_OF_ACCOUNT)

const orderOf = Object.fromEntries(ranks.map((rank, index) => [rank, index])) as Record<Rank, number>

const isBefore = (a: Waiting, b: Waiting): boolean =>
  (orderOf[a.rank] - orderOf[b.rank] ||
    a.account.places[a.work] - b.account.places[b.work] ||
    a.account.turns[a.work] - b.account.turns[b.work] ||
    a.account.lastTurn[a.work] - b.account.lastTurn[b.work] ||
    a.since - b.since ||
    a.order - b.order) < 0
