import { fromBase64, toBase64 } from '../../../domain/encoding.ts'
import type { Bucket, ObjectHead, UploadedPart } from './bucket.ts'
import { BucketRefusal } from './bucket-refusal.ts'
import {
  type CopyRun,
  type CopyState,
  type FileToCopy,
  type OpenUpload,
  type RetryRuntime,
  withRetries,
} from './copy-state.ts'
import { partSizeFor, uploadMissingParts } from './parts.ts'
import { payloadOf, readInto, sha256 } from './payload.ts'

export const uploadWhole = async (run: CopyRun): Promise<true> => {
  const { bucket, file } = run
  const source = await file.read(0, file.sizeBytes)
  const payload = await payloadOf(await readInto(new ArrayBuffer(file.sizeBytes), file.sizeBytes, source))
  const checksum = await negotiateChecksums(run, async (checksums, signal) => {
    await bucket.put(file.key, payload, file.metadata, checksums, signal)
    return checksums ? toBase64(payload.digest) : null
  })
  await verifyStored(run, checksum)
  return true
}

/** How often one run restarts after its upload disappears from the bucket (a lifecycle rule, another user). */
const MAX_STARTS = 3

/** True when the file is stored and verified, false when the deadline passed first. */
export const uploadInParts = async (run: CopyRun): Promise<boolean> => {
  for (let start = 1; ; start++) {
    try {
      const upload = (await resumeUpload(run)) ?? (await openUpload(run))
      return (await uploadMissingParts(run, upload)) && (await completeUpload(run, upload))
    } catch (error) {
      if (!isGone(error)) throw error
      const isDone = await isAlreadyCopied(run)
      await discardUpload(run)
      if (isDone) return true
      if (start === MAX_STARTS) throw error
    }
  }
}

/** An upload is also gone when it was completed: by a concurrent run, or by this run before a crash. */
const isGone = (error: unknown): boolean => error instanceof BucketRefusal && error.code === 'STORAGE_UPLOAD_GONE'
const uploadGone = new BucketRefusal('STORAGE_UPLOAD_GONE', { status: 404, serverMessage: '' })

/** Ignores a permanent refusal: many credentials may write, but neither list uploads nor abort them. */
const unlessRefused = (error: unknown): void => {
  if (!(error instanceof BucketRefusal) || error.retryable) throw error
}

/** The saved upload, if it is still open. On a part of an unknown upload, a server may just close the connection. */
const resumeUpload = async (run: CopyRun): Promise<OpenUpload | null> => {
  const { bucket, file, runtime, state } = run
  if (!state) return null
  const { uploadId } = state
  if (!uploadId) return await discardUpload(run)
  await withRetries(runtime, (signal) => bucket.listParts(file.key, uploadId, signal)).catch((error) => {
    if (isGone(error)) throw error
    unlessRefused(error)
  })
  return { ...state, uploadId }
}

const openUpload = async (run: CopyRun): Promise<OpenUpload> => {
  const { file, runtime } = run
  const partSizeBytes = partSizeFor(file.sizeBytes)
  const opening = { openedAt: runtime.now(), uploadId: null, partSizeBytes, checksums: false, parts: [] }
  run.state = opening
  await runtime.save(opening)
  let attempts = 0
  const upload = await negotiateChecksums(run, async (checksums, signal) => {
    // The previous attempt may have created an upload although its response was lost.
    if (attempts++ > 0) await abortUpload(run.bucket, file.key, opening, { ...runtime, attempts: 1 })
    return await createUpload(run, checksums, signal)
  })
  const state = { ...opening, ...upload }
  run.state = state
  await runtime.save(state)
  return state
}

/** A server that ignores the header may still require checksums at the end, so the upload is created without it. */
const createUpload = async ({ bucket, file }: CopyRun, checksums: boolean, signal: AbortSignal) => {
  const upload = await bucket.createMultipart(file.key, file.metadata, checksums, signal)
  if (upload.checksums || !checksums) return upload
  await bucket.abort(file.key, upload.uploadId, signal)
  return await bucket.createMultipart(file.key, file.metadata, false, signal)
}

/** Before a restart. If the credentials may not abort uploads, the upload is left to the bucket's lifecycle rules. */
const discardUpload = async (run: CopyRun): Promise<null> => {
  const { bucket, file, runtime, state } = run
  if (state) await abortUpload(bucket, file.key, state, runtime).catch(unlessRefused)
  run.state = null
  return null
}

