import { HaulTimeoutError } from '../errors.ts'
import type { CallOptions } from '../options.ts'
import { limitedSignal } from './limited-signal.ts'

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
