import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { DeadWebhook, EventCounter } from '../../../domain/metrics/counted-events.ts'
import { createApp } from '../../../worker/http/app.ts'
import { countServed } from '../../../worker/metrics/metrics-of.ts'
import { consumeDeadSteps } from '../../../worker/steps/consume-steps.ts'
import { consumeDeadDeliveries, consumeDeliveries } from '../../../worker/webhooks/consume-deliveries.ts'
import { asOperator, completed, newCaller, numbered, ORIGIN, started } from '../support/caller.ts'
import { skip } from '../support/clock.ts'
import { expectLogged } from '../support/expected-log.ts'
import { finished, onlyDelivery, untilDue } from '../support/webhook-deliveries.ts'

/** The Worker's bindings, with a list of what is counted. */
const counting = () => {
  const events: [EventCounter, number][] = []
  const METRICS = new Proxy(env.METRICS, {
    get: (namespace, name) => {
      if (name !== 'getByName') return Reflect.get(namespace, name)
      return (objectName: string) => ({
        count: (counter: EventCounter, amount: number, dead: DeadWebhook | null) => {
          events.push([counter, amount])
          return namespace.getByName(objectName).count(counter, amount, dead)
        },
      })
    },
  })
  return { events, env: { ...env, METRICS } as Env }
}

const batchOf = (...bodies: object[]) => {
  const acknowledged: object[] = []
  const messages = bodies.map((body) => ({
    body: { v: 1, ...body },
    attempts: 1,
    ack: () => acknowledged.push(body),
    retry: () => {},
  }))
  return { batch: { messages } as never, acknowledged }
}

const deadOf = async (accountId: string) => {
  const { status, body } = await asOperator('GET', '/admin/webhooks/dead')
  expect(status).toBe(200)
  return (body.data.deliveries as { accountId: string }[]).filter((each) => each.accountId === accountId)
}

/** The attempts of a webhook whose receiver responds with these statuses, one after the other. */
const attempts = async (webhookUrl: string, count = 1) => {
  const { accountId, account, identity, jobId } = await finished({ webhookUrl })
  const { id } = await onlyDelivery(account, identity)
  const counted = counting()
  for (let attempt = 0; attempt < count; attempt++) {
    const context = createExecutionContext()
    await consumeDeliveries(batchOf({ accountId, deliveryId: id }).batch, counted.env, context)
    await waitOnExecutionContext(context)
    await untilDue(account, id)
  }
  return { events: counted.events, accountId, deliveryId: id, jobId }
}

const attemptOf = (outcome: string) => [`webhook attempts ${outcome}`, 1]

test.each([
  ['delivered', 204, []],
  ['failed', 410, [{ attempts: 1, status: 410 }]],
])('an attempt is counted as %s when its receiver answers %i', async (outcome, status, dead) => {
  const { events, accountId } = await attempts(`https://status.example/${status}`)
  expect(events).toEqual([attemptOf(outcome)])
  expect(await deadOf(accountId)).toMatchObject(dead)
})

test('attempts before the last are retried, the last one has failed, and the delivery is listed as dead', async () => {
  const { events, accountId, deliveryId, jobId } = await attempts('https://status.example/500?key=secret', 10)
  expect(events).toEqual([...Array.from({ length: 9 }, () => attemptOf('retried')), attemptOf('failed')])
  expect(await deadOf(accountId)).toEqual([
    {
      ...{ accountId, deliveryId, jobId, type: 'import.completed', host: 'status.example', attempts: 10, status: 500 },
      failedAt: expect.stringMatching(/^\d{4}-.*Z$/),
    },
  ])
})

test('a message of a webhook in the dead-letter queue is counted, and so is its attempt', async () => {
  const { accountId, account, identity } = await finished()
  const { id } = await onlyDelivery(account, identity)
  const { events, env: bindings } = counting()
  const { batch, acknowledged } = batchOf({ accountId, deliveryId: id })
  await consumeDeadDeliveries(batch, bindings, createExecutionContext())
  expect(acknowledged).toHaveLength(1)
  expect(events).toEqual([['dead letters webhooks-dead', 1], attemptOf('retried')])
})

