import type { Bucket, ObjectFacts, SentPart } from './client.ts'
import type { Patience } from './patience.ts'

export interface FileToDeliver {
  key: string
  sizeBytes: number
  facts: ObjectFacts
  /** Exactly these bytes of the source, as a byte stream: the body of an R2 object is one. */
  read: (offset: number, lengthBytes: number) => Promise<ReadableStream<Uint8Array>>
}

export interface CopyState {
  /** An upload that we died over before its id was saved was begun after this. Milliseconds since 1970. */
  openedAt: number
  uploadId: string | null
  partSizeBytes: number
  /** Whether the server keeps a SHA-256 of each part. */
  checksums: boolean
  /** In the order they arrived. */
  parts: SentPart[]
}

/** A state that has its upload. */
export type OpenUpload = CopyState & { uploadId: string }

export interface CopyRuntime extends Patience {
  /** Fires when the job is canceled. */
  signal: AbortSignal
  /** null: nothing of ours is left unfinished in the bucket. Throwing stops the copy. */
  save: (state: CopyState | null) => Promise<void>
}

/** What all acts of one run share. `state` is the saved one, changed in place. */
export interface Run {
  bucket: Bucket
  file: FileToDeliver
  runtime: CopyRuntime
  state: CopyState | null
}
