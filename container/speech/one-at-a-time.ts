import { untilAborted } from '../../domain/until-aborted.ts'

/** An abort rejects at once, also while the work waits for its turn. The next work waits until the aborted one has ended. */
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
