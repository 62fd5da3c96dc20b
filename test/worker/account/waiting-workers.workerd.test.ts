import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { expect, onTestFinished, test } from 'vitest'
import { sha256Hex } from '../../../domain/secrets/api-keys.ts'
import { WAIT_HEADER, WAIT_RENEW_MS, type WaitRequest } from '../../../worker/account/calls.ts'
import type { AccountObject } from '../../../worker/index.ts'
import { type Caller, claimed, newCaller, send, started } from '../support/caller.ts'
import { eventually, skip } from '../support/clock.ts'
import { countUse } from '../support/counts.ts'
import { waitingCaller } from '../support/waiting.ts'

const blocked = { code: 'SOURCE_BLOCKED', message: 'Blocked.', retryable: true } as const

test('a wait goes on while the object sleeps', async () => {
  const { caller, end } = await waitingCaller()
  await evictDurableObject(caller.account)
  await end()
})

test('a wait goes on when a reset of the object closes its socket', async () => {
  const { caller, opened, end } = await waitingCaller()
  await evictDurableObject(caller.account, { webSockets: 'close' })
  await opened(2)
  await end()
})

test('a job that ended while a message was lost is known when the socket is opened again', async () => {
  const caller = await newCaller()
  const jobId = await started(caller)
  const lease = await claimed(caller, jobId)
  const counts = await countUse(caller)
  const stream = await send('GET', `/jobs/${jobId}/events`, { key: caller.apiKey })
  const text = stream.text()
  await eventually(async () => expect(counts.objectRequests.fetch).toBe(1))
  await runInDurableObject(caller.account, ({ state }: AccountObject) => {
    const { waiting } = state
    Object.defineProperty(waiting, 'tell', { value: () => {}, configurable: true })
    onTestFinished(() => void Reflect.deleteProperty(waiting, 'tell'))
  })
  await caller.account.failStep(lease, blocked)
  skip(WAIT_RENEW_MS)
  expect(await text).toContain('SOURCE_BLOCKED')
})

/** Opens a socket as a Worker does that then ends without closing it. */
const waitAsDead = async (caller: Caller, request: Partial<WaitRequest>): Promise<Response> => {
  const keyHash = await sha256Hex(caller.apiKey)
  const wait: WaitRequest = { subject: 'events', keyHash, seen: null, streamId: crypto.randomUUID(), ...request }
  return caller.account.fetch('https://account/', {
    headers: { Upgrade: 'websocket', [WAIT_HEADER]: JSON.stringify(wait) },
  })
}

test('streams whose Workers have died count for two minutes', async () => {
  const caller = await newCaller()
  for (let count = 0; count < 10; count++) expect((await waitAsDead(caller, {})).status).toBe(101)
  expect((await waitAsDead(caller, {})).status).toBe(429)
  expect((await caller.get('/events')).status).toBe(429)
  skip(2 * WAIT_RENEW_MS)
  expect((await waitAsDead(caller, {})).status).toBe(101)
})

test.each([
  ['a key that is not known', { keyHash: '0' }, 403],
  ['a job that is not there', { subject: 'imp_01m7y00000000000000000000' }, 404],
])('a request to wait with %s gets no socket', async (_, request, status) => {
  const caller = await newCaller()
  await caller.get('/account')
  const response = await waitAsDead(caller, request)
  expect([response.status, response.webSocket]).toEqual([status, null])
})
