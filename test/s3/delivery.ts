import { type Bucket, createBucket } from '../../worker/delivery/s3/client.ts'
import type { BucketOptions } from '../../worker/delivery/s3/connection.ts'
import type { CopyRuntime, CopyState, FileToDeliver } from '../../worker/delivery/s3/run.ts'
import { sha256 } from '../digest.ts'
import type { Versity } from './versity.ts'

export const MIB = 1024 * 1024

/** Bytes that differ from part to part, so that a swapped or repeated one shows. */
export const sampleBytes = (sizeBytes: number): Uint8Array<ArrayBuffer> => {
  const bytes = new Uint8Array(sizeBytes)
  const words = new Uint32Array(bytes.buffer, 0, Math.floor(sizeBytes / 4))
  for (let i = 0; i < words.length; i++) words[i] = Math.imul(i, 2654435761)
  return bytes
}

export interface SampleFile extends FileToDeliver {
  bytes: Uint8Array<ArrayBuffer>
  /** Offsets, in the order they were asked for. */
  reads: number[]
}

export const sampleFile = (sizeBytes: number, key = 'media/film.mp4'): SampleFile => {
  const bytes = sampleBytes(sizeBytes)
  const reads: number[] = []
  const facts = {
    contentType: 'video/mp4',
    contentDisposition: 'attachment; filename="film.mp4"',
    sha256: sha256(bytes),
  }
  const read = async (offset: number, lengthBytes: number): Promise<ReadableStream<Uint8Array>> => {
    reads.push(offset)
    return new Blob([bytes.subarray(offset, offset + lengthBytes)]).stream()
  }
  return { key, sizeBytes, facts, read, bytes, reads }
}

export interface TestRuntime extends CopyRuntime {
  /** What a caller would hold in its storage, newest last. */
  saves: (CopyState | null)[]
  waits: number[]
  cancel(): void
}

/** Time moves only by the waits that the copy asks for. */
export const testRuntime = (overrides: Partial<CopyRuntime> = {}): TestRuntime => {
  const canceling = new AbortController()
  const saves: (CopyState | null)[] = []
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
