import { untilAborted } from '../../domain/until-aborted.ts'

/**
 * Runs one work after the other. An abort rejects at once, also while a work waits for its turn; the next one still waits
 * until the aborted one has ended.
 */
export const oneAtATime = () => {
  let last: Promise<unknown> = Promise.resolve()
  return <T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> => {
    const turn = last.then(() => {
      signal.throwIfAborted()
      return work()
    })
    last = turn.catch(() => {})
    return untilAborted(turn, signal)
  }
}
