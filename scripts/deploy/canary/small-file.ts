import { createHash } from 'node:crypto'
import { HaulApiError, HaulJobError, HaulTimeoutError } from '../../../client/src/index.ts'
import type { Access } from './access.ts'

/** A container that starts for the first time on a machine fetches its image. */
const TIMEOUT_MS = 300_000

/** Imports a file through every part of the deployment and compares its bytes. Returns what was tried. */
export const importSmallFile = async (access: Access, sourceUrl: string, timeoutMs = TIMEOUT_MS): Promise<string> => {
  const options = { includeVideo: false, timeoutMs }
  const { jobId, mediaUrl } = await access.haul.import(sourceUrl, options).catch(async (cause) => {
    const containers = cause instanceof HaulTimeoutError ? await containersOf(access) : ''
    throw new Error(jobProblem(cause, timeoutMs) + containers, { cause })
  })
  const [source, media] = await Promise.all([download(sourceUrl), download(mediaUrl)])
  if (sha256(source) === sha256(media)) return `imported ${sourceUrl}, ${media.length} bytes that are the same`
  throw new Error(`${jobId} has ${media.length} bytes that are not the ${source.length} bytes of ${sourceUrl}.`)
}

export const jobProblem = (error: Error, timeoutMs: number): string => {
  if (error instanceof HaulJobError) return `${error.jobId} ended as failed: ${error.code} ${error.message}`
  if (error instanceof HaulApiError) return `the job was refused with ${error.status} ${error.code}: ${error.message}`
  if (!(error instanceof HaulTimeoutError)) return error.message
  return `${error.jobId ?? 'The job'} was not completed within ${timeoutMs / 60_000} minutes.`
}

/** A container whose walls do not stand runs no step, and the fleet lists it as draining until it has stopped it. */
const containersOf = async ({ operator }: Access): Promise<string> => {
  if (!operator) return ''
  type Engines = { engines: { name: string; state: string }[] }
  const { engines } = await operator.request<Engines>('GET', '/admin/engines')
  const listed = engines.map(({ name, state }) => `${name} is ${state}`).join(', ') || 'none runs'
  return ` Its containers: ${listed}. See docs/operating.md, "The first day".`
}

const download = async (url: string): Promise<Uint8Array> => {
  const response = await fetch(url, { signal: AbortSignal.timeout(60_000) })
  if (!response.ok) throw new Error(`GET ${url.split('?')[0]} answered ${response.status}.`)
  return response.bytes()
}

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

/** Requests as an OpenAI client does. A proxy that ignores `no-transform` would compress the response and hold it back. */
export const transcribeSmallFile = async ({ baseUrl, apiKey, haul }: Access, sourceUrl: string): Promise<string> => {
  const body = new FormData()
  body.set('url', sourceUrl)
  body.set('model', 'haul-builtin')
  // Short responses are never compressed.
  body.set('response_format', 'verbose_json')
  const headers = { authorization: `Bearer ${apiKey}`, 'accept-encoding': 'gzip, deflate, br' }
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  const response = await fetch(`${baseUrl}/v1/audio/transcriptions`, { method: 'POST', headers, body, signal })
  const text = await response.text()
  const answer: { text?: string; error?: { message: string } } = JSON.parse(text || '{}')
  if (!response.ok || !answer.text)
    throw new Error(`The transcription failed with ${response.status}: ${answer.error?.message ?? text.slice(0, 500)}`)
  await haul.jobs.remove(response.headers.get('x-haul-job-id') ?? '')
  const encoding = response.headers.get('content-encoding') ?? 'identity'
  if (encoding === 'identity') return `"${answer.text}", sent as it is`
  throw new Error(
    `POST /v1/audio/transcriptions is sent as ${encoding} although it has no-transform: callers that accept it get no byte until their transcript is there, and many give up. Turn off compression for the host (a Compression Rule), and tell the maintainers.`,
  )
}
