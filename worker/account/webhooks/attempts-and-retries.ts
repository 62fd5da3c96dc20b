import type { Batch } from '../../../domain/batches/batch.ts'
import { eventId } from '../../../domain/events/event-ids.ts'
import type { EndEventType } from '../../../domain/events/event-types.ts'
import { newId } from '../../../domain/ids.ts'
import type { Job } from '../../../domain/jobs/job.ts'
import { WEBHOOK_RESEND_MS } from '../../../domain/limits.ts'
import { ATTEMPT_LEASE_MS, DELIVERY_LOG_MS, stateAfterAttempt } from '../../../domain/webhooks/retry-schedule.ts'
import { asBatch, readBatchRow } from '../batches/batch-rows.ts'
import { addToOutbox } from '../clockwork/outbox.ts'
import { cancelTasks, scheduleTask } from '../clockwork/schedule.ts'
import type { LoggedEvent } from '../events/event-rows.ts'
import { readJob, withoutJobLease } from '../jobs/job-rows.ts'
import {
  addDelivery,
  type DeliveryRow,
  deleteDeliveries,
  failedSince,
  findDelivery,
  grantDeliveryLease,
  reopenDelivery,
  settleDelivery,
  withoutLease,
} from './delivery-rows.ts'
import { type AttemptOutcome, type ClaimedDelivery, type Delivery, TEST_EVENT } from './webhook-delivery.ts'
import { liveSeeds } from './webhook-secrets.ts'

/**
 * A webhook delivery is written in the transaction that ends its job or its batch, and has the id of that event. When an attempt is due, a queue message
 * is sent for it, and sent again every WEBHOOK_RESEND_MS until the attempt is claimed. A claim is a short lease: a
 * duplicate message finds no work, and a report under an older lease changes nothing. An attempt whose lease
 * expires without a report counts as failed.
 *
 *   pending ──2xx──▶ delivered          any other response, or none ──▶ pending, retried later
 *      └──410, or the last attempt──▶ failed          replayed ──▶ pending, with all attempts left
 */
export const addEventDelivery = (
  sql: SqlStorage,
  { number, type, subjectId }: LoggedEvent & { type: EndEventType },
  url: string | null,
  now: number,
): void => {
  if (url === null) return
  const id = eventId(number, subjectId)
  addDelivery(sql, { id, type, subject: subjectId, url, now })
  sendMessage(sql, id, now)
  deleteDeliveries(sql, newId('event', now - DELIVERY_LOG_MS))
}

/** null: the message needs no work, because the delivery has ended, is not due, or another attempt has the lease. */
export const claimDelivery = (
  sql: SqlStorage,
  { id, lease, random, now }: { id: string; lease: string; random: number; now: number },
): ClaimedDelivery | null => {
  checkPending(sql, { id, random, now, onDue: () => {} })
  const delivery = findDelivery(sql, id)
  const isDue = delivery && delivery.lease === null && delivery.nextAt !== null && delivery.nextAt <= now
  return isDue ? grantLease(sql, id, lease, now) : null
}

export interface AttemptReport {
  id: string
  lease: string
  outcome: AttemptOutcome
}

export const reportDelivery = (
  sql: SqlStorage,
  { id, lease, outcome, random, now }: AttemptReport & { random: number; now: number },
): void => {
  const delivery = findDelivery(sql, id)
  if (delivery?.lease === lease) settle(sql, delivery, outcome, random, now)
}

/**
 * A message in the dead-letter queue counts as a failed attempt, so that retries end for faults on our side too. null: the
 * delivery was not waiting for an attempt.
 */
export const countDeadLetter = (sql: SqlStorage, id: string, random: number, now: number): Delivery | null => {
  const claimed = claimDelivery(sql, { id, lease: 'dead letter', random, now })
  if (!claimed) return null
  reportDelivery(sql, { id, lease: claimed.lease, outcome: interrupted, random, now })
  return readDelivery(sql, id)
}

/** Called by the alarm. Sends the message if an attempt is due, or fails the attempt whose lease has expired. */
export const runDeliveryTask = (sql: SqlStorage, id: string, random: number, now: number): void => {
  checkPending(sql, { id, random, now, onDue: () => sendMessage(sql, id, now) })
}

