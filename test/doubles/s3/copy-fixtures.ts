import { type Bucket, createBucket } from '../../../worker/bucket/s3/bucket.ts'
import type { BucketOptions } from '../../../worker/bucket/s3/connection.ts'
import type { CopyRuntime, CopyState, FileToCopy } from '../../../worker/bucket/s3/copy-state.ts'
import { sha256 } from '../../support/sha256.ts'
import type { Versity } from './versity.ts'

export const MIB = 1024 * 1024

/** Bytes that differ from part to part, so that a swapped or repeated part is detected. */
export const sampleBytes = (sizeBytes: number): Uint8Array<ArrayBuffer> => {
  const bytes = new Uint8Array(sizeBytes)
  const words = new Uint32Array(bytes.buffer, 0, Math.floor(sizeBytes / 4))
  for (let i = 0; i < words.length; i++) words[i] = Math.imul(i, 2654435761)
  return bytes
}

export interface SampleFile extends FileToCopy {
  bytes: Uint8Array<ArrayBuffer>
  /** The requested offsets, in order. */
  reads: number[]
}

export const sampleFile = (sizeBytes: number, key = 'media/film.mp4'): SampleFile => {
  const bytes = sampleBytes(sizeBytes)
  const reads: number[] = []
  const metadata = {
    contentType: 'video/mp4',
    contentDisposition: 'attachment; filename="film.mp4"',
    sha256: sha256(bytes),
  }
  const read = async (offset: number, lengthBytes: number): Promise<ReadableStream<Uint8Array>> => {
    reads.push(offset)
    return new Blob([bytes.subarray(offset, offset + lengthBytes)]).stream()
  }
  return { key, sizeBytes, metadata, read, bytes, reads }
}

export interface TestRuntime extends CopyRuntime {
  /** The saved states, newest last. */
  saves: CopyState[]
  waits: number[]
  cancel(): void
}

/** Time advances only by the waits of the copy. */
export const testRuntime = (overrides: Partial<CopyRuntime> = {}): TestRuntime => {
  const canceling = new AbortController()
  const saves: CopyState[] = []
  const waits: number[] = []
  let time = Date.now()
  return {
    saves,
    waits,
    cancel: () => canceling.abort(new Error('The job was canceled')),
    now: () => time,
    sleep: async (ms, signal) => {
      signal.throwIfAborted()
      waits.push(ms)
      time += ms
    },
    random: () => 0.5,
    deadline: Number.POSITIVE_INFINITY,
    signal: canceling.signal,
    save: async (state) => {
      saves.push(structuredClone(state))
    },
    ...overrides,
  }
}

export const bucketAt = (server: Versity, endpoint: string, options: BucketOptions = {}, bucket = 'media'): Bucket =>
  createBucket({ ...server, endpoint, bucket, pathStyle: true }, options)

export const storedBytes = async (server: Versity, key: string, bucket = 'media'): Promise<Uint8Array> =>
  new Uint8Array(await (await server.get(bucket, key)).arrayBuffer())
