import { createReadStream } from 'node:fs'
import { Agent, request } from 'undici'
import { persist } from './persist.ts'
import {
  type Callback,
  type Outcome,
  type PartsOrder,
  PartsPlan,
  type Progress,
  ProgressAnswer,
  type UploadOrder,
  UploadPlan,
} from './protocol.ts'

/** The Worker, as one step sees it. Nothing else in the container passes by the guarded way out. */
export interface Worker {
  progress(progress: Progress): Promise<ProgressAnswer>
  planUpload(order: UploadOrder): Promise<UploadPlan>
  planParts(order: PartsOrder): Promise<string[]>
  /** Puts bytes [start, end) of a file to an address of a plan and answers with its ETag. */
  put(url: string, piece: Piece, signal: AbortSignal): Promise<string>
  /** A piece of sound from the storage, in memory. */
  get(url: string, sizeBytes: number, signal: AbortSignal): Promise<Uint8Array>
  outcome(outcome: Outcome, signal: AbortSignal): Promise<void>
}

export interface Piece {
  path: string
  start: number
  end: number
  contentType?: string
}

/** The step belongs to somebody else by now. */
export class LeaseLost extends Error {}

/** The Worker, or the storage behind it, answered with something else than success. */
export class WorkerRefused extends Error {
  readonly status: number
  constructor(what: string, status: number) {
    super(`${what} answered ${status}`)
    this.status = status
  }
}

const agent = new Agent({ connect: { timeout: 10_000 }, headersTimeout: 60_000, bodyTimeout: 60_000 })
const CALL_TIMEOUT_MS = 20_000

export const createWorker = ({ url, token }: Callback, step: AbortSignal): Worker => {
  const call = async (path: string, message: unknown, signal: AbortSignal): Promise<unknown> => {
    const response = await request(`${url}/${path}`, {
      method: 'POST',
      dispatcher: agent,
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify(message),
      signal: AbortSignal.any([signal, AbortSignal.timeout(CALL_TIMEOUT_MS)]),
    })
    const text = await response.body.text()
    if (response.statusCode === 409) throw new LeaseLost()
    if (response.statusCode >= 300) throw new WorkerRefused(path, response.statusCode)
    return text === '' ? null : JSON.parse(text)
  }
  const insist = (path: string, message: unknown, signal: AbortSignal, attempts: number): Promise<unknown> =>
    persist(() => call(path, message, signal), { attempts, signal, giveUpOn: isHopeless })

  return {
    progress: async (progress) => ProgressAnswer.parse(await call('progress', progress, step)),
    planUpload: async (order) => UploadPlan.parse(await insist('uploads', order, step, 5)),
    planParts: async (order) => PartsPlan.parse(await insist('parts', order, step, 5)).urls,
    put,
    get: (url, sizeBytes, signal) =>
      persist(() => get(url, sizeBytes, signal), { attempts: 5, signal, giveUpOn: isHopeless }),
    outcome: async (outcome, signal) => {
      await insist('outcome', outcome, signal, 8)
    },
  }
}

/** A refusal of the message itself will not become a yes by asking again. */
export const isHopeless = (error: unknown): boolean =>
  error instanceof LeaseLost ||
  (error instanceof WorkerRefused && error.status >= 400 && error.status < 500 && ![408, 429].includes(error.status))

const put = async (url: string, { path, start, end, contentType }: Piece, signal: AbortSignal): Promise<string> => {
  const response = await request(url, {
    method: 'PUT',
    dispatcher: agent,
    headers: { 'content-length': String(end - start), ...(contentType && { 'content-type': contentType }) },
    body: createReadStream(path, { start, end: end - 1, highWaterMark: 256 * 1024, signal }),
    signal,
  })
  await response.body.dump()
  if (response.statusCode >= 300) throw new WorkerRefused('storage', response.statusCode)
  const { etag } = response.headers
  if (typeof etag !== 'string') throw new Error('storage answered without an ETag')
  return etag
}

const get = async (url: string, sizeBytes: number, signal: AbortSignal): Promise<Uint8Array> => {
  const response = await request(url, { dispatcher: agent, signal })
  if (response.statusCode >= 300) {
    await response.body.dump()
    throw new WorkerRefused('storage', response.statusCode)
  }
  const bytes = await response.body.bytes()
  if (bytes.byteLength !== sizeBytes) throw new Error(`storage sent ${bytes.byteLength} of ${sizeBytes} bytes`)
  return bytes
}