/** null: the delivery does not exist. A delivery with an attempt in progress is returned unchanged. */
export const replay = (sql: SqlStorage, id: string, now: number): Delivery | null => {
  const delivery = findDelivery(sql, id)
  if (!delivery) return null
  if (delivery.lease === null || (delivery.leaseUntil ?? 0) <= now) {
    reopenDelivery(sql, id, now)
    sendMessage(sql, id, now)
  }
  return readDelivery(sql, id)
}

/** Limits the size of one transaction. */
const MAX_REPLAYED = 1_000

/** `more`: the limit was reached and other failed deliveries remain. */
export const replayFailed = (sql: SqlStorage, since: number, now: number): { replayed: number; more: boolean } => {
  const ids = failedSince(sql, since, MAX_REPLAYED + 1)
  const replayed = ids.slice(0, MAX_REPLAYED)
  for (const id of replayed) replay(sql, id, now)
  return { replayed: replayed.length, more: ids.length > replayed.length }
}

/** A test has one attempt, made by the request that asked for it, and appears in the log like other deliveries. */
export const beginTest = (sql: SqlStorage, url: string, lease: string, now: number): ClaimedDelivery => {
  const id = newId('event', now)
  addDelivery(sql, { id, type: TEST_EVENT, subject: null, url, now })
  return grantLease(sql, id, lease, now)
}

export const readDelivery = (sql: SqlStorage, id: string): Delivery | null => {
  const delivery = findDelivery(sql, id)
  return delivery && withoutLease(delivery)
}

const checkPending = (
  sql: SqlStorage,
  { id, random, now, onDue }: { id: string; random: number; now: number; onDue: () => void },
): void => {
  const delivery = findDelivery(sql, id)
  if (delivery?.state !== 'pending') return
  if (delivery.leaseUntil !== null && delivery.leaseUntil <= now) settle(sql, delivery, interrupted, random, now)
  else if (delivery.leaseUntil !== null) scheduleTask(sql, 'delivery', id, delivery.leaseUntil)
  else if (delivery.nextAt !== null && delivery.nextAt > now) scheduleTask(sql, 'delivery', id, delivery.nextAt)
  else onDue()
}

const sendMessage = (sql: SqlStorage, deliveryId: string, now: number): void => {
  addToOutbox(sql, { kind: 'delivery', deliveryId }, now)
  scheduleTask(sql, 'delivery', deliveryId, now + WEBHOOK_RESEND_MS)
}

const grantLease = (sql: SqlStorage, id: string, lease: string, now: number): ClaimedDelivery => {
  grantDeliveryLease(sql, id, lease, now + ATTEMPT_LEASE_MS, now)
  scheduleTask(sql, 'delivery', id, now + ATTEMPT_LEASE_MS)
  const delivery = readDelivery(sql, id)
  if (!delivery) throw new Error(`delivery ${id} does not exist`)
  const seeds = liveSeeds(sql, now).map(({ seed }) => seed)
  return { delivery, lease, job: jobOf(sql, delivery), batch: batchOf(sql, delivery), seeds }
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

const interrupted: AttemptOutcome = {
  status: null,
  responseBody: null,
  attemptError: 'INTERRUPTED',
  retryAfterMs: null,
}

const settle = (sql: SqlStorage, delivery: DeliveryRow, outcome: AttemptOutcome, random: number, now: number): void => {
  const { id, type, attempts } = delivery
  const verdict = stateAfterAttempt(outcome, attempts, random)
  const isOver = verdict.state !== 'pending' || type === TEST_EVENT
  if (isOver) {
    settleDelivery(sql, id, { state: verdict.state === 'delivered' ? 'delivered' : 'failed', nextAt: null }, outcome)
    cancelTasks(sql, id, 'delivery')
  } else {
    const nextAt = now + verdict.delayMs
    settleDelivery(sql, id, { state: 'pending', nextAt }, outcome)
    scheduleTask(sql, 'delivery', id, nextAt)
  }
}
