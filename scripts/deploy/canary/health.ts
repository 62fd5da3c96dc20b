import { setTimeout as sleep } from 'node:timers/promises'

/** A name on workers.dev is new with the first deployment. */
const HEALTH_TIMEOUT_MS = 120_000
const HEALTH_INTERVAL_MS = 1_000
const API_VERSION = '1'

/** Resolves when the API responds with the version that this checkout is made for. */
export const healthy = async (baseUrl: string, timeoutMs = HEALTH_TIMEOUT_MS): Promise<void> => {
  const until = performance.now() + timeoutMs
  for (;;) {
    const problem = await healthProblem(baseUrl)
    if (!problem) return
    if (performance.now() > until) throw new Error(`${baseUrl}/health ${problem}`)
    await sleep(HEALTH_INTERVAL_MS)
  }
}

const healthProblem = async (baseUrl: string): Promise<string | null> => {
  try {
    const response = await fetch(`${baseUrl}/health`, { signal: AbortSignal.timeout(10_000) })
    await response.body?.cancel()
    const version = response.headers.get('x-api-version')
    if (!response.ok) return `answers ${response.status}.`
    return version === API_VERSION ? null : `has X-Api-Version ${version}, not ${API_VERSION}.`
  } catch (error) {
    return `does not answer: ${reasonOf(error)}`
  }
}

const reasonOf = (error: unknown): string => {
  const { message, cause } = error as Error
  return cause instanceof Error ? cause.message : message
}
