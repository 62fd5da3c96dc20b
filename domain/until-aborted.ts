/** Settles as `work` does, but rejects with the signal's reason as soon as it is aborted. The work may go on. */
export const untilAborted = <T>(work: Promise<T>, signal: AbortSignal): Promise<T> => {
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const abort = () => reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  if (signal.aborted) abort()
  return Promise.race([work, aborted]).finally(() => signal.removeEventListener('abort', abort))
}
