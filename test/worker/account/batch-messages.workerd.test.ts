import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, onTestFinished, test, vi } from 'vitest'
import { RESEND_MS } from '../../../domain/limits.ts'
import { AccountRows } from '../../../worker/account/account-rows.ts'
import { TurnMessages } from '../../../worker/account/batches/turn-messages.ts'
import { claimTurn } from '../../../worker/account/batches/turns.ts'
import type { OutboxTargets } from '../../../worker/account/clockwork/outbox.ts'
import { newBatchAccount, price } from '../support/account-batches.ts'
import { eventually, skip } from '../support/clock.ts'

/** The messages of a batch with two items, one of which waits for a place. */
const withMessages = async (
  act: (parts: {
    rows: AccountRows
    messages: TurnMessages
    sent: (number | null)[]
    batchId: string
  }) => Promise<void>,
): Promise<void> => {
  const { account, start } = await newBatchAccount()
  const batchId = await start(5)
  await runInDurableObject(account, async (_, { storage: { sql } }) => {
    const rows = new AccountRows(sql)
    const sent: (number | null)[] = []
    const sendBatch: OutboxTargets['sendBatch'] = async (message) => void sent.push(message.index)
    const messages = new TurnMessages(rows, { sendBatch } as Partial<OutboxTargets> as OutboxTargets)
    await act({ rows, messages, sent, batchId })
  })
}

test('an item has one message when its turn comes, and the same one again if nobody claims it', async () => {
  await withMessages(async ({ messages, sent }) => {
    await messages.flush()
    await messages.flush()
    expect(sent).toEqual([0, 1])
    skip(RESEND_MS)
    await messages.flush()
    expect(sent).toEqual([0, 1, 0, 1])
  })
})

test('an item that is being checked, or was checked, has no message', async () => {
  await withMessages(async ({ rows, messages, sent, batchId }) => {
    claimTurn(rows, batchId, 0, Date.now())
    const lease = rows.account.turns[1]?.lease ?? ''
    rows.checks.set(lease, { claimedUntil: 0, admission: { hold: price, diskBytes: null, reuseKey: 'a key' } })
    await messages.flush()
    expect(sent).toEqual([])
    expect(messages.nextAt(Date.now())).toBeLessThanOrEqual(Date.now() + RESEND_MS)
    skip(RESEND_MS)
    await messages.flush()
    expect(sent).toEqual([0])
  })
})

test('a message that the queue does not take is sent later, and a suspended account sends none', async () => {
  vi.spyOn(console, 'error').mockReturnValue()
  const { account, start } = await newBatchAccount()
  await start(1)
  await runInDurableObject(account, async (_, { storage: { sql } }) => {
    const rows = new AccountRows(sql)
    const sendBatch = vi.fn(() => Promise.reject(new Error('the queue is overloaded')))
    const messages = new TurnMessages(rows, { sendBatch } as Partial<OutboxTargets> as OutboxTargets)
    await messages.flush()
    await messages.flush()
    expect(sendBatch).toHaveBeenCalledTimes(1)
    skip(5_000)
    rows.account.isSuspended = true
    await messages.flush()
    expect(messages.nextAt(Date.now())).toBe(Number.POSITIVE_INFINITY)
    expect(sendBatch).toHaveBeenCalledTimes(1)
    rows.account.isSuspended = false
    await messages.flush()
    expect(sendBatch).toHaveBeenCalledTimes(2)
  })
})

test('the message of a step says that its job is an item of a batch', async () => {
  const { accountId, start, check, live } = await newBatchAccount()
  const send = vi.spyOn(Object.getPrototypeOf(env.STEPS), 'send')
  onTestFinished(() => send.mockRestore())
  const id = await start(1)
  await check(id)
  const jobId = (await live(id))[0]?.jobId
  const message = { v: 1, accountId, jobId, step: 'fetch', leases: 0, rank: 'batch' }
  await eventually(async () => expect(send).toHaveBeenCalledWith(message))
})
