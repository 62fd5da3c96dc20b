import { runInDurableObject } from 'cloudflare:test'
import { expect, test } from 'vitest'
import { post } from '../../worker/account/clockwork/outbox.ts'
import { type Carriers, Postman } from '../../worker/account/clockwork/postman.ts'
import { micros } from '../../worker/domain/money/money.ts'
import { admission, newAccount } from './account.ts'

/** An object's outbox with carriers that write down what they carry. */
const withPostman = async (carriers: Partial<Carriers>, post: (sql: SqlStorage, jobId: string) => void) => {
  const { account, pass } = await newAccount()
  const { result } = await account.admit(pass, admission(micros(1)))
  const jobId = result.ok ? result.value.jobId : ''
  await account.remove(pass, jobId)
  const carried: string[] = []
  const left = await runInDurableObject(account, async (_, { storage: { sql } }) => {
    sql.exec('DELETE FROM outbox')
    post(sql, jobId)
    const all: Carriers = {
      sendStep: async (_account, job, step) => void carried.push(`${step} of a ${job.state} job`),
      sendDelivery: async ({ deliveryId }) => void carried.push(deliveryId),
      recordJob: async (_account, { state }) => void carried.push(`record: ${state}`),
      discardMedia: async (key) => void carried.push(`discard ${key}`),
      ...carriers,
    }
    await new Postman(sql, all, () => 'acct_test').flush()
    return sql.exec<{ kind: string; attempts: number }>('SELECT kind, attempts FROM outbox').toArray()
  })
  return { carried, left }
}

test('what a job left to clean up is asked for after its end', async () => {
  const { carried } = await withPostman({}, (sql, jobId) => post(sql, { kind: 'step', jobId, step: 'deliver' }, 1))
  expect(carried).toEqual(['deliver of a failed job'])
})

test('a letter that cannot be delivered waits, and lets the others pass', async () => {
  const refuses = { recordJob: () => Promise.reject(new Error('D1 is away')) }
  const { carried, left } = await withPostman(refuses, (sql, jobId) => {
    post(sql, { kind: 'record', jobId }, 1)
    post(sql, { kind: 'discard', key: 'media/1', uploadId: null }, 1)
  })
  expect(carried).toEqual(['discard media/1'])
  expect(left).toEqual([{ kind: 'record', attempts: 1 }])
})

test('a record tells how the job stands now, not how it stood when it was written', async () => {
  const { carried } = await withPostman({}, (sql, jobId) => post(sql, { kind: 'record', jobId }, 1))
  expect(carried).toEqual(['record: failed'])
})

test('a letter that is posted just as a round ends is delivered at once, too', async () => {
  const { account } = await newAccount()
  const ticks = Array.from({ length: 20 }, (_, index) => index)
  const late = await runInDurableObject(account, async (_, { storage: { sql } }) => {
    const late: number[] = []
    for (const tick of ticks) {
      let isCarried = false
      const discardMedia = async () => {
        isCarried = true
      }
      const postman = new Postman(sql, { discardMedia } as Partial<Carriers> as Carriers, () => 'acct_test')
      const round = postman.flush()
      for (let i = 0; i < tick; i++) await null
      post(sql, { kind: 'discard', key: 'media/1', uploadId: null }, 1)
      await Promise.all([round, postman.flush()])
      if (!isCarried) late.push(tick)
      sql.exec('DELETE FROM outbox')
    }
    return late
  })
  expect(late).toEqual([])
})
