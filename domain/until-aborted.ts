/** What `work` becomes; the signal's reason as soon as it is aborted, even if the work goes on. */
export const untilAborted = <T>(work: Promise<T>, signal: AbortSignal): Promise<T> => {
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const abort = () => reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  if (signal.aborted) abort()
  return Promise.race([work, aborted]).finally(() => signal.removeEventListener('abort', abort))
}
