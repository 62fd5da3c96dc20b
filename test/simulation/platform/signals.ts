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
export interface ReceivedSignal {
  signal: AbortSignal | null
  /** The request has been answered, so that a later abort means nothing. */
  release(): void
}

export const receivedSignal = (clock: Clock, receiver: Owner, sent: AbortSignal | null): ReceivedSignal => {
  if (!sent) return { signal: null, release: () => {} }
  const controller = new AbortController()
  const abort = () => {
    clock.schedule(1, receiver, 'abort', () => controller.abort(new Error('the client has disconnected')))
  }
  if (sent.aborted) abort()
  else sent.addEventListener('abort', abort, { once: true })
  return { signal: controller.signal, release: () => sent.removeEventListener('abort', abort) }
}
