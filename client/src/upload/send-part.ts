import { HaulConnectionError, HaulError } from '../errors.ts'
import type { Call } from '../http/call.ts'
import { type Connection, withinAttempt } from '../http/connection.ts'
import { withRetries } from '../http/retry.ts'

export interface Part {
  bytes: Blob | Uint8Array<ArrayBuffer>
  /** Presigned, for some time. */
  urlOf(): string
  refreshUrls(): Promise<void>
}

const ATTEMPT_MS = 60_000
/** A connection that is slower is taken for dead. */
const SLOWEST_BYTES_PER_MS = 20

/** Sends a part until the storage has it. Resolves with its ETag. */
export const sendPart = (
  connection: Connection,
  { signal }: Call,
  { bytes, urlOf, refreshUrls }: Part,
): Promise<string> => {
  const sizeBytes = 'size' in bytes ? bytes.size : bytes.length
  let isFirst = true
  return withRetries(connection.retryPolicy, { signal, isRepeatable: true }, async () => {
    if (!isFirst) await refreshUrls()
    isFirst = false
    const limitMs = ATTEMPT_MS + sizeBytes / SLOWEST_BYTES_PER_MS
    return withinAttempt({ signal, limitMs, peer: 'storage' }, async (attempt) => {
      const response = await connection.fetch(urlOf(), { method: 'PUT', body: bytes, signal: attempt })
      await response.body?.cancel()
      if (!response.ok) throw new HaulConnectionError(`The storage responded with status ${response.status}.`)
      return etagOf(response)
    })
  })
}

const etagOf = ({ headers }: Response): string => {
  const etag = headers.get('etag')
  if (etag === null) throw new HaulError('The CORS rules of the storage must expose the header ETag.')
  return etag
}
