import OpenAI from 'openai'
import { expect, test } from 'vitest'
import { asOperator, type Caller, callApi, completed, FILM, newCaller, send } from '../support/caller.ts'
import { eventually, runAlarm, skip } from '../support/clock.ts'

let count = 0
/** One that no other test names. */
const newOrigin = (): string => `https://app-${count++}.example`

const keyFor = async (caller: Caller, allowedOrigins: string[], more: object = {}) => {
  const { status, body } = await caller.post('/keys', { name: 'page', allowedOrigins, ...more })
  if (status !== 201) throw new Error(JSON.stringify(body))
  return body.data as { keyId: string; apiKey: string }
}

const preflight = (path: string, origin: string) =>
  callApi('OPTIONS', path, {
    headers: {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,content-type,idempotency-key',
    },
  })

const allowed = ({ headers }: { headers: Headers }) => headers.get('access-control-allow-origin')

test('a page whose origin a key names is told that it may send requests, and may read the responses', async () => {
  const caller = await newCaller()
  const origin = newOrigin()
  const { apiKey } = await keyFor(caller, [origin, newOrigin()])
  await eventually(async () => expect(allowed(await preflight('/import', origin))).toBe(origin))
  for (const path of [
    '/import',
    '/jobs/imp_x',
    '/transcribe/status',
    '/v1/audio/transcriptions',
    '/uploads',
    '/events',
  ]) {
    const { status, headers } = await preflight(path, origin)
    expect([path, status, headers.get('access-control-allow-origin')]).toEqual([path, 204, origin])
    expect(headers.get('access-control-allow-headers')).toMatch(
      /^Authorization, Content-Type, Idempotency-Key, Last-Event-ID,/,
    )
    expect(headers.get('access-control-allow-methods')).toContain('POST')
    expect(headers.get('vary')).toContain('Origin')
    expect(Number(headers.get('access-control-max-age'))).toBeLessThanOrEqual(60)
  }
  const from = { key: apiKey, headers: { origin } }
  const started = await callApi('POST', '/import', { ...from, body: { url: FILM } })
  const { jobId } = started.body.data
  const answers = [
    started,
    await callApi('GET', '/account', from),
    await callApi('GET', `/jobs/${jobId}`, from),
    // Refusals too, or a page could not tell what is wrong.
    await callApi('POST', '/import', { ...from, body: {} }),
    await callApi('GET', '/jobs/imp_x', from),
    await callApi('POST', '/import', { ...from, body: { url: 'http://localhost/' } }),
    await callApi('POST', '/import', { ...from, body: { url: FILM, store: true } }),
    await callApi('POST', '/transcribe', { ...from, body: { url: FILM, provider: 'provider_a' } }),
    await callApi('POST', '/batches', { ...from, body: { urls: [FILM], import: { store: true } } }),
    await callApi('GET', '/metadata?url=http://localhost/', from),
  ]
  expect(answers.map(({ status }) => status)).toEqual([202, 200, 200, 400, 404, 400, 400, 400, 400, 400])
  await callApi('DELETE', `/jobs/${jobId}`, from)
  const done = await completed(caller)
  const repeated = { ...from, headers: { origin, 'idempotency-key': 'one' } }
  const again = [
    await callApi('POST', '/import', { ...from, body: { url: FILM, reuseWithinSeconds: 60 } }),
    await callApi('POST', '/import', { ...repeated, body: { url: FILM } }),
    await callApi('POST', '/import', { ...repeated, body: { url: FILM } }),
  ]
  expect(again.map(({ status }) => status)).toEqual([202, 202, 202])
  expect(again[0]?.body.data).toMatchObject({ jobId: done, reused: true })
  answers.push(...again)
  for (const answer of answers) {
    expect(allowed(answer)).toBe(origin)
    expect(answer.headers.get('access-control-expose-headers')).toContain('X-RateLimit-Remaining')
    expect(answer.headers.get('access-control-expose-headers')).toContain('X-Request-Id')
    expect(answer.headers.get('vary')).toContain('Origin')
  }
  const stream = await send('GET', `/jobs/${jobId}/events`, from)
  expect([stream.status, stream.headers.get('access-control-allow-origin')]).toEqual([200, origin])
  await stream.body?.cancel()
  const form = new FormData()
  form.set('model', 'no-model')
  form.set('url', FILM)
  const request = new Request('https://x.test', { method: 'POST', body: form })
  const type = request.headers.get('content-type') ?? ''
  const openai = await callApi('POST', '/v1/audio/transcriptions', {
    key: apiKey,
    headers: { origin, 'content-type': type },
    body: new Uint8Array(await request.arrayBuffer()),
  })
  expect([openai.status, allowed(openai)]).toEqual([404, origin])
})

