import { setTimeout as sleep } from 'node:timers/promises'

const PAUSE_MS = 50
const ANSWER_MS = 5_000

/** Waits until `/health` there answers 200. */
export const healthy = async (url: string, signal: AbortSignal): Promise<void> => {
  while (!(await answers(url, signal))) await sleep(PAUSE_MS, null, { signal })
}

const answers = async (url: string, signal: AbortSignal): Promise<boolean> => {
  try {
    const response = await fetch(`${url}/health`, { signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]) })
    await response.body?.cancel()
    return response.ok
  } catch {
    signal.throwIfAborted()
    return false
  }
}
