import { newId } from '../../domain/ids.ts'
import type { Job } from '../../domain/jobs/job.ts'
import { RESEND_MS } from '../../domain/limits.ts'
import { type ClaimedDelivery, type Delivery, type Outcome, TEST_EVENT } from '../../domain/webhooks/deliveries.ts'
import { ATTEMPT_LEASE_MS, DELIVERY_LOG_MS, judge } from '../../domain/webhooks/schedule.ts'
import { post } from '../clockwork/outbox.ts'
import { plan, unplan } from '../clockwork/schedule.ts'
import { findJob } from '../jobs/jobs.ts'
import {
  addDelivery,
  type DeliveryRow,
  failedSince,
  findDelivery,
  forgetDeliveries,
  lendDelivery,
  reopenDelivery,
  settleDelivery,
  withoutLease,
} from './deliveries.ts'
import { liveSeeds } from './webhook-secrets.ts'

/**
 * The life of a webhook delivery. It is written in the transaction that ends its job and waits until its
 * next attempt is due; then a message is sent for it, again every so often until somebody claims the
 * attempt. A claim is a short lease: a second message finds nothing to do, a report under an older lease
 * changes nothing, and an attempt that never reports counts as one that failed.
 *
 *   pending ──2xx──▶ delivered          any other answer, or none ──▶ pending, later
 *      └──410, or the last attempt──▶ failed          replayed ──▶ pending, from the start
 */
export const announce = (sql: SqlStorage, job: Job, state: 'completed' | 'failed', now: number): void => {
  const { webhookUrl } = job.request
  if (webhookUrl === null) return
  const id = newId('event', now)
  addDelivery(sql, { id, type: `${job.kind}.${state}`, jobId: job.id, url: webhookUrl, now })
  send(sql, id, now)
  forgetDeliveries(sql, newId('event', now - DELIVERY_LOG_MS))
}

/** null: there is nothing to do for this message (delivered, not due, or another has it). */
export const claimDelivery = (
  sql: SqlStorage,
  { id, lease, random, now }: { id: string; lease: string; random: number; now: number },
): ClaimedDelivery | null => {
  tend(sql, { id, random, now, due: () => {} })
  const delivery = findDelivery(sql, id)
  const isDue = delivery && delivery.lease === null && delivery.nextAt !== null && delivery.nextAt <= now
  return isDue ? lend(sql, id, lease, now) : null
}

export interface AttemptReport {
  id: string
  lease: string
  outcome: Outcome
}

/** False: the attempt was given up for lost, and another may be on its way. */
export const reportDelivery = (
  sql: SqlStorage,
  { id, lease, outcome, random, now }: AttemptReport & { random: number; now: number },
): boolean => {
  const delivery = findDelivery(sql, id)
  if (!delivery || delivery.lease !== lease) return false
  settle(sql, delivery, outcome, random, now)
  return true
}

/** Its message is a dead letter: that was an attempt too, so that a fault of ours comes to an end as well. */
export const missDelivery = (sql: SqlStorage, id: string, random: number, now: number): void => {
  const claimed = claimDelivery(sql, { id, lease: 'missed', random, now })
  if (claimed) reportDelivery(sql, { id, lease: claimed.lease, outcome: interrupted, random, now })
}

/** What the alarm does: sends a message when the attempt is due, and gives up an attempt whose lease ran out. */
export const tendDelivery = (sql: SqlStorage, id: string, random: number, now: number): void => {
  tend(sql, { id, random, now, due: () => send(sql, id, now) })
}

/** null when there is no such delivery. One that is being attempted at this moment is left to that. */
export const replay = (sql: SqlStorage, id: string, now: number): Delivery | null => {
  const delivery = findDelivery(sql, id)
  if (!delivery) return null
  if (delivery.lease === null || (delivery.leaseUntil ?? 0) <= now) {
    reopenDelivery(sql, id, now)
    send(sql, id, now)
  }
  return shown(sql, id)
}

const MOST_REPLAYED = 1_000

/** As many as one transaction should carry; `more` says that there are others. */
export const replayFailed = (sql: SqlStorage, since: number, now: number): { replayed: number; more: boolean } => {
  const ids = failedSince(sql, since, MOST_REPLAYED + 1)
  const replayed = ids.slice(0, MOST_REPLAYED)
  for (const id of replayed) replay(sql, id, now)
  return { replayed: replayed.length, more: ids.length > replayed.length }
}

/** A test is attempted once, by the one who asked for it, and stands in the log like the others. */
export const beginTest = (sql: SqlStorage, url: string, lease: string, now: number): ClaimedDelivery => {
  const id = newId('event', now)
  addDelivery(sql, { id, type: TEST_EVENT, jobId: null, url, now })
  return lend(sql, id, lease, now)
}

export const shown = (sql: SqlStorage, id: string): Delivery | null => {
  const delivery = findDelivery(sql, id)
  return delivery && withoutLease(delivery)
}

const tend = (
  sql: SqlStorage,
  { id, random, now, due }: { id: string; random: number; now: number; due: () => void },
): void => {
  const delivery = findDelivery(sql, id)
  if (delivery?.state !== 'pending') return
  if (delivery.leaseUntil !== null && delivery.leaseUntil <= now) settle(sql, delivery, interrupted, random, now)
  else if (delivery.leaseUntil !== null) plan(sql, 'delivery', id, delivery.leaseUntil)
  else if (delivery.nextAt !== null && delivery.nextAt > now) plan(sql, 'delivery', id, delivery.nextAt)
  else due()
}

const send = (sql: SqlStorage, deliveryId: string, now: number): void => {
  post(sql, { kind: 'delivery', deliveryId }, now)
  plan(sql, 'delivery', deliveryId, now + RESEND_MS)
}

const lend = (sql: SqlStorage, id: string, lease: string, now: number): ClaimedDelivery => {
  lendDelivery(sql, id, lease, now + ATTEMPT_LEASE_MS, now)
  plan(sql, 'delivery', id, now + ATTEMPT_LEASE_MS)
  const delivery = shown(sql, id)
  if (!delivery) throw new Error(`there is no delivery ${id}`)
  return { delivery, lease, job: jobOf(sql, delivery), seeds: liveSeeds(sql, now).map(({ seed }) => seed) }
}

const jobOf = (sql: SqlStorage, { jobId }: Delivery): Job | null => {
  const found = jobId === null ? null : findJob(sql, jobId)
  if (!found) return null
  const { lease: _, leaseUntil: __, ...job } = found
  return job
}

const interrupted: Outcome = { status: null, answer: null, mishap: 'INTERRUPTED', retryAfterMs: null }

const settle = (sql: SqlStorage, delivery: DeliveryRow, outcome: Outcome, random: number, now: number): void => {
  const { id, type, attempts } = delivery
  const verdict = judge(outcome, attempts, random)
  const isOver = verdict.state !== 'pending' || type === TEST_EVENT
  if (isOver) {
    settleDelivery(sql, id, { state: verdict.state === 'delivered' ? 'delivered' : 'failed', nextAt: null }, outcome)
    unplan(sql, id, 'delivery')
  } else {
    const nextAt = now + verdict.delayMs
    settleDelivery(sql, id, { state: 'pending', nextAt }, outcome)
    plan(sql, 'delivery', id, nextAt)
  }
}
