import type { PendingUpload, ReadyUpload } from '../api-types.ts'
import type { Call } from '../http/call.ts'
import { type Connection, pathOf } from '../http/connection.ts'
import type { FileSource, UploadOptions } from '../options.ts'
import { type OpenFile, openFile } from './open-file.ts'
import { sendPart } from './send-part.ts'

const PARALLEL_PARTS = 4
/** The storage may forget parts. All of them are sent again then. */
const MAX_ROUNDS = 3
const DELETE_MS = 5_000

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
    return await sendAll(connection, call, { upload, file, onProgress }).catch(async (error) => {
      // At most 20 may be pending.
      const path = pathOf('uploads', upload.uploadId)
      await connection.call({ timeoutMs: DELETE_MS }, { method: 'DELETE', path }).catch(() => {})
      throw error
    })
  } finally {
    await file.close()
  }
}

interface Sending extends Pick<UploadOptions, 'onProgress'> {
  upload: PendingUpload
  file: OpenFile
}

const sendAll = async (connection: Connection, call: Call, sending: Sending): Promise<ReadyUpload> => {
  const path = pathOf('uploads', sending.upload.uploadId)
  const refresh = (): Promise<PendingUpload | ReadyUpload> => connection.json(call, { path })
  for (let round = 1; ; round++) {
    const body = { parts: await sendParts(connection, call, sending, refresh) }
    try {
      // Repeated, it gets the same answer.
      return await connection.json(call, { method: 'POST', path: `${path}/complete`, body, isRepeatable: true })
    } catch (error) {
      if (Object(error).code !== 'UPLOAD_INCOMPLETE' || round === MAX_ROUNDS) throw error
    }
    const current = await refresh()
    if (current.status === 'ready') return current
    sending.upload = current
  }
}

const sendParts = async (
  connection: Connection,
  call: Call,
  { upload, file, onProgress }: Sending,
  refresh: () => Promise<PendingUpload | ReadyUpload>,
): Promise<{ number: number; etag: string }[]> => {
  const report = uploadProgress(file.sizeBytes, onProgress)
  const { partSizeBytes } = upload
  const urls = new Map(upload.parts.map(({ number, url }) => [number, url]))
  const refreshUrls = async () => {
    const current = await refresh()
    if (current.status === 'pending') for (const { number, url } of current.parts) urls.set(number, url)
  }
  const waiting = upload.parts.map(({ number }) => number)
  const sent: { number: number; etag: string }[] = []
  const work = async () => {
    for (let number = waiting.shift(); number !== undefined; number = waiting.shift()) {
      const from = (number - 1) * partSizeBytes
      const bytes = await file.read(from, Math.min(from + partSizeBytes, file.sizeBytes))
      const urlOf = () => urls.get(number as number) ?? ''
      sent.push({ number, etag: await sendPart(connection, call, { bytes, urlOf, refreshUrls }) })
      report('size' in bytes ? bytes.size : bytes.length)
    }
  }
  await Promise.all(Array.from({ length: PARALLEL_PARTS }, work)).finally(() => {
    // If a part could not be sent, no other is started.
    waiting.length = 0
  })
  return sent
}

/** Call the returned function with the size of each part that was sent. */
const uploadProgress = (totalBytes: number, onProgress: UploadOptions['onProgress']) => {
  const since = Date.now()
  let sentBytes = 0
  const report = () => {
    const seconds = (Date.now() - since) / 1_000
    const bytesPerSecond = sentBytes > 0 && seconds > 0 ? Math.round(sentBytes / seconds) : null
    const etaSeconds = bytesPerSecond && Math.ceil((totalBytes - sentBytes) / bytesPerSecond)
    const percent = Math.floor((100 * sentBytes) / totalBytes)
    onProgress?.({ stage: 'uploading', percent, bytesPerSecond, etaSeconds })
  }
  report()
  return (sizeBytes: number): void => {
    sentBytes += sizeBytes
    report()
  }
}
