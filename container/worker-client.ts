import { createReadStream } from 'node:fs'
import { Agent, request } from 'undici'
import type { z } from 'zod'
import {
  type Callback,
  PartsPlan,
  PartsRequest,
  Progress,
  ProgressResponse,
  StepOutcome,
  UploadPlan,
  UploadRequest,
} from '../domain/protocol/protocol.ts'
import { jitteredBackoffMs, retry } from '../domain/retry.ts'

export type WorkerClient = ReturnType<typeof createWorkerClient>

/** Bytes [start, end) of a local file. */
interface FileRange {
  path: string
  start: number
  end: number
  contentType?: string
}

/** The Worker answered 409: another attempt holds the lease, or the job has ended. */
export class LeaseLost extends Error {}

/** Nothing answered: the Worker or its storage cannot be reached from here. */
export class Unreachable extends Error {}

/** The Worker would refuse the message, so it is not sent. A number that a source invented may have got into it. */
export class InvalidMessage extends Error {}

/** The Worker or its storage responded with an error status. */
export class HttpStatusError extends Error {
  readonly status: number
  constructor(target: string, status: number) {
    super(`${target} responded with status ${status}`)
    this.status = status
  }
}

const messages = {
  progress: Progress,
  uploads: UploadRequest,
  parts: PartsRequest,
  outcome: StepOutcome,
} satisfies Record<string, z.ZodType>

const agent = new Agent({ connect: { timeout: 10_000 }, headersTimeout: 60_000, bodyTimeout: 60_000 })
const CALLBACK_TIMEOUT_MS = 20_000
const ATTEMPTS = 5
/** An outcome that is lost costs the whole attempt. */
const OUTCOME_ATTEMPTS = 8
const BACKOFF = { firstMs: 200, longestMs: 10_000 }

/** The Worker's callbacks for one step, and its storage. The only requests that do not go through the egress guard. */
export const createWorkerClient = ({ url, token }: Callback, step: AbortSignal) => {
  const post = async (path: keyof typeof messages, message: unknown, signal: AbortSignal): Promise<unknown> => {
    const checked = messages[path].safeParse(message)
    if (!checked.success) {
      throw new InvalidMessage(`invalid ${path}: ${checked.error.issues.map(({ path }) => path.join('.')).join(', ')}`)
    }
    const response = await answered('the Worker', signal, () =>
      request(`${url}/${path}`, {
        method: 'POST',
        dispatcher: agent,
        headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
        body: JSON.stringify(message),
        signal: AbortSignal.any([signal, AbortSignal.timeout(CALLBACK_TIMEOUT_MS)]),
      }),
    )
    const text = await response.body.text()
    if (response.statusCode === 409) throw new LeaseLost('the lease is lost')
    if (response.statusCode >= 300) throw new HttpStatusError(path, response.statusCode)
    return text === '' ? null : JSON.parse(text)
  }
  const postWithRetries = (
    path: keyof typeof messages,
    message: unknown,
    signal: AbortSignal,
    attempts = ATTEMPTS,
  ): Promise<unknown> => retry(() => post(path, message, signal), { ...patience, attempts, signal })

  /** Came with the plan of the media. */
  let thumbnail: UploadPlan['thumbnail']

  return {
    reportProgress: async (progress: Progress) => ProgressResponse.parse(await post('progress', progress, step)),
    planUpload: async (upload: UploadRequest): Promise<UploadPlan> => {
      // Used once: a request after that means that this URL failed.
      const planned = upload.kind === 'thumbnail' ? thumbnail : undefined
      thumbnail = undefined
      if (planned) return { kind: 'single', ...planned }
      const plan = UploadPlan.parse(await postWithRetries('uploads', upload, step))
      if (upload.kind === 'media') thumbnail = plan.thumbnail
      return plan
    },
    planParts: async (parts: PartsRequest) => PartsPlan.parse(await postWithRetries('parts', parts, step)).urls,
    /** Uploads part of a file to a presigned URL and returns the ETag. */
    put,
    /** Downloads an object from storage into memory. */
    get: (url: string, sizeBytes: number, signal: AbortSignal) =>
      retry(() => get(url, sizeBytes, signal), { ...patience, signal }),
    reportOutcome: async (outcome: StepOutcome, signal: AbortSignal): Promise<void> => {
      await postWithRetries('outcome', outcome, signal, OUTCOME_ATTEMPTS)
    },
  }
}

/** Retrying will not help: the lease is lost, or the message itself is invalid or was rejected. */
export const isPermanent = (error: unknown): boolean =>
  error instanceof LeaseLost ||
  error instanceof InvalidMessage ||
  (error instanceof HttpStatusError && error.status >= 400 && error.status < 500 && ![408, 429].includes(error.status))

/** How requests to the Worker and its storage are retried. */
export const patience = {
  attempts: ATTEMPTS,
  isRetryable: (error: unknown) => !isPermanent(error),
  delayMs: (failures: number) => jitteredBackoffMs(failures, BACKOFF),
}

/** The Worker or its storage is the reason, and not the step. It has been retried in vain. */
export const isOutage = (error: unknown): error is Unreachable | HttpStatusError =>
  error instanceof Unreachable || (error instanceof HttpStatusError && !isPermanent(error))

/** An error of a request that was not aborted by its step means that there was no answer. */
const answered = async <T>(target: string, step: AbortSignal, send: () => Promise<T>): Promise<T> => {
  try {
    return await send()
  } catch (cause) {
    if (step.aborted) throw cause
    throw new Unreachable(`${target} cannot be reached`, { cause })
  }
}

const put = async (url: string, { path, start, end, contentType }: FileRange, signal: AbortSignal): Promise<string> => {
  const response = await answered('storage', signal, () =>
    request(url, {
      method: 'PUT',
      dispatcher: agent,
      headers: { 'content-length': String(end - start), ...(contentType && { 'content-type': contentType }) },
      body: createReadStream(path, { start, end: end - 1, highWaterMark: 256 * 1024, signal }),
      signal,
    }),
  )
  await response.body.dump()
  if (response.statusCode >= 300) throw new HttpStatusError('storage', response.statusCode)
  const { etag } = response.headers
  if (typeof etag !== 'string') throw new Error('the response of the storage has no ETag')
  return etag
}

const get = async (url: string, sizeBytes: number, signal: AbortSignal): Promise<Uint8Array> => {
  const response = await answered('storage', signal, () => request(url, { dispatcher: agent, signal }))
  if (response.statusCode >= 300) {
    await response.body.dump()
    throw new HttpStatusError('storage', response.statusCode)
  }
  const bytes = await response.body.bytes()
  if (bytes.byteLength !== sizeBytes) throw new Error(`storage sent ${bytes.byteLength} of ${sizeBytes} bytes`)
  return bytes
}
