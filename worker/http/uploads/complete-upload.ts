import type { Context } from 'hono'
import { failureOfCode } from '../../../domain/codes/failures.ts'
import { accepted, type Result, refused } from '../../../domain/codes/refusals.ts'
import { uploadKey } from '../../../domain/media/media-keys.ts'
import { etagsOf, type SentPart } from '../../../domain/uploads/parts.ts'
import type { Upload } from '../../../domain/uploads/upload.ts'
import { configOf } from '../../env.ts'
import { objectSecret } from '../../media/object-secret.ts'
import { abandonUpload, type Completion, completeMultipart, presignedGet } from '../../media/presigned-uploads.ts'
import { askFleet, fleetIsBusy } from '../fleet-calls.ts'
import { account, type HttpEnv } from '../request-context.ts'

const INSPECTION_MS = 20_000

/**
 * Puts the parts of a pending upload together and looks at the file:
 * 1. All parts must be there, and match those in storage. Otherwise storage keeps its parts, and they can be sent again.
 * 2. A container reads the file's beginning and index. If it is not media, the upload waits for other parts.
 * 3. The account marks the upload as ready.
 * Each step can be repeated: a request that was cut off after step 1 goes on with step 2 when it is sent again.
 */
export const completeUpload = async (
  c: Context<HttpEnv>,
  upload: Upload,
  sent: SentPart[],
): Promise<Result<Upload>> => {
  // The next attempt discards what storage has of the upload, and its parts have other URLs.
  const next = { id: upload.id, attempt: upload.attempt + 1 }
  const given = etagsOf(upload.sizeBytes, sent)
  if ('problem' in given) return refused('UPLOAD_INCOMPLETE', {}, given.problem)
  const completion = await completeAttempt(c.env.MEDIA, upload, given.etags)
  if (completion === 'incomplete') {
    return refused('UPLOAD_INCOMPLETE', {}, 'The storage does not have these parts. Send them again, with their ETags.')
  }
  if (completion === 'gone') {
    await startAttempt(c, next)
    return refused('UPLOAD_INCOMPLETE', {}, `The storage no longer has the parts. ${SEND_AGAIN}`)
  }
  const inspected = await inspectUpload(c, upload)
  if (inspected.ok || inspected.refusal.code !== 'SOURCE_UNSUPPORTED') return inspected
  await startAttempt(c, next)
  return refused('SOURCE_UNSUPPORTED', {}, `${inspected.refusal.message} ${SEND_AGAIN}`)
}

export const completeAttempt = async (bucket: R2Bucket, upload: Upload, etags: string[]): Promise<Completion> => {
  const { id, multipartId: uploadId, sizeBytes } = upload
  return uploadId === null
    ? 'gone'
    : completeMultipart(bucket, { key: uploadKey(id, upload), uploadId, sizeBytes }, etags)
}

const SEND_AGAIN = 'Send all parts again, to the URLs of GET /uploads/{id}.'

/** A container inspects the complete file. If it is media, the account marks the upload as ready. */
export const inspectUpload = async (c: Context<HttpEnv>, upload: Upload): Promise<Result<Upload>> => {
  const { id, attempt, sizeBytes } = upload
  const url = await presignedGet(configOf(c.env), uploadKey(id, upload), (2 * INSPECTION_MS) / 1_000)
  const inspected = await askFleet(c, { url, timeoutMs: INSPECTION_MS }, (engine, order, disconnected) =>
    engine.inspect({ ...order, sizeBytes }, disconnected),
  )
  if (inspected === 'busy') return { ok: false, refusal: fleetIsBusy }
  if (inspected.status === 'failed') {
    // The fault is in our own storage or container: the same request can succeed.
    if (failureOfCode(inspected.code).retryable) return { ok: false, refusal: fleetIsBusy }
    return refused('SOURCE_UNSUPPORTED')
  }
  const { contentType, durationSeconds } = inspected
  const ready = await account(c).markUploadReady({ id, attempt, sizeBytes, contentType, durationSeconds })
  return ready ? accepted(ready) : refused('MEDIA_EXPIRED', {}, 'The upload was removed.')
}

/** null: the upload is gone, or another request has started an attempt. */
export const startAttempt = async (
  c: Context<HttpEnv>,
  { id, attempt }: Pick<Upload, 'id' | 'attempt'>,
): Promise<Upload | null> => {
  const secret = await objectSecret(c.env, id)
  const key = uploadKey(id, { attempt, secret })
  const { uploadId } = await c.env.MEDIA.createMultipartUpload(key)
  const started = await account(c).startUploadAttempt({ id, attempt, secret, multipartId: uploadId })
  if (!started) await abandonUpload(c.env.MEDIA, key, uploadId)
  return started
}
