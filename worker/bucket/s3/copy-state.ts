import type { Bucket, ObjectMetadata, UploadedPart } from './bucket.ts'
import type { RetryRuntime } from './retry.ts'

export interface FileToCopy {
  key: string
  sizeBytes: number
  metadata: ObjectMetadata
  /** Returns exactly this range of the source as a byte stream, like the body of an R2 object. */
  read: (offset: number, lengthBytes: number) => Promise<ReadableStream<Uint8Array>>
}

export interface CopyState {
  /**
   * Milliseconds since 1970, saved before the upload is created. After a crash between creating the upload and
   * saving its id, uploads of this key that are not older are ours.
   */
  openedAt: number
  uploadId: string | null
  partSizeBytes: number
  /** Whether the server stores a SHA-256 of each part. */
  checksums: boolean
  /** In the order in which the parts were uploaded. */
  parts: UploadedPart[]
}

export type OpenUpload = CopyState & { uploadId: string }

export interface CopyRuntime extends RetryRuntime {
  /** Aborted when the job is canceled. */
  signal: AbortSignal
  /** null: the bucket contains no unfinished upload of ours. An exception stops the copy. */
  save: (state: CopyState | null) => Promise<void>
}

/** Shared by all functions of one run. `state` is the saved state and is replaced as the copy advances. */
export interface CopyRun {
  bucket: Bucket
  file: FileToCopy
  runtime: CopyRuntime
  state: CopyState | null
}
