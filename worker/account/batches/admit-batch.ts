import { type BatchSource, MAX_OPEN_BATCHES } from '../../../domain/batches/batch.ts'
import { distinct } from '../../../domain/batches/slots.ts'
import { accepted, type Result, refused } from '../../../domain/codes/refusals.ts'
import { metadataField } from '../../../domain/jobs/job-metadata.ts'
import type { AccountRows } from '../account-rows.ts'
import type { BatchAdmission, IdempotencyKey, StartedBatch } from '../calls.ts'
import { sealedKeyOf } from '../jobs/job-rows.ts'
import { maySee, mayUse, scopeMissing } from '../keys/key-rows.ts'
import { type Requesting, requestAct } from '../requests/authenticated-request.ts'
import { checkMayWork } from '../requests/free-work.ts'
import { limitReached } from '../requests/limits.ts'
import { idempotencyOf, saveIdempotency, startedEarlier } from '../starts/answers.ts'
import { addBatch } from './add-batch.ts'
import { type BatchRow, originalOf } from './batch-rows.ts'
import { batchNotFound } from './batch-snapshot.ts'
import { itemsToRetry, type NewItem } from './item-rows.ts'

/** A batch takes no slot and holds nothing: its items do, when they start. */
export const admitBatch = requestAct((requesting, admission: BatchAdmission): Result<StartedBatch> => {
  const { rows, key, now } = requesting
  const { batchId, source, item, sealedKey = null } = admission
  const idempotency = admission.idempotency && idempotencyOf(key, admission.idempotency)
  const answer = begun(rows, batchId) ?? known(rows, idempotency, now) ?? refusalOf(requesting)
  if (answer) return answer
  const { reuseWithinSeconds, maxCostMicros, webhookUrl, origin, requestId = null } = admission
  const playlist = source.kind === 'playlist' ? { url: source.url, limit: source.limit } : null
  const terms = { maxCostMicros, prices: rows.prices, keyId: key.id }
  const own = { webhookUrl, ...metadataField(admission.metadata) }
  const about = { playlist, reuseWithinSeconds, ...terms, ...own, origin, requestId }
  const batch = { id: batchId, kind: item.kind, request: { ...about, item: item.request }, items: itemsOf(source) }
  return accepted(startedBatch(addBatch(rows, { ...batch, title: null, sealedKey, idempotency }, now)))
})

type RetryAdmission = Pick<BatchAdmission, 'batchId' | 'idempotency' | 'origin' | 'requestId'>

/**
 * A new batch of the items that may succeed if retried, which counts against the rate limit of its jobs. A batch and
 * its retries have one open retry at a time: every request for another is answered with it.
 */
export const retryBatch = requestAct(
  (
    requesting,
    earlierId: string,
    { batchId, idempotency: given, origin, requestId }: RetryAdmission,
  ): Result<StartedBatch> => {
    const { rows, key, now } = requesting
    const earlier = rows.batches.find(earlierId)
    if (!earlier || !maySee(key, earlier.request)) return batchNotFound()
    const scope = earlier.kind === 'import' ? 'import' : 'transcribe'
    if (!mayUse(key, scope)) return scopeMissing(key, scope)
    const idempotency = given && idempotencyOf(key, given)
    const answer = begun(rows, batchId) ?? known(rows, idempotency, now)
    if (answer) return answer
    const open = openRetryOf(rows, earlier)
    if (open) {
      if (idempotency) saveIdempotency(rows.sql, idempotency, { jobId: open.id, isReused: true }, now)
      return accepted(startedBatch(open))
    }
    const refusal = refusalOf(requesting)
    if (refusal) return refusal
    if (earlier.request.watchId !== undefined) return refused('NOTHING_TO_RETRY', {}, ofWatch)
    const items = itemsToRetry(rows.sql, earlierId)
    if (items.length === 0) return refused('NOTHING_TO_RETRY')
    const own = { playlist: null, prices: rows.prices, keyId: key.id, origin, requestId: requestId ?? null }
    const request = { ...earlier.request, ...own, retryOf: originalOf(earlier) }
    const { kind, title } = earlier
    // The key of a batch that has ended is gone. Its items then use the stored one.
    const sealedKey = sealedKeyOf(rows.sql, earlierId)
    return accepted(
      startedBatch(addBatch(rows, { id: batchId, kind, request, title, items, sealedKey, idempotency }, now)),
    )
  },
  {
    rateClass: ({ rows }, earlierId) =>
      rows.batches.find(earlierId)?.kind === 'transcription' ? 'transcribe' : 'import',
  },
)

const ofWatch = 'The batch belongs to a watch, which tries its items again itself.'

const openRetryOf = ({ account, batches }: AccountRows, earlier: BatchRow): BatchRow | null =>
  account.openBatches
    .filter(({ id }) => id !== earlier.id)
    .map(({ id }) => batches.find(id))
    .find((batch) => batch?.request.retryOf === originalOf(earlier) && batch.state !== 'canceled') ?? null

/** The answer to an earlier call with the same id. null: there was none. */
const begun = (rows: AccountRows, batchId: string | undefined): Result<StartedBatch> | null => {
  const batch = batchId === undefined ? null : rows.batches.find(batchId)
  return batch && accepted(startedBatch(batch))
}

/** The answer to an earlier request with the same Idempotency-Key. null: there was none. */
const known = (rows: AccountRows, idempotency: IdempotencyKey | null, now: number): Result<StartedBatch> | null => {
  const earlier = startedEarlier(rows.sql, idempotency, now)
  if (!earlier.ok) return earlier
  const batch = earlier.value && rows.batches.find(earlier.value.jobId)
  return batch && accepted(startedBatch(batch))
}

const refusalOf = (requesting: Requesting): Result<never> | null => {
  const { rows, endpoint } = requesting
  const mayWork = checkMayWork(requesting, 'jobs')
  if (!mayWork.ok) return mayWork
  if (rows.account.openBatches.length < MAX_OPEN_BATCHES) return null
  const message = `The limit of ${MAX_OPEN_BATCHES} open batches on ${endpoint} is reached.`
  return limitReached(requesting, 'CONCURRENCY_LIMITED', { limit: MAX_OPEN_BATCHES, message })
}

const itemsOf = (source: BatchSource): NewItem[] | null =>
  source.kind === 'urls' ? distinct<NewItem>(source.urls.map((url) => ({ url, title: null }))) : null

/** A repeated request gets the same answer, although the playlist may have been listed since. */
const startedBatch = ({ id, total, request }: BatchRow): StartedBatch => ({
  batchId: id,
  total: request.playlist ? null : total,
  webhookUrl: request.webhookUrl,
})
