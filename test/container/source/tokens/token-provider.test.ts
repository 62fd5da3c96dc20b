import type { ServerResponse } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { createTokenProvider } from '../../../../container/source/tokens/token-provider.ts'
import { startTokenProvider, tokenFor } from '../../../doubles/internet/token-provider.ts'
import { freePort } from '../../../support/loopback.ts'

const start = async (options: { timeoutMs?: number; pauseMs?: number; url?: URL } = {}) => {
  const server = await startTokenProvider()
  const reasons: unknown[] = []
  const provider = createTokenProvider({
    url: server.url,
    log: (event, fields) => void reasons.push(event === 'token provider failed' ? fields?.reason : event),
    ...options,
  })
  onTestFinished(async () => {
    await provider.close()
    await server.close()
  })
  const ask = async (fields: Record<string, unknown> = {}, signal = new AbortController().signal): Promise<unknown> => {
    const asked = { content_binding: 'visitor', innertube_context: { client: { clientName: 'WEB' } }, ...fields }
    const answer = await provider.requestToken(Buffer.from(JSON.stringify(asked)), signal)
    return JSON.parse(Buffer.from(answer).toString())
  }
  return { server, provider, reasons, ask }
}

test('a token is requested as versions 1 and 2 of bgutil-ytdlp-pot-provider take it', async () => {
  const { server, ask } = await start()
  expect(await ask({ bypass_cache: true })).toMatchObject({ poToken: tokenFor('visitor'), contentBinding: 'visitor' })
  expect(server.requests).toEqual(['POST /get_pot'])
  expect(server.asked).toEqual([
    { content_binding: 'visitor', bypass_cache: true, innertube_context: { client: { clientName: 'WEB' } } },
  ])
})

test('a provider may be below a path', async () => {
  const { server, ask, provider } = await start()
  const below = createTokenProvider({ url: new URL('tokens', server.url), log: () => {} })
  onTestFinished(below.close)
  server.answerWith((response) => void response.end('{}'))
  await below.requestToken(Buffer.from('{"content_binding":"x","innertube_context":{}}'), new AbortController().signal)
  await Promise.all([ask(), provider.health()])
  expect(server.requests.toSorted()).toEqual(['GET /ping', 'POST /get_pot', 'POST /tokens/get_pot'])
})

test('a fork cannot have the provider use a proxy, run a script, or skip the check of certificates', async () => {
  const { server, ask } = await start()
  await ask({
    ...{ proxy: 'http://10.0.0.1:3128', source_address: '10.0.0.2', disable_tls_verification: true },
    ...{ challenge: { interpreterUrl: '//evil.example/x.js' }, data_sync_id: 'x', visitor_data: 'y' },
  })
  expect(Object.keys(server.asked[0] ?? {})).toEqual(['content_binding', 'bypass_cache', 'innertube_context'])
})

test.each([
  ['without a binding', { content_binding: undefined }],
  ['with an empty binding', { content_binding: '' }],
  ['with a binding of 5,000 characters', { content_binding: 'x'.repeat(5_000) }],
  ['with a context that is a list', { innertube_context: ['x'] }],
])('a request %s is not sent, and is no reason to pause', async (_, fields) => {
  const { server, ask, reasons } = await start()
  await expect(ask(fields)).rejects.toThrow()
  expect([server.requests, reasons]).toEqual([[], []])
  expect(await ask()).toMatchObject({ poToken: tokenFor('visitor') })
})

const never = (_: ServerResponse): void => {}

test('a provider that does not answer in time is left alone for a while', async () => {
  const { server, ask, reasons } = await start({ timeoutMs: 50 })
  server.answerWith(never)
  await expect(ask()).rejects.toThrow()
  server.answerWith(null)
  await expect(ask()).rejects.toThrow('the token provider has just failed')
  expect([server.requests, reasons]).toEqual([['POST /get_pot'], ['no answer in time']])
})

test('after the pause it is asked again', async () => {
  const { server, ask } = await start({ timeoutMs: 50, pauseMs: 0 })
  server.answerWith(never)
  await expect(ask()).rejects.toThrow()
  server.answerWith(null)
  expect(await ask()).toMatchObject({ poToken: tokenFor('visitor') })
})

test('a provider that cannot be reached is left alone for a while', async () => {
  const { ask, reasons, provider } = await start({ url: new URL(`http://127.0.0.1:${await freePort()}`) })
  await expect(ask()).rejects.toThrow()
  await expect(ask()).rejects.toThrow('the token provider has just failed')
  expect(reasons).toEqual(['ECONNREFUSED'])
  expect(await provider.health()).toBe('the token provider does not answer (ECONNREFUSED)')
})

test.each<[string, (response: ServerResponse) => void, string]>([
  ['an error', (response) => void response.writeHead(500).end('{"error":"BotGuard"}'), 'status 500'],
  ['a redirect', (response) => void response.writeHead(302, { location: '/ping' }).end(), 'status 302'],
  ['more than 16 kB', (response) => void response.end('x'.repeat(100_000)), 'too long an answer'],
  ['bytes without end', (response) => endless(response), 'too long an answer'],
])('a job whose token is answered with %s gets none, and the next job is not affected', async (_, answer, reason) => {
  const { server, ask, reasons } = await start()
  server.answerWith(answer)
  await expect(ask()).rejects.toThrow(reason)
  server.answerWith(null)
  expect(await ask()).toMatchObject({ poToken: tokenFor('visitor') })
  expect(reasons).toEqual([reason])
})

const endless = (response: ServerResponse): void => {
  const more = () => {
    if (!response.destroyed) response.write('x'.repeat(1_000), () => setImmediate(more))
  }
  more()
}

test('a job that ends while it waits for its token says nothing of the provider', async () => {
  const { server, ask, reasons } = await start()
  const job = new AbortController()
  server.answerWith(() => job.abort())
  await expect(ask({}, job.signal)).rejects.toThrow()
  server.answerWith(null)
  expect(await ask()).toMatchObject({ poToken: tokenFor('visitor') })
  expect(reasons).toEqual([])
})

test('its health is that of the provider', async () => {
  const { server, provider } = await start()
  expect(await provider.health()).toBe(true)
  server.answerWith((response) => void response.writeHead(502).end())
  expect(await provider.health()).toBe('the token provider does not answer (status 502)')
})
