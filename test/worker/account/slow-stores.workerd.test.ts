import { expect, test, vi } from 'vitest'
import { RESEND_MS } from '../../../domain/limits.ts'
import { micros } from '../../../domain/money/money.ts'
import { changeMedia } from '../../../worker/account/due/due-rows.ts'
import { admission, answerOf, leased } from '../support/account.ts'
import { eventually, skip } from '../support/clock.ts'
import { type LoneAccount, withLoneAccount } from '../support/lone-account.ts'

const credit = micros(10_000_000)

/** A store that answers only when the test ends. */
const hangingStore = () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  let calls = 0
  return {
    call: () => {
      calls += 1
      return promise
    },
    called: () => eventually(async () => expect(calls).toBeGreaterThan(0)),
    answer: resolve,
  }
}

const started = async ({ account, identity }: LoneAccount, webhookUrl: string | null = null): Promise<string> => {
  const job = admission(micros(10_000))
  return answerOf(await account.admit(identity, { ...job, request: { ...job.request, webhookUrl } })).jobId
}

/** D1 gets a job when it has ended. */
const ended = async (lone: LoneAccount): Promise<void> => {
  await lone.account.cancel({ ...lone.identity, rateClass: 'general' }, await started(lone))
}

/** The job has stored an object that nobody needs any more, so R2 is asked to discard it. */
const discardUpload = async ({ account }: LoneAccount, jobId: string) => {
  const lease = await leased(account, jobId)
  await account.noteUpload(lease, { key: 'media/1', uploadId: null })
  await account.giveBack(lease, { delayMs: 3_600_000 })
}

test('while D1 hangs, the messages of steps are sent: of new jobs, and again in the alarm', async () => {
  const d1 = hangingStore()
  const sent: string[] = []
  const sendStep = async (_account: string, { id }: { id: string }) => void sent.push(id)
  await withLoneAccount(
    credit,
    async (lone) => {
      await ended(lone)
      await d1.called()
      sent.length = 0
      const first = await started(lone)
      await eventually(async () => expect(sent).toEqual([first]))
      // Messages that are due at the same time are sent in the order of their ids, which are random within a millisecond.
      skip(1)
      const second = await started(lone)
      await eventually(async () => expect(sent).toEqual([first, second]))
      skip(RESEND_MS)
      await lone.account.alarm()
      expect(sent).toEqual([first, second, first, second])
      expect(lone.alarmAt()).toBeGreaterThan(Date.now())
      d1.answer()
    },
    { sendStep, recordJob: d1.call },
  )
})

test('while D1 hangs, a step whose message failed is tried again soon', async () => {
  vi.spyOn(console, 'error').mockReturnValue()
  const d1 = hangingStore()
  const sendStep = () => Promise.reject(new Error('the queue is unavailable'))
  await withLoneAccount(
    credit,
    async (lone) => {
      await ended(lone)
      await started(lone)
      await d1.called()
      await eventually(async () => expect(lone.alarmAt()).toBeLessThan(Date.now() + RESEND_MS / 2))
      d1.answer()
    },
    { sendStep, recordJob: d1.call },
  )
})

test('while R2 hangs, webhooks are sent, and the alarm comes again, but not at once', async () => {
  const r2 = hangingStore()
  const sent: string[] = []
  const sendDelivery = async ({ deliveryId }: { deliveryId: string }) => void sent.push(deliveryId)
  await withLoneAccount(
    credit,
    async (lone) => {
      await discardUpload(lone, await started(lone))
      await r2.called()
      const jobId = await started(lone, 'https://caller.example/hook')
      await lone.account.cancel({ ...lone.identity, rateClass: 'general' }, jobId)
      await eventually(async () => expect(sent).toHaveLength(1))
      skip(10_000)
      await lone.account.alarm()
      expect(lone.alarmAt()).toBeGreaterThan(Date.now())
      expect(lone.alarmAt()).toBeLessThan(Date.now() + RESEND_MS)
      r2.answer()
    },
    { sendDelivery, discardMedia: r2.call },
  )
})

test('the mark of removed media is written before it is removed', async () => {
  const r2 = hangingStore()
  const done: string[] = []
  await withLoneAccount(
    credit,
    async (lone) => {
      const { account, sql, identity } = lone
      changeMedia(sql, { kind: 'withhold', key: 'removed/1' }, Date.now())
      changeMedia(sql, { kind: 'discard', objects: [{ key: 'removed/1', uploadId: null }] }, Date.now())
      await account.rotateWebhookSecret({ ...identity, rateClass: 'general' })
      await r2.called()
      expect(done).toEqual([])
      r2.answer()
      await eventually(async () => expect(done).toEqual(['written', 'removed']))
    },
    {
      withholdMedia: async () => {
        await r2.call()
        done.push('written')
      },
      discardMedia: async () => void done.push('removed'),
    },
  )
})
