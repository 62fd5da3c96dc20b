import { DAY_MS, HOUR_MS } from '../time.ts'

/**
 * A file that a caller sends to storage, in parts and without passing through the Worker:
 *
 *   pending ──all parts, and they are media──▶ ready ──▶ removed
 *      └──────────────deleted or expired─────────────────▲
 *
 * A removed upload is remembered for some days, so that callers learn that it is gone.
 */
export type UploadState = 'pending' | 'ready' | 'removed'

export interface Upload {
  id: string
  state: UploadState
  filename: string
  sizeBytes: number
  /** The type that the caller states, and of a ready upload the one that its bytes have. null: none is stated. */
  contentType: string | null
  /** null: not known. */
  durationSeconds: number | null
  /** After a refusal the parts are sent again, into another object. */
  attempt: number
  /** Part of the object's key. Empty: no attempt has started. */
  secret: string
  /** The id of the attempt's multipart upload in storage. null: not started yet. */
  multipartId: string | null
  /** The key that has made it. */
  keyId: string
  createdAt: number
  /** When it is removed, or forgotten. */
  expiresAt: number
}

export const MAX_UPLOAD_BYTES = 10_000_000_000
export const MAX_PENDING_UPLOADS = 20
/** The time to send all parts: a slow line of 1 Mbit/s sends 10 GB in 22 hours. */
export const PENDING_UPLOAD_MS = DAY_MS
/** The time for a file in the body of a request, and for its row after that: 100 MB at 1 Mbit/s take 14 minutes. */
export const RECEIVING_MS = HOUR_MS
export const READY_UPLOAD_MS = DAY_MS
export const REMOVED_UPLOAD_MS = 7 * DAY_MS

/** The filename without folders and without its extension. */
export const titleOfUpload = ({ filename }: Pick<Upload, 'filename'>): string => {
  const name = filename.slice(Math.max(filename.lastIndexOf('/'), filename.lastIndexOf('\\')) + 1).trim()
  const dot = name.lastIndexOf('.')
  return (dot > 0 ? name.slice(0, dot).trim() : name) || filename
}
