import type { Batch } from '../../../domain/batches/batch.ts'
import { accepted, refused } from '../../../domain/codes/refusals.ts'
import type { WebhookEventType } from '../../../domain/events/event-types.ts'
import { newId } from '../../../domain/ids.ts'
import type { Job } from '../../../domain/jobs/job.ts'
import { WEBHOOK_RESEND_MS } from '../../../domain/limits.ts'
import { ATTEMPT_LEASE_MS, DELIVERY_LOG_MS, stateAfterAttempt } from '../../../domain/webhooks/retry-schedule.ts'
import type { AccountRows } from '../account-rows.ts'
import { act } from '../acts.ts'
import { asBatch, readBatchRow } from '../batches/batch-rows.ts'
import type { PageRequest } from '../calls.ts'
import type { Again, DueContext } from '../due/due.ts'
import { type DueRow, schedule, unschedule } from '../due/due-rows.ts'
import { readJob, withoutJobLease } from '../jobs/job-rows.ts'
import { readRequestAct, requestAct } from '../requests/authenticated-request.ts'
import {
  addDelivery,
  type DeliveryFilter,
  type DeliveryRow,
  deleteDeliveries,
  failedSince,
  findDelivery,
  listDeliveries,
  subjectOf,
  updateDelivery,
  withoutLease,
} from './delivery-rows.ts'
import {
  type AttemptOutcome,
  type ClaimedDelivery,
  type Delivery,
  interrupted,
  TEST_EVENT,
} from './webhook-delivery.ts'
import { liveSeeds } from './webhook-secrets.ts'

/**
 * A webhook delivery is written in the transaction of its event, and has its id: a job or a batch has ended, or a watch has
 * changed. When an attempt is due, a queue message is sent for it, and sent again every WEBHOOK_RESEND_MS until the attempt is
 * claimed. A claim is a short lease: a duplicate message finds no work, and a report under an older lease changes nothing. An
 * attempt whose lease expires without a report counts as failed.
 *
 *   pending ──2xx──▶ delivered          any other response, or none ──▶ pending, retried later
 *      └──410, or the last attempt──▶ failed          replayed ──▶ pending, with all attempts left
 */
export const addEventDelivery = (
  { sql }: AccountRows,
  { id, type, subjectId, data = null }: { id: string; type: WebhookEventType; subjectId: string; data?: string | null },
  url: string | null,
  now: number,
): void => {
  if (url === null) return
  addDelivery(sql, { id, type, [`${subjectOf(type)}Id`]: subjectId, url, data: data && JSON.parse(data), now })
  schedule(sql, 'delivery', id, now)
  deleteDeliveries(sql, newId('event', now - DELIVERY_LOG_MS))
}

/** null: the message needs no work, because the delivery has ended, is not due, or another attempt has the lease. */
export const claimDelivery = act(({ rows, now }, id: string): ClaimedDelivery | null => {
  const lease = crypto.randomUUID()
  return isAttemptDue(rows, id, now) ? grantLease(rows, id, lease, now) : null
})

/** Returns the current delivery, even if the report's lease was lost and the report ignored. */
export const reportDelivery = act(
  ({ rows, now }, { id, lease, outcome }: { id: string; lease: string; outcome: AttemptOutcome }): Delivery | null => {
    const delivery = findDelivery(rows.sql, id)
    if (delivery?.lease === lease) settle(rows, delivery, outcome, now)
    return readDelivery(rows.sql, id)
  },
)

/** A dead message counts as a failed attempt, so that retries end for our own faults too. null: no attempt was due. */
export const countDeadLetter = act(({ rows, now }, id: string): Delivery | null => {
  if (!isAttemptDue(rows, id, now)) return null
  grantLease(rows, id, 'dead letter', now)
  const delivery = findDelivery(rows.sql, id)
  if (delivery) settle(rows, delivery, interrupted, now)
  return readDelivery(rows.sql, id)
})

/** Sends the message if an attempt is due, or fails the attempt whose lease has expired. */
export const sendDelivery = async ({ rows, targets, act }: DueContext, { ref: deliveryId }: DueRow): Promise<Again> => {
  const at = act((now) => attemptDueAt(rows, deliveryId, now))
  if (at === null) return
  if (at > Date.now()) return at
  await targets.sendDelivery({ accountId: rows.account.id, deliveryId })
  return Date.now() + WEBHOOK_RESEND_MS
}

export const replay = requestAct(({ rows, now }, deliveryId: string) => {
  const replayed = replayDelivery(rows.sql, deliveryId, now)
  return replayed ? accepted(replayed) : refused('NOT_FOUND', {}, 'There is no delivery with this id.')
})

