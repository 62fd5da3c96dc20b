import { createReadStream } from 'node:fs'
import { stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Agent, request } from 'undici'
import type { z } from 'zod'
import { inParallel } from '../domain/lanes.ts'
import {
  type Callback,
  PartsPlan,
  PartsRequest,
  type PlannedUploads,
  Progress,
  ProgressResponse,
  StepOutcome,
  type Uploaded,
  UploadPlan,
  UploadRequest,
} from '../domain/protocol/protocol.ts'
import { jitteredBackoffMs, retry } from '../domain/retry.ts'

export type WorkerClient = ReturnType<typeof createWorkerClient>

/** The Worker answered 409: another attempt holds the lease, or the job has ended. */
export class LeaseLost extends Error {}

/** Nothing answered: the Worker or its storage cannot be reached from here. */
class Unreachable extends Error {}

/** The Worker would refuse the message: a number that a source invented may have got into it. */
class InvalidMessage extends Error {}

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
export const createWorkerClient = ({ url, token }: Callback, step: AbortSignal, uploads?: PlannedUploads) => {
  const post = async (path: keyof typeof messages, message: unknown, signal = step): Promise<unknown> => {
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
  const postWithRetries = (path: keyof typeof messages, message: unknown): Promise<unknown> =>
    retry(() => post(path, message), { ...patience, signal: step })

  let planned: Partial<PlannedUploads> = { ...uploads }

  return {
    reportProgress: async (progress: Progress) => ProgressResponse.parse(await post('progress', progress)),
    planUpload: async (upload: UploadRequest): Promise<UploadPlan> => {
      const { kind, sizeBytes } = upload
      const single = kind === 'media' || kind === 'thumbnail' || kind === 'tracks' ? planned[kind] : undefined
      // Used once: a request after that means that this URL failed.
      planned = { ...planned, [kind]: undefined }
      const fits = sizeBytes !== null && sizeBytes <= (planned.maxBytes ?? 0)
      if (single && fits) return { kind: 'single', ...single }
      return UploadPlan.parse(await postWithRetries('uploads', upload))
    },
    planParts: async (parts: PartsRequest) => PartsPlan.parse(await postWithRetries('parts', parts)).urls,
    get: (url: string, sizeBytes: number, signal: AbortSignal) =>
      retry(() => get(url, sizeBytes, signal), { ...patience, signal }),
    reportOutcome: async (outcome: StepOutcome, signal: AbortSignal): Promise<void> => {
      await retry(() => post('outcome', outcome, signal), { ...patience, attempts: OUTCOME_ATTEMPTS, signal })
    },
  }
}

/** Retrying will not help: the lease is lost, or the message itself is invalid or was rejected. */
export const isPermanent = (error: unknown): boolean =>
  error instanceof LeaseLost ||
  error instanceof InvalidMessage ||
  (error instanceof HttpStatusError && error.status >= 400 && error.status < 500 && ![408, 429].includes(error.status))

const patience = {
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

export interface GrowingFile {
  readonly path: string
  readonly startsAt?: number
  /** Number of bytes that are available without a gap. */
  readonly prefixBytes: number
  /** Resolves when [0, bytes) is available or the file is complete. */
  reached(bytes: number): Promise<void>
}

export const completeFile = async (path: string): Promise<GrowingFile> => {
  const { size } = await stat(path)
  return { path, prefixBytes: size, reached: async () => {} }
}

interface Uploading {
  worker: WorkerClient
  signal: AbortSignal
}

export const uploadComplete = async (
  path: string,
  request: Pick<UploadRequest, 'kind' | 'contentType'>,
  context: Uploading,
): Promise<Uploaded> => {
  const file = await completeFile(path)
  return uploadFile(file, { ...request, sizeBytes: file.prefixBytes }, context)
}

export const uploadText = async (
  text: string | Uint8Array,
  request: Pick<UploadRequest, 'kind' | 'contentType'>,
  context: Uploading & { workDir: string },
): Promise<Uploaded> => {
  const path = join(context.workDir, `${request.kind}.json`)
  await writeFile(path, text)
  return uploadComplete(path, request, context)
}

/** Uploads a file as the Worker plans it. The first parts of a growing file are sent before the last exist. */
export const uploadFile = async (file: GrowingFile, request: UploadRequest, context: Uploading): Promise<Uploaded> => {
  const { worker, signal } = context
  const plan = await worker.planUpload(request)
  if (plan.kind === 'single') return uploadWhole(file, request, plan, context)
  const { key, uploadId, partSizeBytes } = plan
  const lastPart = request.sizeBytes && Math.ceil(request.sizeBytes / partSizeBytes)
  const parts = await uploadParts(file, partSizeBytes, createPartUrls(worker, plan, lastPart), signal)
  return { key, uploadId, parts, sizeBytes: file.prefixBytes }
}

type Plan<Kind> = Extract<UploadPlan, { kind: Kind }>

const uploadWhole = async (
  file: GrowingFile,
  request: UploadRequest,
  firstPlan: Plan<'single'>,
  { worker, signal }: Uploading,
): Promise<Uploaded> => {
  await file.reached(Number.POSITIVE_INFINITY)
  const sizeBytes = file.prefixBytes
  const key = await withRetries(async (attempt) => {
    const plan = attempt === 1 ? firstPlan : await worker.planUpload({ ...request, sizeBytes })
    if (plan.kind !== 'single') throw new Error('the Worker planned another kind of upload for the same file')
    await put(plan.url, file, { start: 0, end: sizeBytes, contentType: request.contentType }, signal)
    return plan.key
  }, signal)
  return { key, uploadId: null, parts: null, sizeBytes }
}

const PARTS_AT_ONCE = 3

type PartUrl = (part: number, attempt: number) => Promise<string>

const uploadParts = async (file: GrowingFile, partSizeBytes: number, partUrl: PartUrl, step: AbortSignal) => {
  const etags: string[] = []
  let next = 1
  const uploadNextParts = async (signal: AbortSignal): Promise<void> => {
    for (;;) {
      signal.throwIfAborted()
      const part = next++
      const start = (part - 1) * partSizeBytes
      await file.reached(part * partSizeBytes)
      const end = Math.min(part * partSizeBytes, file.prefixBytes)
      if (start >= end) return
      const putPart = async (attempt: number) => put(await partUrl(part, attempt), file, { start, end }, signal)
      etags[part - 1] = await withRetries(putPart, signal)
    }
  }
  await inParallel(PARTS_AT_ONCE, uploadNextParts, step)
  return etags
}

const URLS_PER_REQUEST = 10

/**
 * The first URLs come with the plan, the others are requested in batches. A failed part gets a new URL, because the
 * old one may have expired.
 */
const createPartUrls = (
  worker: WorkerClient,
  { key, uploadId, urls: planned }: Plan<'multipart'>,
  lastPart: number | null,
): PartUrl => {
  const batches = new Map<number, Promise<string[]>>()
  const request = (firstPart: number, count: number) => worker.planParts({ key, uploadId, firstPart, count })
  return async (part, attempt) => {
    const known = planned[part - 1]
    if (known !== undefined && attempt === 1) return known
    const batch = Math.floor((part - 1 - planned.length) / URLS_PER_REQUEST)
    const first = planned.length + batch * URLS_PER_REQUEST + 1
    const count = Math.min(URLS_PER_REQUEST, (lastPart ?? Number.POSITIVE_INFINITY) - first + 1)
    if (attempt > 1 || count < 1) return urlAt(await request(part, 1), 0)
    const requested = batches.get(batch) ?? request(first, count)
    batches.set(batch, requested)
    return urlAt(await requested, part - first)
  }
}

const urlAt = (urls: string[], index: number): string => {
  const url = urls[index]
  if (url === undefined) throw new Error('the Worker sent fewer URLs than requested')
  return url
}

const withRetries = <T>(act: (attempt: number) => Promise<T>, signal: AbortSignal): Promise<T> =>
  retry(act, { ...patience, signal, isRetryable: (error) => !(error instanceof LeaseLost) })

const put = async (
  url: string,
  { path, startsAt = 0 }: GrowingFile,
  { start, end, contentType }: { start: number; end: number; contentType?: string },
  signal: AbortSignal,
): Promise<string> => {
  const range = { start: startsAt + start, end: startsAt + end - 1 }
  const response = await answered('storage', signal, () =>
    request(url, {
      method: 'PUT',
      dispatcher: agent,
      headers: { 'content-length': String(end - start), ...(contentType && { 'content-type': contentType }) },
      body: createReadStream(path, { ...range, highWaterMark: 256 * 1024, signal }),
      signal,
    }),
  )
  await response.body.dump()
  if (response.statusCode >= 300) throw new HttpStatusError('storage', response.statusCode)
  const { etag } = response.headers
  if (typeof etag !== 'string') throw new Error('the response of the storage has no ETag')
  return etag
}
