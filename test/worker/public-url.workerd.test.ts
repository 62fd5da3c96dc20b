import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { Place } from '../../domain/fleet/place.ts'
import type { StepOrder } from '../../domain/protocol/protocol.ts'
import { callbackUrlOf, configOf } from '../../worker/env.ts'
import worker from '../../worker/index.ts'
import { startStep } from '../../worker/steps/start-step.ts'
import { attemptDelivery } from '../../worker/webhooks/attempt-delivery.ts'
import { finishImport } from './support/account.ts'
import { type Caller, FILM, newCaller } from './support/caller.ts'

const CALLER_URL = 'https://haul.someone.example'
const HOOK = 'https://receiver.example/hook'
const noPublicUrl = { ...env, PUBLIC_URL: '', CALLBACK_URL: 'http://haul.internal:8787' }

/** A request to the Worker at any origin, with bindings of the test's choice. */
const request = async (
  { apiKey }: Pick<Caller, 'apiKey'>,
  url: string,
  { body, within = noPublicUrl, headers = {} }: { body?: object; within?: Env; headers?: Record<string, string> } = {},
) => {
  const ctx = createExecutionContext()
  const init = {
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', ...headers },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  }
  const response = await worker.fetch(new Request(url, init), within, ctx)
  await waitOnExecutionContext(ctx)
  return response
}

const pageAt = (caller: Caller, origin: string, pageOrigin = origin, within = noPublicUrl) => {
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
  const headers = { origin: pageOrigin, accept: 'application/json, text/event-stream' }
  return request(caller, `${origin}/mcp`, { body, within, headers })
}

test('without PUBLIC_URL, only pages of this machine may call tools: a Host header may name anything', async () => {
  const caller = await newCaller()
  expect((await pageAt(caller, 'http://evil.example')).status).toBe(403)
  expect((await pageAt(caller, 'http://localhost:8787')).status).toBe(200)
  expect((await pageAt(caller, 'http://127.0.0.1:8787')).status).toBe(200)
  expect((await pageAt(caller, 'http://localhost:8787', 'http://evil.example')).status).toBe(403)
})

const start = async (caller: Caller, within: Env = noPublicUrl): Promise<string> => {
  const body = { url: FILM, webhookUrl: HOOK }
  const response = await request(caller, `${CALLER_URL}/import`, { body, within })
  return (await response.json<{ data: { jobId: string } }>()).data.jobId
}

test.each([
  ['without PUBLIC_URL, links have the origin of the request that asks for them', noPublicUrl, 'https://other.example'],
  ['with PUBLIC_URL, links have it whatever the request', env, 'https://haul.test'],
])('%s', async (_, within, origin) => {
  const caller = await newCaller()
  const jobId = await start(caller, within)
  await finishImport(caller.account, jobId, 1_000)
  const response = await request(caller, `https://other.example/import/status?id=${jobId}`, { within })
  const { data } = await response.json<{ data: { result: { mediaUrl: string } } }>()
  expect(data.result.mediaUrl).toMatch(new RegExp(`^${origin}/media/imp_`))
})

test('X-Forwarded-Host and X-Forwarded-Proto change nothing', async () => {
  const headers = { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'http' }
  const response = await request({ apiKey: '' }, `${CALLER_URL}/openapi.json`, { headers })
  expect(await response.json()).toMatchObject({ servers: [{ url: CALLER_URL }] })
})

test.each(['/openapi.json', '/docs', '/llms.txt'])('%s has the origin of the request, or PUBLIC_URL', async (path) => {
  const text = async (within: Env) => (await request({ apiKey: '' }, CALLER_URL + path, { within })).text()
  expect(await text(noPublicUrl)).toContain(CALLER_URL)
  expect(await text(env)).toContain('https://haul.test')
  expect(await text(env)).not.toContain(CALLER_URL)
})

/** The body of the webhook for an ended job. */
const webhookOf = async (caller: Caller, jobId: string, within: Env): Promise<string> => {
  await finishImport(caller.account, jobId, 1_000)
  const { body } = await caller.get(`/webhooks/deliveries?jobId=${jobId}`)
  const claimed = await caller.account.claimDelivery(body.data.deliveries[0].id)
  if (!claimed) throw new Error('the delivery cannot be claimed')
  const sent: string[] = []
  const { fetch } = globalThis
  const spy = vi.spyOn(globalThis, 'fetch').mockImplementation(async (to, init) => {
    if (`${to}` !== HOOK) return fetch(to, init)
    sent.push(`${init?.body}`)
    return new Response()
  })
  onTestFinished(() => spy.mockRestore())
  await attemptDelivery(within, caller.accountId, claimed)
  return JSON.parse(sent[0] ?? '').data.result.mediaUrl
}

test.each([
  ['without PUBLIC_URL, the origin of the request that started its job', noPublicUrl, noPublicUrl, CALLER_URL],
  ['with a PUBLIC_URL that was set later, that', noPublicUrl, env, 'https://haul.test'],
  ['with a PUBLIC_URL that was removed, only the path', env, noPublicUrl, ''],
])('the link in a webhook has, %s', async (_, atStart, atEnd, origin) => {
  const caller = await newCaller()
  const link = await webhookOf(caller, await start(caller, atStart), atEnd)
  expect(link).toMatch(new RegExp(`^${origin}/media/imp_.*&signature=`))
})

test.each([
  ['CALLBACK_URL', { CALLBACK_URL: 'http://internal', PUBLIC_URL: 'https://public' }, 'http://internal'],
  ['PUBLIC_URL', { CALLBACK_URL: null, PUBLIC_URL: 'https://public' }, 'https://public'],
  ['the origin of the job', { CALLBACK_URL: null, PUBLIC_URL: null }, CALLER_URL],
])('containers are called back at %s', (_, urls, expected) => {
  expect(callbackUrlOf({ ...configOf(env), ...urls }, { origin: CALLER_URL })).toBe(expected)
})

test('containers that run elsewhere are never called back at the origin of a request, which may be forged', () => {
  expect(() => configOf({ ...env, PUBLIC_URL: '', CALLBACK_URL: '' })).toThrow(
    'ENGINE_URLS needs CALLBACK_URL or PUBLIC_URL',
  )
})

/** Starts the step of a job, and returns the URLs in the orders that its engine gets. */
const startFor = async ({ accountId }: Caller, jobId: string, attempt: number, bindings: Partial<Env>) => {
  const orders: StepOrder[] = []
  const engine = {
    fetch: async (_url: string, { body }: RequestInit) => {
      orders.push(JSON.parse(`${body}`))
      return new Response(null, { status: 202 })
    },
  }
  const ENGINES = { getByName: () => engine } as unknown as Env['ENGINES']
  const place: Place & { step: 'fetch' } = {
    ...{ accountId, jobId, step: 'fetch', work: 'network', rank: 'job', diskBytes: 0, attempt, since: 0 },
    ...{ id: `place-${attempt}`, engine: 'engine-0', grantedAt: 0, startedAt: null },
  }
  const result = await startStep({ ...noPublicUrl, ...bindings, ENGINES }, place)
  return { result, urls: orders.map(({ callback }) => callback.url) }
}

const onCloudflare = { ENGINE_URLS: '', CALLBACK_URL: '' }

test('an order has the callback URL and the path of its job', async () => {
  const caller = await newCaller()
  const [first, second] = [await start(caller), await start(caller)]
  const { urls } = await startFor(caller, first, 1, onCloudflare)
  expect(urls).toEqual([`${CALLER_URL}/internal/jobs/${first}`])
  const elsewhere = await startFor(caller, second, 1, {})
  expect(elsewhere.urls).toEqual([`http://haul.internal:8787/internal/jobs/${second}`])
})

test('a job from before PUBLIC_URL was removed waits, without using attempts, until a URL is set again', async () => {
  vi.spyOn(console, 'warn').mockReturnValue()
  const caller = await newCaller()
  const jobId = await start(caller, env)
  for (let attempt = 1; attempt < 5; attempt++) {
    expect(await startFor(caller, jobId, attempt, onCloudflare)).toEqual({ result: 'later', urls: [] })
  }
  const { result, urls } = await startFor(caller, jobId, 5, { CALLBACK_URL: 'https://haul.example/' })
  expect(result).toBe('started')
  expect(urls).toEqual([`https://haul.example/internal/jobs/${jobId}`])
})
