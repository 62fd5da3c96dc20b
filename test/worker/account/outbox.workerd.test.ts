import { runInDurableObject } from 'cloudflare:test'
import { expect, test, vi } from 'vitest'
import { noTotals } from '../../../domain/metrics/job-totals.ts'
import { micros } from '../../../domain/money/money.ts'
import {
  addToOutbox,
  type OutboxMessage,
  OutboxSender,
  type OutboxTargets,
} from '../../../worker/account/clockwork/outbox.ts'
import { admission, newAccount } from '../support/account.ts'
import { emptyOutbox, failOutbox, outboxOf } from '../support/tables.ts'

const listed = { id: 'acct_test', name: 'test', isSuspended: true, totals: noTotals }
const discard: OutboxMessage = { kind: 'discard', objects: [{ key: 'media/1', uploadId: null }] }

const flushAll = (sender: OutboxSender) =>
  Promise.all([sender.flush('queues'), sender.flush('media'), sender.flush('lists')])

/** Flushes the outbox of an account with a canceled job to targets that record what they are sent. */
const flushed = async (targets: Partial<OutboxTargets>, addMessages: (sql: SqlStorage, jobId: string) => void) => {
  const { account, identity } = await newAccount()
  const { result } = await account.admit(identity, admission(micros(1)))
  const jobId = result.ok ? result.value.jobId : ''
  await account.remove(identity, jobId)
  const sent: string[] = []
  const left = await runInDurableObject(account, async (_, { storage: { sql } }) => {
    emptyOutbox(sql)
    addMessages(sql, jobId)
    const all: OutboxTargets = {
      sendStep: async (_account, job, step) => void sent.push(`${step} of a ${job.state} job`),
      sendBatch: async ({ index }) => void sent.push(`item ${index}`),
      sendDelivery: async ({ deliveryId }) => void sent.push(deliveryId),
      recordJob: async (_account, { state }) => void sent.push(`record: ${state}`),
      recordAccount: async ({ name, isSuspended }) => void sent.push(`${name}: ${isSuspended}`),
      reportHeld: async () => {},
      discardMedia: async ([object]) => void sent.push(`discard ${object?.key}`),
      withholdMedia: async (key) => void sent.push(`withhold ${key}`),
      removeJobs: async (_account, before) => void sent.push(`remove before ${before}`),
      ...targets,
    }
    await flushAll(new OutboxSender(sql, all, () => listed))
    return outboxOf(sql)
  })
  return { sent, left }
}

test('a step message of an ended job is sent, because the step cleans up its upload', async () => {
  const { sent } = await flushed({}, (sql, jobId) => addToOutbox(sql, { kind: 'cleanup', jobId }, 1))
  expect(sent).toEqual(['deliver of a failed job'])
})

test('a message that fails is retried later and does not block the others', async () => {
  vi.spyOn(console, 'error').mockReturnValue()
  const failing = { removeJobs: () => Promise.reject(new Error('D1 is unavailable')) }
  const { sent, left } = await flushed(failing, (sql) => {
    addToOutbox(sql, { kind: 'trim', before: 'x' }, 1)
    addToOutbox(sql, discard, 1)
  })
  expect(sent).toEqual(['discard media/1'])
  expect(left).toEqual([{ kind: 'trim', attempts: 1 }])
})

test.each([
  [18, false],
  [19, true],
])('after %i failures an upload that cannot be aborted is left to R2: %s', async (failures, isLeft) => {
  const lastAborts: boolean[] = []
  const discardMedia = async (_objects: unknown, isLastAbort: boolean) => void lastAborts.push(isLastAbort)
  await flushed({ discardMedia }, (sql) => {
    addToOutbox(sql, discard, 1)
    failOutbox(sql, failures)
  })
  expect(lastAborts).toEqual([isLeft])
})

test('a message that is added while a flush ends is sent at once', async () => {
  const { account, identity } = await newAccount()
  await account.authenticate(identity)
  const ticks = Array.from({ length: 20 }, (_, index) => index)
  const late = await runInDurableObject(account, async (_, { storage: { sql } }) => {
    const late: number[] = []
    for (const tick of ticks) {
      let isSent = false
      const discardMedia = async () => {
        isSent = true
      }
      const sender = new OutboxSender(sql, { discardMedia } as Partial<OutboxTargets> as OutboxTargets, () => listed)
      const flush = flushAll(sender)
      for (let i = 0; i < tick; i++) await null
      addToOutbox(sql, discard, 1)
      await Promise.all([flush, flushAll(sender)])
      if (!isSent) late.push(tick)
      emptyOutbox(sql)
    }
    return late
  })
  expect(late).toEqual([])
})
