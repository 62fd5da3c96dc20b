import { HaulTimeoutError } from '../errors.ts'
import type { CallOptions } from '../options.ts'

/** A call of the caller's program. It can take many requests, which share its signal and its time limit. */
export interface Call {
  /** Its reason is what the call rejects with. */
  readonly signal: AbortSignal
  /** Set when the call has started a job. */
  jobId?: string
}

const timedOut = Symbol('timed out')

export const withinCall = async <Result>(
  { signal: parent, timeoutMs }: CallOptions,
  run: (call: Call) => Promise<Result>,
): Promise<Result> => {
  parent?.throwIfAborted()
  const limited = limitedSignal({ parent, limitMs: timeoutMs, reason: () => timedOut })
  const call: Call = { signal: limited.signal }
  try {
    return await run(call)
  } catch (error) {
    // What an aborted fetch rejects with differs between the runtimes.
    const reason = call.signal.aborted ? call.signal.reason : error
    throw reason === timedOut ? new HaulTimeoutError(timeoutMs ?? 0, call.jobId) : reason
  } finally {
    limited.release()
  }
}

interface Limits {
  parent?: AbortSignal | undefined
  /** When the parent aborts, this signal follows after this time. Default: 0. */
  graceMs?: number | undefined
  limitMs?: number | undefined
  /** The reason of this signal when the time is up. */
  reason: () => unknown
}

/** Timers can wait for 24.8 days. */
const LONGEST_MS = 2 ** 31 - 1

/**
 * A signal that also aborts after a time. It replaces AbortSignal.any and AbortSignal.timeout, which Node 20 may collect as
 * garbage before they abort.
 */
export const limitedSignal = ({ parent, graceMs = 0, limitMs, reason }: Limits) => {
  const controller = new AbortController()
  let limit: ReturnType<typeof setTimeout> | undefined
  let grace: ReturnType<typeof setTimeout> | undefined
  /** No time runs until the next restart. */
  const stop = () => clearTimeout(limit)
  /** Starts the time again, with the first limit or another one. */
  const restart = (ms = limitMs) => {
    stop()
    if (ms !== undefined) limit = setTimeout(() => controller.abort(reason()), Math.min(ms, LONGEST_MS))
  }
  const follow = () => {
    const abort = () => controller.abort(parent?.reason)
    if (graceMs > 0) grace = setTimeout(abort, graceMs)
    else abort()
  }
  restart()
  if (parent?.aborted) follow()
  else parent?.addEventListener('abort', follow, { once: true })
  /** Must be called in the end, or the timer and the listener stay. */
  const release = () => {
    stop()
    clearTimeout(grace)
    parent?.removeEventListener('abort', follow)
  }
  return { signal: controller.signal, restart, stop, release }
}

/** Rejects with the signal's reason when it is aborted. */
export const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', abort)
      resolve()
    }, ms)
    if (signal.aborted) abort()
    else signal.addEventListener('abort', abort, { once: true })
  })