/** Allows for clock skew between the bucket and this service. S3 reports whole seconds. */
const CLOCK_MARGIN_MS = 5000

/** Aborts the upload of this state. An upload whose id was not saved is found by its key and age. */
export const abortUpload = async (
  bucket: Bucket,
  key: string,
  { uploadId, openedAt }: CopyState,
  runtime: Omit<RetryRuntime, 'signal'>,
): Promise<void> => {
  // Never aborted: the job's cancellation itself leads here.
  const unstoppable = { ...runtime, signal: new AbortController().signal }
  const uploadIds = uploadId ? [uploadId] : await withRetries(unstoppable, () => openedUploads(bucket, key, openedAt))
  for (const id of uploadIds) await withRetries(unstoppable, () => bucket.abort(key, id))
}

/** Uploads of this key that are not older than the state. Empty if the credentials may not list uploads. */
const openedUploads = async (bucket: Bucket, key: string, openedAt: number): Promise<string[]> => {
  const uploads = (await bucket.uploadsOf(key).catch(unlessRefused)) ?? []
  return uploads.filter(({ initiatedAt }) => initiatedAt >= openedAt - CLOCK_MARGIN_MS).map(({ uploadId }) => uploadId)
}

const completeUpload = async (run: CopyRun, upload: OpenUpload): Promise<boolean> => {
  const { bucket, file, runtime } = run
  if (runtime.now() >= runtime.deadline) return false
  const parts = upload.parts.toSorted((a, b) => a.number - b.number)
  const completed = withRetries(runtime, (signal) => bucket.complete(file.key, upload.uploadId, parts, signal))
  await completed.catch(async (error) => {
    // When a concurrent run completes the upload first, some servers return another error than NoSuchUpload.
    throw error instanceof BucketRefusal && (await isAlreadyCopied(run)) ? uploadGone : error
  })
  await verifyStored(run, await checksumOfParts(parts))
  return true
}

/** Sends checksum headers first. Repeats the request without them if the server does not support them. */
const negotiateChecksums = <T>({ runtime }: CopyRun, act: (checksums: boolean, signal: AbortSignal) => Promise<T>) =>
  withRetries(runtime, (signal) => act(true, signal)).catch((error) => {
    const isUnsupported =
      error instanceof BucketRefusal && error.code === 'STORAGE_REFUSED' && [400, 501].includes(error.status)
    if (!isUnsupported) throw error
    return withRetries(runtime, (signal) => act(false, signal))
  })

/** S3's checksum of a multipart object: the SHA-256 of the parts' SHA-256s. null if the server stores none. */
const checksumOfParts = async (parts: UploadedPart[]): Promise<string | null> => {
  const digests = parts.flatMap(({ checksum }) => (checksum ? [...fromBase64(checksum)] : []))
  return digests.length === parts.length * 32 ? toBase64(await sha256(Uint8Array.from(digests))) : null
}

const mismatch = (stored: ObjectHead | null, { sizeBytes, metadata }: FileToCopy, checksum: string | null) => {
  if (!stored) return 'the file does not exist after the upload.'
  if (stored.sizeBytes !== sizeBytes) return `it reports ${stored.sizeBytes} bytes, but ${sizeBytes} were sent.`
  if (stored.sha256 && stored.sha256 !== metadata.sha256) return 'the key was overwritten with another file.'
  if (!stored.checksum || !checksum) return null
  return stored.checksum.replace(/-\d+$/, '') === checksum ? null : 'its checksum differs.'
}

/** `checksum` is the expected one in base64, or null if the server stores none. */
const verifyStored = async ({ bucket, file, runtime }: CopyRun, checksum: string | null): Promise<void> => {
  await withRetries(runtime, async (signal) => {
    const stored = await bucket.head(file.key, checksum !== null, signal)
    const serverMessage = mismatch(stored, file, checksum)
    if (serverMessage) throw new BucketRefusal('STORAGE_CORRUPTED', { status: 200, serverMessage })
  })
}

/** Only an object of this job counts: another job may still remove its own, and others are the caller's. */
const isAlreadyCopied = async ({ bucket, file, runtime }: CopyRun): Promise<boolean> => {
  const { sha256, jobId = null } = file.metadata
  const stored = await bucket.head(file.key, false, runtime.signal)
  return stored?.sha256 === sha256 && stored.jobId === jobId && mismatch(stored, file, null) === null
}
