import { accepted, type Result, refused } from '../../../domain/codes/refusals.ts'
import { newId } from '../../../domain/ids.ts'
import { uploadKey } from '../../../domain/media/media-keys.ts'
import { type Micros, micros, toDollars } from '../../../domain/money/money.ts'
import { isFree } from '../../../domain/money/prices.ts'
import {
  MAX_PENDING_UPLOADS,
  PENDING_UPLOAD_MS,
  READY_UPLOAD_MS,
  RECEIVING_MS,
  REMOVED_UPLOAD_MS,
  type Upload,
} from '../../../domain/uploads/upload.ts'
import type { AccountRows } from '../account-rows.ts'
import { act } from '../acts.ts'
import { changeMedia, schedule } from '../due/due-rows.ts'
import { totals } from '../holds-and-ledger.ts'
import { maySee, mayStop, mayUse, poolOf, scopeMissing } from '../keys/key-rows.ts'
import { type Requesting, readRequestAct, requestAct } from '../requests/authenticated-request.ts'
import { checkFreeWork, checkMayWork } from '../requests/free-work.ts'
import { checkSuspension, limitReached } from '../requests/limits.ts'
import { isNeeded, neededFiles } from '../stored-files/needed-files.ts'
import {
  countPending,
  findUpload,
  forgetUpload,
  readUpload,
  saveUpload,
  storedBytes,
  uploadNotFound,
  uploadOf,
} from './upload-rows.ts'

/**
 * The account knows of the multipart upload in storage before the caller gets its URLs, so whatever happens to it is
 * discarded. A request that completes an upload names the attempt that it has looked at, so of two at once only one
 * changes anything.
 */
export interface NewUpload {
  /** As in an Admission. */
  id?: string
  filename: string
  sizeBytes: number
  contentType: string | null
}

/** Pending ones end when the caller completes or deletes them. */
const LIMIT_RETRY_SECONDS = 60

export const reserveUpload = requestAct((requesting, file: NewUpload) =>
  reserve(requesting, file, { funds: totals(requesting.rows).available, pendingMs: PENDING_UPLOAD_MS }),
)

/** For a file in the body of a start, which counts as a request. A job of the same file may hold the whole balance. */
export const reserveReceivedFile = requestAct(
  (requesting, file: Omit<NewUpload, 'sizeBytes'>) => {
    const { balance } = requesting.rows.account
    return reserve(requesting, { ...file, sizeBytes: 0 }, { funds: balance, pendingMs: RECEIVING_MS })
  },
  { counts: () => false },
)

const LEAST_FUNDS = micros(1)
const LARGER_THAN_LIMIT = "The file is larger than the limit for all of the account's uploads."

/** `funds`: where there are none, the file could not be used. */
const reserve = (
  requesting: Requesting,
  file: NewUpload,
  { funds, pendingMs }: { funds: Micros; pendingMs: number },
): Result<Upload> => {
  const { rows, key, now } = requesting
  const reserved = file.id === undefined ? null : readUpload(rows.sql, file.id)
  if (reserved) return accepted(reserved)
  const suspension = checkSuspension(rows)
  if (!suspension.ok) return suspension
  const pool = poolOf(key)
  if (countPending(rows, pool, now) >= MAX_PENDING_UPLOADS) {
    const message = `The limit of ${MAX_PENDING_UPLOADS} pending uploads is reached. Complete or delete one.`
    const retryAfter = LIMIT_RETRY_SECONDS
    return limitReached(requesting, 'CONCURRENCY_LIMITED', { limit: MAX_PENDING_UPLOADS, retryAfter, message })
  }
  // The inspection of the file is free.
  const freeWork = checkFreeWork(requesting, 'lookups')
  if (!freeWork.ok) return freeWork
  if (!isFree(rows.prices) && funds < LEAST_FUNDS) {
    const facts = { requiredDollars: toDollars(LEAST_FUNDS), availableDollars: toDollars(funds) }
    return refused('INSUFFICIENT_BALANCE', facts, 'The account balance is too low for an upload.')
  }
  const { uploadBytes: limit } = rows.limits
  if (file.sizeBytes > limit) return refused('BODY_TOO_LARGE', { limit }, LARGER_THAN_LIMIT)
  const usedBytes = storedBytes(rows, pool, neededFiles(rows), now)
  if (usedBytes + file.sizeBytes > limit) {
    const remaining = Math.max(0, limit - usedBytes)
    return limitReached(requesting, 'STORAGE_LIMITED', { limit, remaining, retryAfter: LIMIT_RETRY_SECONDS })
  }
  const upload: Upload = {
    ...file,
    id: file.id ?? newId('upload', now),
    state: 'pending',
    durationSeconds: null,
    attempt: 1,
    secret: '',
    multipartId: null,
    keyId: key.id,
    createdAt: now,
    expiresAt: now + pendingMs,
  }
  saveUpload(rows.sql, upload)
  return accepted(upload)
}