/** null: the delivery does not exist. A delivery with an attempt in progress is returned unchanged. */
const replayDelivery = (sql: SqlStorage, id: string, now: number): Delivery | null => {
  const delivery = findDelivery(sql, id)
  if (!delivery) return null
  if (delivery.lease === null || (delivery.leaseUntil ?? 0) <= now) {
    updateDelivery(sql, id, { state: 'pending', attempts: 0, nextAt: now, ...noLease })
    schedule(sql, 'delivery', id, now)
  }
  return readDelivery(sql, id)
}

export const deliveries = readRequestAct(({ rows }, filter: DeliveryFilter, page: PageRequest) =>
  accepted(listDeliveries(rows.sql, filter, page)),
)

/** Limits the size of one transaction. */
const MAX_REPLAYED = 1_000

/** `more`: the limit was reached and other failed deliveries remain. */
export const replayFailed = requestAct(({ rows: { sql }, now }, since: number) => {
  const ids = failedSince(sql, since, MAX_REPLAYED + 1)
  const replayed = ids.slice(0, MAX_REPLAYED)
  for (const id of replayed) replayDelivery(sql, id, now)
  return accepted({ replayed: replayed.length, more: ids.length > replayed.length })
})

/** A test has one attempt, made by the request that asked for it, and appears in the log like other deliveries. */
export const beginWebhookTest = requestAct(({ rows, now }, url: string) => {
  const lease = crypto.randomUUID()
  const id = newId('event', now)
  addDelivery(rows.sql, { id, type: TEST_EVENT, url, now })
  return accepted(grantLease(rows, id, lease, now))
})

const readDelivery = (sql: SqlStorage, id: string): Delivery | null => {
  const delivery = findDelivery(sql, id)
  return delivery && withoutLease(delivery)
}

/** Settles an attempt whose lease has expired, which may leave the next attempt due. null: none is due. */
const attemptDueAt = (rows: AccountRows, id: string, now: number): number | null => {
  const { sql } = rows
  const found = findDelivery(sql, id)
  if (found?.leaseUntil != null && found.leaseUntil <= now) settle(rows, found, interrupted, now)
  const delivery = findDelivery(sql, id)
  return delivery?.state === 'pending' ? (delivery.leaseUntil ?? delivery.nextAt) : null
}

const isAttemptDue = (rows: AccountRows, id: string, now: number): boolean =>
  (attemptDueAt(rows, id, now) ?? Number.POSITIVE_INFINITY) <= now

const grantLease = (rows: AccountRows, id: string, lease: string, now: number): ClaimedDelivery => {
  const { sql } = rows
  const found = findDelivery(sql, id)
  if (!found) throw new Error(`delivery ${id} does not exist`)
  const attempt = { attempts: found.attempts + 1, attemptedAt: now, nextAt: null }
  updateDelivery(sql, id, { ...attempt, lease, leaseUntil: now + ATTEMPT_LEASE_MS })
  schedule(sql, 'delivery', id, now + ATTEMPT_LEASE_MS)
  const delivery = { ...withoutLease(found), ...attempt }
  const seeds = liveSeeds(sql, now).map(({ seed }) => seed)
  return { delivery, lease, job: jobOf(sql, delivery), batch: batchOf(sql, delivery), data: found.data, seeds }
}

const jobOf = (sql: SqlStorage, { jobId }: Delivery): Job | null => {
  const job = jobId === null ? null : readJob(sql, jobId)
  return job && withoutJobLease(job)
}

/** It has ended, so none of its items runs. */
const batchOf = (sql: SqlStorage, { batchId }: Delivery): Batch | null => {
  const batch = batchId === null ? null : readBatchRow(sql, batchId)
  return batch && asBatch(batch, 0)
}

const noLease = { lease: null, leaseUntil: null }

const settle = ({ sql }: AccountRows, delivery: DeliveryRow, outcome: AttemptOutcome, now: number): void => {
  const { id, type, attempts } = delivery
  const verdict = stateAfterAttempt(outcome, attempts, Math.random())
  const nextAt = verdict.state === 'pending' && type !== TEST_EVENT ? now + verdict.delayMs : null
  const state = nextAt !== null || verdict.state === 'delivered' ? verdict.state : 'failed'
  const { status, responseBody, attemptError } = outcome
  updateDelivery(sql, id, { state, nextAt, status, responseBody, attemptError, ...noLease })
  if (nextAt === null) unschedule(sql, id)
  else schedule(sql, 'delivery', id, nextAt)
}
