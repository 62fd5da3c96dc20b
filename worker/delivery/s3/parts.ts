import { abortUpload } from './abandon.ts'
import { isDelivered, verify } from './check.ts'
import type { SentPart } from './client.ts'
import { sendLanes } from './lanes.ts'
import { offering } from './offer.ts'
import { patiently } from './patience.ts'
import { base64, fromBase64, sha256 } from './payload.ts'
import { partSizeFor } from './plan.ts'
import { BucketRefusal } from './refusal.ts'
import type { CopyState, OpenUpload, Run } from './run.ts'

/** How often an upload that vanished from the bucket (a lifecycle rule, a colleague) is begun anew in one run. */
const MAX_BEGINNINGS = 3

/** True when all is there and checked; false when time ran out first. */
export const sendInParts = async (run: Run): Promise<boolean> => {
  for (let beginning = 1; ; beginning++) {
    try {
      const upload = (await resumed(run)) ?? (await opened(run))
      return (await sendLanes(run, upload)) && (await completed(run, upload))
    } catch (error) {
      if (!isGone(error)) throw error
      const isDone = await isDelivered(run)
      await discard(run)
      if (isDone) return true
      if (beginning === MAX_BEGINNINGS) throw error
    }
  }
}

/** Also an upload that is gone because it is done: by a twin of this run, or by this run before it died. */
const isGone = (error: unknown): boolean => isRefusal(error) && error.code === 'STORAGE_UPLOAD_GONE'
const isRefusal = (error: unknown): error is BucketRefusal => error instanceof BucketRefusal
const uploadGone = new BucketRefusal('STORAGE_UPLOAD_GONE', { status: 404, words: '' })

/**
 * The saved upload, if it is still open. Asked up front, because a server may cut the connection in the
 * middle of a part that it has no upload for, and that looks like a broken network.
 */
const resumed = async (run: Run): Promise<OpenUpload | null> => {
  const { bucket, file, runtime, state } = run
  if (!state) return null
  const { uploadId } = state
  if (!uploadId) return await discard(run)
  await patiently(runtime, runtime.signal, () => bucket.listParts(file.key, uploadId, runtime.signal)).catch(
    (error) => {
      // Many keys may write but not list. Only a plain "gone" counts.
      if (!isRefusal(error) || error.retryable || isGone(error)) throw error
    },
  )
  return { ...state, uploadId }
}

const opened = async (run: Run): Promise<OpenUpload> => {
  const { file, runtime } = run
  const partSizeBytes = partSizeFor(file.sizeBytes)
  const opening = { openedAt: runtime.now(), uploadId: null, partSizeBytes, checksums: false, parts: [] }
  run.state = opening
  await runtime.save(opening)
  let tries = 0
  const upload = await offering(run, async (checksums) => {
    // The answer may have been lost on its way here, and an upload with it.
    if (tries++ > 0) await abortUpload(run.bucket, file.key, opening, { ...runtime, attempts: 1 })
    return await create(run, checksums)
  })
  const state = { ...opening, ...upload }
  run.state = state
  await runtime.save(state)
  return state
}

/** A server that says nothing to the offer may still insist on it later: it is asked again, without. */
const create = async (run: Run, offer: boolean) => {
  const { bucket, file, runtime } = run
  const upload = await bucket.createMultipart(file.key, file.facts, offer, runtime.signal)
  if (upload.checksums || !offer) return upload
  await bucket.abort(file.key, upload.uploadId, runtime.signal)
  return await bucket.createMultipart(file.key, file.facts, false, runtime.signal)
}

/** Makes room for a new beginning. A key that may not abort uploads leaves them to the bucket's own rules. */
const discard = async (run: Run): Promise<null> => {
  const { bucket, file, runtime, state } = run
  if (state) {
    await abortUpload(bucket, file.key, state, runtime).catch((error) => {
      if (!isRefusal(error) || error.retryable) throw error
    })
  }
  run.state = null
  return null
}

const completed = async (run: Run, upload: OpenUpload): Promise<boolean> => {
  const { bucket, file, runtime } = run
  if (runtime.now() >= runtime.deadline) return false
  const parts = upload.parts.toSorted((a: SentPart, b: SentPart) => a.number - b.number)
  await patiently(runtime, runtime.signal, () =>
    bucket.complete(file.key, upload.uploadId, parts, runtime.signal),
  ).catch(async (error) => {
    // A twin's completion in the midst of ours leaves some servers unable to say that the upload is gone.
    throw isRefusal(error) && (await isDelivered(run)) ? uploadGone : error
  })
  await verify(run, await checksumOfParts(parts))
  return true
}

/** As S3 makes it: the SHA-256 of the parts' SHA-256s. null where the server keeps none. */
const checksumOfParts = async (parts: CopyState['parts']): Promise<string | null> => {
  const digests = parts.flatMap(({ checksum }) => (checksum ? [...fromBase64(checksum)] : []))
  return digests.length === parts.length * 32 ? base64(await sha256(Uint8Array.from(digests))) : null
}
