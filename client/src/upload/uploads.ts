import type { PendingUpload, ReadyUpload, RemovedUpload } from '../api-types.ts'
import { HaulConnectionError, HaulError } from '../errors.ts'
import { type Call, withinCall } from '../http/call.ts'
import { type Connection, Group, pathOf, withinAttempt } from '../http/connection.ts'
import { withRetries } from '../http/retry.ts'
import type { CallOptions, FileSource, UploadOptions } from '../options.ts'
import { type OpenFile, openFile } from './open-file.ts'

export class Uploads extends Group {
  /**
   * Uploads a file in parts, and resolves when it can be transcribed. Only a few parts are in memory at a time.
   *
   * ```ts
   * const { uploadId } = await haul.uploads.create('interview.mp3')
   * ```
   */
  create(file: FileSource, options: UploadOptions = {}): Promise<ReadyUpload> {
    return withinCall(options, (call) => sendFile(this.connection, call, file, options))
  }

  get(uploadId: string, options: CallOptions = {}): Promise<PendingUpload | ReadyUpload> {
    return this.connection.call(options, { path: pathOf('uploads', uploadId) })
  }

  /** Jobs that read the file continue. */
  delete(uploadId: string, options: CallOptions = {}): Promise<RemovedUpload> {
    return this.connection.call(options, { method: 'DELETE', path: pathOf('uploads', uploadId) })
  }
}

const PARALLEL_PARTS = 4
/** If the storage has lost parts, all parts are sent again. */
const MAX_ROUNDS = 3
const DELETE_MS = 5_000
const ATTEMPT_MS = 60_000
/** A slower connection is treated as dead. */
const SLOWEST_BYTES_PER_MS = 20

export const sendFile = async (
  connection: Connection,
  call: Call,
  source: FileSource,
  { filename, contentType, onProgress }: UploadOptions,
): Promise<ReadyUpload> => {
  const file = await openFile(source)
  try {
    const body = { filename: filename ?? file.name, sizeBytes: file.sizeBytes, contentType }
    // A repeated request may leave an upload without parts, which expires.
    const request = { method: 'POST', path: '/uploads', body, isRepeatable: true }
    const upload: PendingUpload = await connection.json(call, request)
    const path = pathOf('uploads', upload.uploadId)
    return await sendAll(connection, call, { upload, path, file, onProgress }).catch(async (error) => {
      // An account has at most 20 pending uploads.
      await connection.call({ timeoutMs: DELETE_MS }, { method: 'DELETE', path }).catch(() => {})
      throw error
    })
  } finally {
    await file.close()
  }
}

interface Sending extends Pick<UploadOptions, 'onProgress'> {
  upload: PendingUpload
  path: string
  file: OpenFile
}

const sendAll = async (connection: Connection, call: Call, sending: Sending): Promise<ReadyUpload> => {
  const { path } = sending
  for (let round = 1; ; round++) {
    const body = { parts: await sendParts(connection, call, sending) }
    try {
      // A repeated request gets the same response.
      return await connection.json(call, { method: 'POST', path: `${path}/complete`, body, isRepeatable: true })
    } catch (error) {
      if (Object(error).code !== 'UPLOAD_INCOMPLETE' || round === MAX_ROUNDS) throw error
    }
    const current: PendingUpload | ReadyUpload = await connection.json(call, { path })
    if (current.status === 'ready') return current
    sending.upload = current
  }
}

const sendParts = async (
  connection: Connection,
  call: Call,
  { upload, path, file, onProgress }: Sending,
): Promise<{ number: number; etag: string }[]> => {
  const report = uploadProgress(file.sizeBytes, onProgress)
  // Presigned URLs, which expire.
  const urls = new Map(upload.parts.map(({ number, url }) => [number, url]))
  const refreshUrls = async () => {
    const current: PendingUpload | ReadyUpload = await connection.json(call, { path })
    if (current.status === 'pending') for (const { number, url } of current.parts) urls.set(number, url)
  }
  const sendPart = async (number: number) => {
    const from = (number - 1) * upload.partSizeBytes
    const to = Math.min(from + upload.partSizeBytes, file.sizeBytes)
    const body = await file.read(from, to)
    const limits = {
      signal: call.signal,
      limitMs: ATTEMPT_MS + (to - from) / SLOWEST_BYTES_PER_MS,
      peer: 'storage',
    } as const
    let isFirst = true
    const etag = await withRetries(connection.retryPolicy, { signal: call.signal, isRepeatable: true }, async () => {
      if (!isFirst) await refreshUrls()
      isFirst = false
      return withinAttempt(limits, async (signal) =>
        etagOf(await connection.fetch(urls.get(number) ?? '', { method: 'PUT', body, signal })),
      )
    })
    report(to - from)
    return { number, etag }
  }
  // An error in one worker closes the generator, so no worker starts another part.
  const waiting = (function* () {
    yield* upload.parts
  })()
  const sent: { number: number; etag: string }[] = []
  const work = async () => {
    for (const { number } of waiting) sent.push(await sendPart(number))
  }
  await Promise.all(Array.from({ length: PARALLEL_PARTS }, work))
  return sent
}

const etagOf = async ({ body, ok, status, headers }: Response): Promise<string> => {
  await body?.cancel()
  if (!ok) throw new HaulConnectionError(`The storage responded with status ${status}.`)
  const etag = headers.get('etag')
  if (etag === null) throw new HaulError('The CORS rules of the storage must expose the header ETag.')
  return etag
}

const uploadProgress = (totalBytes: number, onProgress: UploadOptions['onProgress']) => {
  const since = Date.now()
  let sentBytes = 0
  const report = (sizeBytes: number): void => {
    sentBytes += sizeBytes
    const seconds = (Date.now() - since) / 1_000
    const bytesPerSecond = sentBytes > 0 && seconds > 0 ? Math.round(sentBytes / seconds) : null
    const etaSeconds = bytesPerSecond && Math.ceil((totalBytes - sentBytes) / bytesPerSecond)
    const percent = Math.floor((100 * sentBytes) / totalBytes)
    onProgress?.({ stage: 'uploading', percent, bytesPerSecond, etaSeconds })
  }
  report(0)
  return report
}
