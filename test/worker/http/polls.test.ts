import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import { micros } from '../../../worker/domain/money/money.ts'
import { admission } from '../account.ts'
import { eventually } from '../clock.ts'
import { newCaller } from './caller.ts'

test('a hundred status polls are a hundred calls to the account, read no D1 and write ten rows', async () => {
  const caller = await newCaller()
  const pass = { keyHash: '', rateClass: 'import', endpoint: '/import' } as const
  const jobId = await runInDurableObject(caller.account, async (account, { storage }) => {
    const { hash } = storage.sql.exec<{ hash: string }>('SELECT hash FROM keys').one()
    const { result } = await account.admit({ ...pass, keyHash: hash }, admission(micros(1)))
    return result.ok ? result.value.jobId : ''
  })
  const unsent = () =>
    runInDurableObject(caller.account, (_, { storage }) => storage.sql.exec('SELECT seq FROM outbox').toArray())
  await eventually(async () => expect(await unsent()).toEqual([]))
  // Without its tables every read of D1 is a fault that callers would see.
  await env.DB.exec('DROP TABLE jobs; DROP TABLE accounts;')
  const written = () =>
    runInDurableObject(caller.account, (_, { storage }) =>
      storage.sql.exec<{ used: number }>("SELECT used FROM windows WHERE class = 'status'").toArray(),
    )
  for (let poll = 1; poll <= 100; poll++) {
    const { status, headers } = await caller.get(`/import/status?id=${jobId}`)
    expect([status, headers.get('x-ratelimit-remaining')]).toEqual([200, `${3_600 - poll}`])
  }
  expect(await written()).toEqual([{ used: 91 }])
})
