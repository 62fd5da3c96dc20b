import { env } from 'cloudflare:workers'
import { expect, onTestFinished, test, vi } from 'vitest'
import { RESEND_MS } from '../../../domain/limits.ts'
import { micros } from '../../../domain/money/money.ts'
import type { AccountOptions } from '../../../worker/account/account-object.ts'
import { answerOf, batchAdmission } from '../support/account.ts'
import { newBatchAccount, price } from '../support/account-batches.ts'
import { eventually, skip } from '../support/clock.ts'
import { type LoneAccount, withLoneAccount } from '../support/lone-account.ts'

type SendTurn = AccountOptions['targets']['sendTurn']

/** An account with a batch of five items, two of which have their turn. */
const withBatch = (sendTurn: SendTurn, act: (lone: LoneAccount, batchId: string) => Promise<void>) =>
  withLoneAccount(
    micros(10_000_000),
    async (lone) => {
      await act(lone, answerOf(await lone.account.admitBatch(lone.identity, batchAdmission(5))).batchId)
    },
    { sendTurn },
  )

const recorded = () => {
  const sent: (number | null)[] = []
  const sendTurn: SendTurn = async ({ index }) => void sent.push(index)
  return { sent, sendTurn }
}

test('an item has one message when its turn comes, and the same one again if nobody claims it', async () => {
  const { sent, sendTurn } = recorded()
  await withBatch(sendTurn, async ({ account }) => {
    await eventually(async () => expect(sent).toEqual([0, 1]))
    await account.alarm()
    expect(sent).toEqual([0, 1])
    skip(RESEND_MS)
    await account.alarm()
    expect(sent).toEqual([0, 1, 0, 1])
  })
})

test('an item that is being checked, or was checked, has no message', async () => {
  const { sent, sendTurn } = recorded()
  await withBatch(sendTurn, async ({ account, alarmAt }, batchId) => {
    await eventually(async () => expect(sent).toEqual([0, 1]))
    skip(RESEND_MS - 1)
    const task = await account.claimItem(batchId, 0)
    skip(1)
    await account.alarm()
    expect(sent).toEqual([0, 1, 1])
    expect(alarmAt()).toBeLessThanOrEqual(Date.now() + RESEND_MS)
    // Its job starts, and the second item waits for the slot.
    for (const checked of [task, await account.claimItem(batchId, 1)]) {
      if (checked) await account.admitItem(checked, { announcedBytes: price * 100, diskBytes: null, reuseKey: 'a key' })
    }
    skip(RESEND_MS)
    await account.alarm()
    expect(sent).toEqual([0, 1, 1])
  })
})

test('a message that the queue does not take is sent later, and a suspended account sends none', async () => {
  vi.spyOn(console, 'error').mockReturnValue()
  const sendTurn = vi.fn(() => Promise.reject(new Error('the queue is overloaded')))
  await withBatch(sendTurn, async ({ account }) => {
    await eventually(async () => expect(sendTurn).toHaveBeenCalledTimes(2))
    await account.alarm()
    expect(sendTurn).toHaveBeenCalledTimes(2)
    await account.change({ isSuspended: true })
    skip(5_000)
    await account.alarm()
    expect(sendTurn).toHaveBeenCalledTimes(2)
    await account.change({ isSuspended: false })
    await eventually(async () => expect(sendTurn).toHaveBeenCalledTimes(4))
  })
})

test('the message of a step says that its job is an item of a batch', async () => {
  const { accountId, start, check, live } = await newBatchAccount()
  const send = vi.spyOn(Object.getPrototypeOf(env.STEPS), 'send')
  onTestFinished(() => send.mockRestore())
  const id = await start(1)
  await check(id)
  const jobId = (await live(id))[0]?.jobId
  const message = { v: 1, accountId, jobId, step: 'fetch', attempt: 1, runsIn: 'container', rank: 'batch' }
  await eventually(async () => expect(send).toHaveBeenCalledWith(message))
})
