import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * One import of a small file through the deployed API, whose bytes are compared with the source: it passes the Worker,
 * the account's object, the queue, the fleet, a container, the bucket and the signed link.
 */
export interface Canary {
  baseUrl: string
  apiKey: string
  sourceUrl: string
}

/** A container that starts for the first time on a machine fetches its image. */
const IMPORT_TIMEOUT_MS = 300_000
/** A name on workers.dev is new with the first deployment. */
const HEALTH_TIMEOUT_MS = 120_000
const HEALTH_INTERVAL_MS = 1_000
const API_VERSION = '1'

/** Part of the console, so that every deployment has it. */
export const ownFile = (baseUrl: string): string => `${baseUrl}/assets/canary.mp3`

export interface Imported {
  sizeBytes: number
}

/** Throws with the reason if the deployment does not work. */
export const importOnce = async ({ baseUrl, apiKey, sourceUrl }: Canary): Promise<Imported> => {
  const call = caller(baseUrl, apiKey)
  const signal = AbortSignal.timeout(IMPORT_TIMEOUT_MS)
  const { jobId } = await call<{ jobId: string }>('/import', { url: sourceUrl, includeVideo: false }, signal)
  const mediaUrl = await completed(jobId, call, signal)
  const [source, media] = await Promise.all([download(sourceUrl), download(mediaUrl)])
  if (sha256(source) === sha256(media)) return { sizeBytes: media.length }
  throw new Error(`${jobId} has ${media.length} bytes that are not the ${source.length} bytes of ${sourceUrl}.`)
}

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

interface ImportStatus {
  status: 'queued' | 'running' | 'completed' | 'failed' | 'canceled'
  code?: string
  message?: string
  result?: { mediaUrl: string }
}

const completed = async (jobId: string, call: Call, signal: AbortSignal): Promise<string> => {
  for (;;) {
    const job = await call<ImportStatus>(`/import/status?id=${jobId}&wait=30`, null, signal).catch((error) => {
      if (!signal.aborted) throw error
      throw new Error(`${jobId} was not completed within ${IMPORT_TIMEOUT_MS / 60_000} minutes.`)
    })
    if (job.result) return job.result.mediaUrl
    if (job.status === 'failed' || job.status === 'canceled') {
      throw new Error(`${jobId} ended as ${job.status}: ${job.code ?? ''} ${job.message ?? ''}`)
    }
  }
}

type Call = <T>(path: string, body: object | null, signal: AbortSignal) => Promise<T>

const caller =
  (baseUrl: string, apiKey: string): Call =>
  async (path, body, signal) => {
    const response = await fetch(`${baseUrl}${path}`, {
      signal,
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      ...(body ? { method: 'POST', body: JSON.stringify(body) } : {}),
    })
    const text = await response.text()
    if (response.ok) return JSON.parse(text).data
    throw new Error(`${path.split('?')[0]} answered ${response.status}: ${text.slice(0, 300)}`)
  }

const download = async (url: string): Promise<Uint8Array> => {
  const response = await fetch(url, { signal: AbortSignal.timeout(60_000) })
  if (!response.ok) throw new Error(`GET ${url.split('?')[0]} answered ${response.status}.`)
  return response.bytes()
}

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

const reasonOf = (error: unknown): string => {
  const { message, cause } = error as Error
  return cause instanceof Error ? cause.message : message
}
