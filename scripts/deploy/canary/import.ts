import { createHash } from 'node:crypto'
import { Haul, HaulApiError, HaulJobError, HaulTimeoutError } from '../../../client/src/index.ts'
import type { Access } from './access.ts'

/** A container that starts for the first time on a machine fetches its image. */
const IMPORT_TIMEOUT_MS = 300_000

/**
 * One import of a small file through the deployed API, whose bytes are compared with the source: it passes the Worker,
 * the account's object, the queue, the fleet, a container, the bucket and the signed link. Returns what was tried, and
 * throws with what does not work.
 */
export const importOnce = async ({ baseUrl, apiKey }: Access, sourceUrl: string): Promise<string> => {
  const haul = new Haul({ baseUrl, apiKey, maxRetries: 0, maxBusyMs: 0 })
  const options = { includeVideo: false, timeoutMs: IMPORT_TIMEOUT_MS }
  const { jobId, mediaUrl } = await haul.import(sourceUrl, options).catch((cause) => {
    throw new Error(jobProblem(cause, IMPORT_TIMEOUT_MS), { cause })
  })
  const [source, media] = await Promise.all([download(sourceUrl), download(mediaUrl)])
  if (sha256(source) === sha256(media)) return `imported ${sourceUrl}, ${media.length} bytes that are the same`
  throw new Error(`${jobId} has ${media.length} bytes that are not the ${source.length} bytes of ${sourceUrl}.`)
}

/** Part of the console, so that every deployment has it. */
export const smallSource = (baseUrl: string, env: NodeJS.ProcessEnv): string =>
  env.CANARY_URL || `${baseUrl}/assets/canary.mp3`

/** Why a job, or its start, did not succeed. */
export const jobProblem = (error: Error, timeoutMs: number): string => {
  if (error instanceof HaulJobError) return `${error.jobId} ended as failed: ${error.code} ${error.message}`
  if (error instanceof HaulApiError) return `the job was refused with ${error.status} ${error.code}: ${error.message}`
  if (!(error instanceof HaulTimeoutError)) return error.message
  return `${error.jobId ?? 'The job'} was not completed within ${timeoutMs / 60_000} minutes.`
}

const download = async (url: string): Promise<Uint8Array> => {
  const response = await fetch(url, { signal: AbortSignal.timeout(60_000) })
  if (!response.ok) throw new Error(`GET ${url.split('?')[0]} answered ${response.status}.`)
  return response.bytes()
}

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')
