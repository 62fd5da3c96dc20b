import type { Agreed } from './progress-reporter.ts'
import type { StepContext } from './step.ts'

/**
 * Resolves with what the account has agreed to, when that is enough for what the progress says. An answer to an earlier
 * report does not count: the same money may have paid for bytes that have arrived since. Rejects when the step ends. A
 * report that fails is repeated with the heartbeat.
 */
export const untilAgreed = async (
  isEnough: (agreed: Agreed) => boolean,
  { progress, signal }: Pick<StepContext, 'progress' | 'signal'>,
): Promise<Agreed> => {
  const { promise, resolve, reject } = Promise.withResolvers<Agreed>()
  const end = () => reject(signal.reason)
  signal.addEventListener('abort', end, { once: true })
  if (signal.aborted) end()
  const { changes } = progress
  let isAgreed = false
  const stopListening = progress.onAgreed((agreed) => {
    isAgreed = agreed.changes >= changes && isEnough(agreed)
    if (isAgreed) resolve(agreed)
  })
  try {
    if (!isAgreed) void progress.flush()
    return await promise
  } finally {
    stopListening()
    signal.removeEventListener('abort', end)
  }
}
