import { setTimeout as sleep } from 'node:timers/promises'

const INTERVAL_MS = 50
const RESPONSE_TIMEOUT_MS = 5_000

/** Resolves when the URL responds with success. Rejects with the signal's reason. */
export const responds = async (
  url: string,
  signal: AbortSignal,
  headers: Record<string, string> = {},
): Promise<void> => {
  while (!(await isOk(url, signal, headers))) await sleep(INTERVAL_MS, null, { signal })
}

const isOk = async (url: string, signal: AbortSignal, headers: Record<string, string>): Promise<boolean> => {
  try {
    const timeout = AbortSignal.timeout(RESPONSE_TIMEOUT_MS)
    const response = await fetch(url, { headers, signal: AbortSignal.any([signal, timeout]) })
    await response.body?.cancel()
    return response.ok
  } catch {
    signal.throwIfAborted()
    return false
  }
}
