import type { Clock, Owner } from '../clock.ts'

/** What the other side answers after an abort is not heard. */
export const unlessAborted = <T>(promise: Promise<T>, signal: AbortSignal): Promise<T> =>
  new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason)
    if (signal.aborted) return abort()
    signal.addEventListener('abort', abort, { once: true })
    const settled = () => signal.removeEventListener('abort', abort)
    promise.then(
      (value) => {
        settled()
        resolve(value)
      },
      (cause) => {
        settled()
        reject(cause)
      },
    )
  })

/** The signal of a request as its receiver sees it: aborted in an event of the receiver, or never if that is dead. */
export const signalFor = (clock: Clock, receiver: Owner, signal: AbortSignal): AbortSignal => {
  const controller = new AbortController()
  const abort = () =>
    clock.schedule(1, receiver, 'abort', () => controller.abort(new Error('the client has disconnected')))
  if (signal.aborted) abort()
  else signal.addEventListener('abort', abort, { once: true })
  return controller.signal
}
