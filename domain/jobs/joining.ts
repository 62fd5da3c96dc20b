import type { FailureCode } from '../codes/failures.ts'
import { MINUTE_MS } from '../time.ts'
import { isTerminal, type Job } from './job.ts'

/** A job can be joined while it is live, and this long after its end. */
export const JOIN_MS = 10 * MINUTE_MS

/** These failures follow from the media and the request. Others depend on what may change: a balance, a key, a page. */
const lasting: ReadonlySet<FailureCode> = new Set([
  'SOURCE_UNSUPPORTED',
  'NO_AUDIO',
  'NO_SPEECH',
  'MEDIA_TOO_LARGE',
  'MEDIA_TOO_LONG',
  'MAX_COST_REQUIRED',
  'MAX_COST_EXCEEDED',
])

type EndOfJob = Pick<Job, 'state' | 'completedAt' | 'removedAt' | 'failure'>

export const canJoin = ({ state, completedAt, removedAt, failure }: EndOfJob, now: number): boolean => {
  if (!isTerminal(state)) return true
  if (!hasJustEnded({ completedAt }, now) || removedAt !== null) return false
  return failure === null || lasting.has(failure.code)
}

export const hasJustEnded = ({ completedAt }: Pick<Job, 'completedAt'>, now: number): boolean =>
  completedAt !== null && now < completedAt + JOIN_MS
