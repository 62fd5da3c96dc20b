import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Progress } from '../terminal/progress.ts'

export interface RemoteFile {
  url: string
  /** Not known for a file that the service writes as it is read, such as captions: it is complete when the response ends. */
  sizeBytes?: number | undefined
  sha256?: string | undefined
}

/** The file could not be downloaded. It is still stored, so that the user can try again. */
export class DownloadError extends Error {
  override readonly name = 'DownloadError'
  /** null: there was no response. */
  readonly status: number | null

  constructor(message: string, status: number | null, cause?: unknown) {
    super(message, { cause })
    this.status = status
  }
}

export interface DownloadOptions {
  signal: AbortSignal
  onProgress?: (progress: Progress) => void
  /** The pause after the first broken attempt. It doubles with each one that brings no byte. */
  pauseMs?: number
}

const ATTEMPTS_WITHOUT_BYTES = 5
const STALLED_MS = 30_000
const PROGRESS_MS = 100

/**
 * Passes the bytes of a file to `write`, each once and in order. A connection that breaks is resumed with a range
 * request where it ended. Resolves when all bytes have been written and their hash is that of the stored file.
 */
export const download = async (
  file: RemoteFile,
  write: (chunk: Uint8Array) => Promise<void>,
  { signal, onProgress, pauseMs = 500 }: DownloadOptions,
): Promise<void> => {
  const { sizeBytes = Number.POSITIVE_INFINITY } = file
  const hash = createHash('sha256')
  const report = progressReports(file, onProgress)
  let received = 0
  const take = async (chunk: Uint8Array) => {
    if (received + chunk.length > sizeBytes) throw wrongBytes
    await write(chunk)
    hash.update(chunk)
    received += chunk.length
    report(received)
  }
  for (let failures = 0; received < sizeBytes; ) {
    const before = received
    const problem = await attempt(file, received, take, signal)
    signal.throwIfAborted()
    if (received === sizeBytes || problem === null) break
    failures = received > before ? 0 : failures + 1
    if (isFinal(problem) || failures === ATTEMPTS_WITHOUT_BYTES) throw problem
    await sleep(pauseMs * 2 ** failures, undefined, { signal }).catch(() => signal.throwIfAborted())
  }
  if (file.sha256 !== undefined && hash.digest('hex') !== file.sha256) throw wrongBytes
}

const wrongBytes = new DownloadError('The downloaded bytes are not those of the stored file.', 200)

/** Another request does not help if the file cannot be written, or after most refusals. */
const isFinal = (error: unknown): boolean => {
  if (!(error instanceof DownloadError)) return true
  const { status } = error
  return status !== null && status < 500 && status !== 429
}

/**
 * One request for the missing bytes. Resolves with the reason why it ended, even if all bytes have arrived. null: the response
 * has ended, and the size of the file is not known.
 */
const attempt = async (
  { url, sizeBytes }: RemoteFile,
  from: number,
  take: (chunk: Uint8Array) => Promise<void>,
  signal: AbortSignal,
): Promise<unknown> => {
  const stalled = new AbortController()
  const watchdog = setTimeout(() => stalled.abort(), STALLED_MS)
  let isTaking = false
  try {
    const response = await fetch(url, {
      headers: { 'accept-encoding': 'identity', ...(from > 0 ? { range: `bytes=${from}-` } : {}) },
      signal: AbortSignal.any([signal, stalled.signal]),
    })
    if (!response.ok || !response.body) return await refusalOf(response)
    let skip = bytesBefore(response, from)
    for await (const chunk of response.body) {
      watchdog.refresh()
      const rest = chunk.subarray(skip)
      skip -= chunk.length - rest.length
      isTaking = true
      if (rest.length > 0) await take(rest)
      isTaking = false
    }
    return sizeBytes === undefined ? null : new DownloadError('The download ended early.', null)
  } catch (cause) {
    return isTaking ? cause : new DownloadError('The connection broke during the download.', null, cause)
  } finally {
    clearTimeout(watchdog)
  }
}

/** A server without ranges answers 200 and sends everything again. */
const bytesBefore = (response: Response, from: number): number => {
  if (response.status !== 206) return from
  const start = Number(/^bytes (\d+)-/.exec(response.headers.get('content-range') ?? '')?.[1] ?? from)
  if (start > from) throw new Error('The response starts after the requested byte.')
  return from - start
}

const refusalOf = async ({ body, status }: Response): Promise<DownloadError> => {
  await body?.cancel()
  const message =
    status === 410 ? 'The file is no longer stored.' : `The link of the file answered with status ${status}.`
  return new DownloadError(message, status)
}

const progressReports = ({ sizeBytes }: RemoteFile, onProgress?: (progress: Progress) => void) => {
  const since = performance.now()
  let reportedAt = 0
  return (downloadedBytes: number) => {
    const now = performance.now()
    if (!onProgress || sizeBytes === undefined || now - reportedAt < PROGRESS_MS) return
    reportedAt = now
    const bytesPerSecond = (downloadedBytes / (now - since)) * 1_000
    onProgress({
      stage: 'saving',
      percent: (downloadedBytes / sizeBytes) * 100,
      downloadedBytes,
      totalBytes: sizeBytes,
      bytesPerSecond,
      etaSeconds: (sizeBytes - downloadedBytes) / bytesPerSecond,
    })
  }
}