/** A suspended account may not complete an upload, which is part of a start. One that is ready is only read. */
export const uploadToComplete = readRequestAct((requesting, id: string): Result<Upload> => {
  const { rows, key, now } = requesting
  const found = uploadOf(rows.sql, key, id, now)
  if (!found.ok || found.value.state !== 'pending') return found
  const mayWork = checkMayWork(requesting, 'lookups')
  return mayWork.ok ? found : mayWork
})

type UploadAttempt = Pick<Upload, 'id' | 'attempt' | 'secret'> & { multipartId: string }

/** A repeated call changes nothing. null: the upload is not waiting for this attempt. */
export const startUploadAttempt = act(({ rows, now }, next: UploadAttempt): Upload | null => {
  const { id, attempt, secret, multipartId } = next
  const upload = findUpload(rows.sql, id, now)
  if (upload?.state !== 'pending') return null
  if (upload.attempt === attempt && upload.multipartId === multipartId) return upload
  const isFirst = attempt === 1 && upload.multipartId === null
  if (!isFirst && attempt !== upload.attempt + 1) return null
  if (!isFirst) discard(rows, upload, now)
  const started = { ...upload, attempt, secret, multipartId }
  saveUpload(rows.sql, started)
  return started
})

type ReadyFile = Pick<Upload, 'id' | 'attempt' | 'sizeBytes' | 'contentType' | 'durationSeconds'>

/** The file of an attempt is complete, and it is media. null: the upload is gone, or has another attempt. */
export const markUploadReady = act(({ rows, now }, { id, attempt, ...facts }: ReadyFile): Upload | null => {
  const upload = findUpload(rows.sql, id, now)
  if (!upload || upload.state === 'removed' || upload.attempt !== attempt) return null
  if (upload.state === 'ready') return upload
  const ready: Upload = { ...upload, ...facts, state: 'ready', expiresAt: now + READY_UPLOAD_MS }
  saveUpload(rows.sql, ready)
  return ready
})

export const removeUpload = requestAct(({ rows, key, now }, id: string): Result<Upload> => {
  const upload = findUpload(rows.sql, id, now)
  if (!upload || !(maySee(key, upload) || mayUse(key, 'manage'))) return uploadNotFound()
  if (!mayStop(key, upload)) return scopeMissing(key, 'manage')
  const saved = readUpload(rows.sql, id)
  if (saved && saved.state !== 'removed') remove(rows, saved, now)
  return accepted({ ...upload, state: 'removed' })
})

export const showUpload = readRequestAct(({ rows, key, now }, id: string) => uploadOf(rows.sql, key, id, now))

/** A received file has no owner who would ask for it. Its row stays while a job needs it: see `expireUpload`. */
export const discardReceivedFile = act(({ rows, now }, id: string) => {
  const upload = readUpload(rows.sql, id)
  if (upload && upload.state !== 'removed') remove(rows, upload, now, RECEIVING_MS)
})

export const expireUpload = (rows: AccountRows, id: string, now: number): void => {
  const upload = readUpload(rows.sql, id)
  if (!upload) return
  if (upload.state !== 'removed') remove(rows, upload, now)
  // The last job that reads the file needs the row to find it.
  else if (isNeeded(rows, id)) schedule(rows.sql, 'upload', id, now + READY_UPLOAD_MS)
  else forgetUpload(rows.sql, id)
}

const remove = (rows: AccountRows, upload: Upload, now: number, rememberedMs: number = REMOVED_UPLOAD_MS): void => {
  if (!isNeeded(rows, upload.id)) discard(rows, upload, now)
  saveUpload(rows.sql, { ...upload, state: 'removed', expiresAt: now + rememberedMs })
}

const discard = ({ sql }: AccountRows, upload: Upload, now: number): void => {
  const { id, multipartId: uploadId } = upload
  if (uploadId === null) return
  changeMedia(sql, { kind: 'discard', objects: [{ key: uploadKey(id, upload), uploadId }] }, now)
}