test('a message in the dead-letter queue is counted once, also if the object of its account always fails', async () => {
  expectLogged('error', /broken/)
  const { events, env: bindings } = counting()
  const broken = { countDeadLetter: () => Promise.reject(new Error('broken')) }
  const ACCOUNTS = { getByName: () => broken }
  const message = { body: { v: 1, accountId: 'acct_1', deliveryId: 'evt_1' }, ack: () => {}, retry: vi.fn() }
  for (const attempts of [1, 2, 3]) {
    const batch = { messages: [{ ...message, attempts }] } as never
    await consumeDeadDeliveries(batch, { ...bindings, ACCOUNTS } as never, createExecutionContext())
  }
  expect(message.retry).toHaveBeenCalledTimes(3)
  expect(events).toEqual([['dead letters webhooks-dead', 1]])
})

test('when counting fails, the message is still handled', async () => {
  expectLogged('warn', /an event was not counted .*overloaded/)
  const caller = await newCaller()
  const failing = { getByName: () => ({ count: () => Promise.reject(new Error('overloaded')) }) }
  const { batch, acknowledged } = batchOf({ accountId: caller.accountId, jobId: await started(caller), step: 'fetch' })
  await consumeDeadSteps(batch, { ...env, METRICS: failing } as never, createExecutionContext())
  expect(acknowledged).toHaveLength(1)
})

/** What is served within some seconds is counted together. Other tests of this process may have left some. */
const countAtOnce = async (): Promise<void> => {
  const wait = vi.spyOn(scheduler, 'wait').mockResolvedValue()
  onTestFinished(() => wait.mockRestore())
  skip(60_000)
  const context = createExecutionContext()
  countServed(counting().env, context, 0)
  await waitOnExecutionContext(context)
}

test('served bytes are those that the response announces: none for HEAD, 304 and refusals', async () => {
  const caller = await newCaller()
  const jobId = await completed(caller, { bytes: numbered(1_000) })
  const { result } = (await caller.get(`/import/status?id=${jobId}`)).body.data
  await countAtOnce()
  const app = createApp()
  const served = async (link: string, init: RequestInit = {}) => {
    const { events, env: bindings } = counting()
    const context = createExecutionContext()
    const response = await app.fetch(new Request(new URL(link, ORIGIN), init), bindings, context)
    await response.arrayBuffer()
    await waitOnExecutionContext(context)
    return { status: response.status, events, etag: response.headers.get('etag') ?? '' }
  }
  const whole = await served(result.mediaUrl)
  const bytes = (sizeBytes: number) => [['bytes served', sizeBytes]]
  expect([whole.status, whole.events]).toEqual([200, bytes(1_000)])
  expect((await served(result.mediaUrl, { headers: { range: 'bytes=10-19' } })).events).toEqual(bytes(10))
  expect((await served(result.thumbnailUrl)).events).toEqual(bytes(50))
  for (const [init, status] of [
    [{ method: 'HEAD' }, 200],
    [{ headers: { 'if-none-match': whole.etag } }, 304],
    [{ headers: { range: 'bytes=5000-' } }, 416],
  ] as const) {
    expect(await served(result.mediaUrl, init)).toMatchObject({ status, events: [] })
  }
})

test('a file that many request costs one request of the metrics, of an object that accounts do not need', async () => {
  const asked: string[] = []
  const METRICS = {
    getByName: (name: string) => ({
      count: async (counter: EventCounter, amount: number) => void asked.push(`${name}: ${counter} ${amount}`),
    }),
  }
  await countAtOnce()
  const { promise, resolve } = Promise.withResolvers<void>()
  vi.spyOn(scheduler, 'wait').mockReturnValue(promise)
  const context = createExecutionContext()
  for (let times = 0; times < 100; times++) countServed({ METRICS } as never, context, 10)
  resolve()
  await waitOnExecutionContext(context)
  expect(asked).toEqual(['metrics-events: bytes served 1000'])
})
