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

const untilAborted = <T>(turn: Promise<T>, signal: AbortSignal): Promise<T> => {
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const abort = () => reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  if (signal.aborted) abort()
  return Promise.race([turn, aborted]).finally(() => signal.removeEventListener('abort', abort))
}
