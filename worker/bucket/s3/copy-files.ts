import { lanes } from '../../../domain/lanes.ts'
import type { Bucket } from './bucket.ts'
import { BucketRefusal } from './bucket-refusal.ts'
import { type CopyOutcome, copyToBucket } from './copy.ts'
import {
  type CopyState,
  type FileToCopy,
  OutOfTime,
  type RetryClock,
  type RetryRuntime,
  withRetries,
} from './copy-state.ts'

export interface FileToDeliver {
  key: string
  /** Called when its turn comes, and again in each run that continues it. It must then be the same file. */
  open(): Promise<Omit<FileToCopy, 'key'>>
}

/** How far the files of a job are copied. */
export interface FilesState {
  /** Keys of whole files, in the order of the list. */
  copied: string[]
  /** The file in progress. */
  key: string
  state: CopyState | null
}

export interface FilesProgress {
  /** Of all files in this run. */
  sentBytes: number
  /** Of the last file, which is the largest by far. */
  percent: number
}

export interface FilesRuntime extends RetryRuntime {
  save: (state: FilesState, progress: FilesProgress) => Promise<void>
}

/** Each takes a few requests, and an invocation has a limit of them. */
const MOST_OF_A_RUN = 100

/**
 * Copies the files of a job one after the other, in as many invocations as needed. A key is saved before the first byte
 * of its file is sent, so that a crash leaves no object that nobody removes. This never removes objects: `removeCopies`
 * does, when the job has ended without them.
 */
export const copyFiles = async (
  bucket: Bucket,
  { jobId, files }: { jobId: string; files: FileToDeliver[] },
  saved: FilesState | null,
  runtime: FilesRuntime,
): Promise<CopyOutcome> => {
  const copied = [...(saved?.copied ?? [])]
  let sentBytes = 0

  const copyNext = async ({ key, open }: FileToDeliver): Promise<CopyOutcome> => {
    const { metadata, ...content } = await open()
    const state = saved?.key === key ? saved.state : null
    const isLast = copied.length === files.length - 1
    const sentBefore = sentBytes - copiedBytesOf(state)
    const save = (next: CopyState | null): Promise<void> => {
      const copiedBytes = copiedBytesOf(next)
      sentBytes = sentBefore + copiedBytes
      const percent = isLast ? Math.min(99, Math.floor((100 * copiedBytes) / Math.max(1, content.sizeBytes))) : 0
      return runtime.save({ copied: [...copied], key, state: next }, { sentBytes, percent })
    }
    await save(state)
    const file = { ...content, key, metadata: { ...metadata, jobId } }
    const outcome = await copyToBucket(bucket, file, state, {
      ...runtime,
      // It may come earlier while the copy runs.
      get deadline() {
        return runtime.deadline
      },
      save,
    })
    sentBytes = sentBefore + content.sizeBytes
    return outcome
  }

  try {
    for (const file of files.slice(copied.length, copied.length + MOST_OF_A_RUN)) {
      if (runtime.now() >= runtime.deadline) return { state: 'more' }
      const outcome = await copyNext(file)
      if (outcome.state !== 'done') return outcome
      copied.push(file.key)
    }
    return { state: copied.length === files.length ? 'done' : 'more' }
  } catch (error) {
    if (error instanceof OutOfTime) return { state: 'more' }
    throw error
  }
}

const copiedBytesOf = (state: CopyState | null): number => (state ? state.parts.length * state.partSizeBytes : 0)

const PARALLEL_REMOVALS = 4

/**
 * Removes the objects that a job has copied. Returns the refusal that left some of them in the bucket, or null. An object of
 * another job stays: it may have the same key and the same content, if the caller has started the failed job again.
 */
export const removeCopies = async (
  bucket: Bucket,
  jobId: string,
  keys: string[],
  clock: RetryClock,
): Promise<BucketRefusal | null> => {
  let refused: BucketRefusal | null = null
  const remove = async (key: string, signal: AbortSignal): Promise<void> => {
    const removal = async () => {
      const stored = await bucket.head(key, false, signal)
      if (stored?.jobId === jobId) await bucket.remove(key)
    }
    const runtime = { ...clock, deadline: Number.POSITIVE_INFINITY, signal }
    await withRetries(runtime, removal).catch((error) => {
      // A bucket that is down is not asked about the other keys.
      if (!(error instanceof BucketRefusal) || error.retryable) throw error
      refused = error
    })
  }
  try {
    await lanes(PARALLEL_REMOVALS, keys, remove)
  } catch (error) {
    if (error instanceof BucketRefusal) return error
    throw error
  }
  return refused
}
