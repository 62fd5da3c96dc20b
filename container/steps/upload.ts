import { stat } from 'node:fs/promises'
import { persist } from '../persist.ts'
import type { Uploaded, UploadOrder, UploadPlan } from '../protocol.ts'
import { LeaseLost, type Worker } from '../worker.ts'

/** A file that may still be growing at its end. */
export interface Growing {
  readonly path: string
  /** Where in its file it begins, if not at the start. */
  readonly startsAt?: number
  /** What is there from the start on. */
  readonly prefixBytes: number
  reached(bytes: number): Promise<void>
}

const LANES = 3
const URLS_AT_ONCE = 10
const ATTEMPTS = 5

/** A file that is complete. */
export const finished = async (path: string): Promise<Growing> => {
  const { size } = await stat(path)
  return { path, prefixBytes: size, reached: async () => {} }
}

/** Sends a file to where the Worker says, its first parts while the last are still to come. */
export const upload = async (
  file: Growing,
  order: UploadOrder,
  worker: Worker,
  signal: AbortSignal,
): Promise<Uploaded> => {
  const plan = await worker.planUpload(order)
  if (plan.kind === 'single') return sendWhole(file, order, plan, worker, signal)
  const { key, uploadId, partSizeBytes } = plan
  const lastPart = order.sizeBytes && Math.ceil(order.sizeBytes / partSizeBytes)
  const addresses = createAddresses(worker, key, uploadId, lastPart)
  const parts = await sendParts(file, partSizeBytes, addresses, worker, signal)
  return { key, uploadId, parts, sizeBytes: file.prefixBytes }
}

type Single = Extract<UploadPlan, { kind: 'single' }>

const sendWhole = async (
  file: Growing,
  order: UploadOrder,
  first: Single,
  worker: Worker,
  signal: AbortSignal,
): Promise<Uploaded> => {
  await file.reached(Number.POSITIVE_INFINITY)
  const sizeBytes = file.prefixBytes
  const startsAt = file.startsAt ?? 0
  const piece = { path: file.path, start: startsAt, end: startsAt + sizeBytes, contentType: order.contentType }
  const key = await insist(async (attempt) => {
    const plan = attempt === 1 ? first : await worker.planUpload({ ...order, sizeBytes })
    if (plan.kind !== 'single') throw new Error('the Worker changed its mind about the kind of upload')
    await worker.put(plan.url, piece, signal)
    return plan.key
  }, signal)
  return { key, uploadId: null, parts: null, sizeBytes }
}

type Addresses = (part: number, attempt: number) => Promise<string>

/** Each lane takes the next part as soon as it has sent its last; one that fails stops the others. */
const sendParts = async (
  file: Growing,
  partSizeBytes: number,
  addresses: Addresses,
  worker: Worker,
  step: AbortSignal,
): Promise<string[]> => {
  const failed = new AbortController()
  const signal = AbortSignal.any([step, failed.signal])
  const etags: string[] = []
  let next = 1
  const lane = async (): Promise<void> => {
    for (;;) {
      signal.throwIfAborted()
      const part = next++
      const start = (part - 1) * partSizeBytes
      await file.reached(part * partSizeBytes)
      const end = Math.min(part * partSizeBytes, file.prefixBytes)
      if (start >= end) return
      const startsAt = file.startsAt ?? 0
      const piece = { path: file.path, start: startsAt + start, end: startsAt + end }
      etags[part - 1] = await insist(
        async (attempt) => worker.put(await addresses(part, attempt), piece, signal),
        signal,
      )
    }
  }
  const guarded = () =>
    lane().catch((error) => {
      failed.abort(error)
      throw error
    })
  await Promise.all(Array.from({ length: LANES }, guarded))
  return etags
}

/** Addresses are asked for several at a time; one that failed is asked for anew, for it may have grown old. */
const createAddresses = (worker: Worker, key: string, uploadId: string, lastPart: number | null): Addresses => {
  const batches = new Map<number, Promise<string[]>>()
  const ask = (firstPart: number, count: number) => worker.planParts({ key, uploadId, firstPart, count })
  return async (part, attempt) => {
    const batch = Math.floor((part - 1) / URLS_AT_ONCE)
    const first = batch * URLS_AT_ONCE + 1
    const count = Math.min(URLS_AT_ONCE, (lastPart ?? Number.POSITIVE_INFINITY) - first + 1)
    if (attempt > 1 || count < 1) return one(await ask(part, 1), 0)
    const asked = batches.get(batch) ?? ask(first, count)
    batches.set(batch, asked)
    return one(await asked, part - first)
  }
}

const one = (urls: string[], index: number): string => {
  const url = urls[index]
  if (url === undefined) throw new Error('the Worker sent fewer addresses than parts')
  return url
}

const insist = <T>(act: (attempt: number) => Promise<T>, signal: AbortSignal): Promise<T> =>
  persist(act, { attempts: ATTEMPTS, signal, giveUpOn: (error) => error instanceof LeaseLost })