test('a page may send the headers that OpenAI’s package always sends, and not whatever it asks for', async () => {
  const caller = await newCaller()
  const origin = newOrigin()
  await keyFor(caller, [origin])
  await eventually(async () => expect(allowed(await preflight('/import', origin))).toBe(origin))
  let sent = new Headers()
  const openai = new OpenAI({
    apiKey: caller.apiKey,
    baseURL: 'https://haul.test/v1',
    dangerouslyAllowBrowser: true,
    maxRetries: 0,
    fetch: async (_, init) => {
      sent = new Headers(init?.headers)
      return Response.json({ text: 'heard' })
    },
  })
  const file = new File([new Uint8Array(1)], 'a.mp3')
  await openai.audio.transcriptions.create({ file, model: 'whisper-1' }, { timeout: 60_000 })
  const { headers } = await preflight('/v1/audio/transcriptions', origin)
  const permitted = (headers.get('access-control-allow-headers') ?? '').toLowerCase().split(', ')
  // Browsers let every page set Accept.
  expect([...sent.keys()].filter((name) => name !== 'accept' && !permitted.includes(name))).toEqual([])
  expect([...sent.keys()]).toContain('x-stainless-timeout')
  expect(permitted).not.toContain('x-other')
  expect(permitted).not.toContain('*')
})

test('from another origin such a key is refused, also where a key of another account is used, and without one it works as on a server', async () => {
  const [caller, stranger] = [await newCaller(), await newCaller()]
  const { apiKey } = await keyFor(caller, [newOrigin()])
  const theirs = newOrigin()
  await keyFor(stranger, [theirs])
  await eventually(async () => expect(allowed(await preflight('/import', theirs))).toBe(theirs))
  const requests = [
    ['POST', '/import', { url: FILM }],
    ['POST', '/uploads', { filename: 'a.mp4', sizeBytes: 10 }],
    ['GET', '/jobs'],
    ['GET', '/keys'],
  ] as const
  for (const origin of [newOrigin(), 'null', 'https://haul.test.example', theirs]) {
    for (const [method, path, body] of requests) {
      const answer = await callApi(method, path, { key: apiKey, headers: { origin }, body })
      expect([answer.status, answer.body.code, allowed(answer)]).toEqual([403, 'ORIGIN_FORBIDDEN', null])
    }
  }
  expect((await caller.get('/jobs')).body.data.jobs).toEqual([])
  expect((await callApi('GET', '/account', { key: apiKey })).status).toBe(200)
  // The console sends its own origin.
  expect((await callApi('GET', '/account', { key: apiKey, headers: { origin: 'https://haul.test' } })).status).toBe(200)
})

test('a key without origins works as before, and no page may read its responses', async () => {
  const caller = await newCaller()
  const answer = await callApi('GET', '/account', { key: caller.apiKey, headers: { origin: newOrigin() } })
  expect([answer.status, allowed(answer)]).toEqual([200, null])
})

test('an origin that no key names gets no permission, and a removed key takes its permission with it', async () => {
  const caller = await newCaller()
  const origin = newOrigin()
  const unknown = await preflight('/import', origin)
  expect([unknown.status, allowed(unknown), unknown.headers.get('access-control-allow-headers')]).toEqual([
    204,
    null,
    null,
  ])
  const { keyId, apiKey } = await keyFor(caller, [origin])
  await eventually(async () => expect(allowed(await preflight('/import', origin))).toBe(origin))
  // Another account that names it keeps it open.
  const other = await newCaller()
  const second = await keyFor(other, [origin])
  await caller.delete(`/keys/${keyId}`)
  const removed = await callApi('GET', '/jobs', { key: apiKey, headers: { origin } })
  expect([removed.status, allowed(removed)]).toEqual([401, null])
  await runAlarm(caller.account)
  skip(60_001)
  expect(allowed(await preflight('/import', origin))).toBe(origin)
  await callApi('PATCH', `/keys/${second.keyId}`, { key: other.apiKey, body: { allowedOrigins: [] } })
  await runAlarm(other.account)
  skip(60_001)
  await eventually(async () => expect(allowed(await preflight('/import', origin))).toBeNull())
})

test.each(['/keys', '/keys/key_x', '/storage', '/transcription-provider', '/mcp', '/admin/accounts', '/admin/metrics'])(
  'pages of other origins get no permission for %s',
  async (path) => {
    const caller = await newCaller()
    const origin = newOrigin()
    const { apiKey } = await keyFor(caller, [origin])
    await eventually(async () => expect(allowed(await preflight('/import', origin))).toBe(origin))
    expect(allowed(await preflight(path, origin))).toBeNull()
    const answer = await callApi('GET', path, { key: apiKey, headers: { origin } })
    expect(allowed(answer)).toBeNull()
  },
)

test('operators are not called from pages', async () => {
  const answer = await callApi('GET', '/admin/accounts', { key: 'admin-token', headers: { origin: newOrigin() } })
  expect([answer.status, allowed(answer)]).toEqual([200, null])
  expect((await asOperator('GET', '/admin/accounts')).status).toBe(200)
})
