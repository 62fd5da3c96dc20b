import { env } from 'cloudflare:workers'
import { expect, test, vi } from 'vitest'
import { expectWithinSeconds } from '../clock.ts'
import { type Answered, ask, asOperator, completed, FILM, newCaller, path } from './caller.ts'

const since = Date.now()
const caller = await newCaller()
const jobId = await completed(caller)
const status = await caller.get(`/import/status?id=${jobId}`)
const link = path(status.body.data.result.mediaUrl)

const big = JSON.stringify({ url: FILM, filler: 'x'.repeat(70_000) })
const key = caller.apiKey

const requests: [string, number, () => Promise<Answered>][] = [
  ['a start', 202, () => caller.post('/import', { url: FILM })],
  ['a read', 200, () => caller.get('/account')],
  ['a public page', 200, () => ask('GET', '/health')],
  ['the document', 200, () => ask('GET', '/openapi.json')],
  ['the reference', 200, () => ask('GET', '/docs')],
  ['a body that is no JSON', 400, () => caller.post('/import', '{')],
  ['a request without a key', 401, () => ask('GET', '/account')],
  ['an operator without the token', 401, () => ask('GET', '/admin/accounts')],
  ['a hold that does not fit', 402, async () => (await newCaller(0)).post('/import', { url: FILM })],
  ['a link that was tampered with', 403, () => ask('GET', `${link}x`)],
  ['nothing at this address', 404, () => ask('GET', '/nothing/here')],
  ['a job that is not there', 404, () => caller.get('/import/status?id=imp_none')],
  ['a wrong method', 405, () => caller.delete('/import')],
  ['a body that is too large', 413, () => caller.post('/import', big)],
  ['a body of another type', 415, () => caller.post('/import', 'url=x', { 'content-type': 'text/plain' })],
  ['a range outside of the file', 416, () => ask('GET', link, { headers: { range: 'bytes=5000-' } })],
  ['a file', 200, () => ask('GET', link)],
  ['a part of a file', 206, () => ask('GET', link, { headers: { range: 'bytes=0-9' } })],
  ['a file that is known', 304, () => ask('GET', link, { headers: { 'if-none-match': '*' } })],
  ['a probe that breaks', 500, () => caller.get('/metadata?url=https://media.example/breaks')],
]

test.each(requests)('%s (%i) carries an id, a version and the state of its window', async (_, expected, request) => {
  vi.spyOn(console, 'error').mockReturnValue()
  const answered = await request()
  expect(answered.status).toBe(expected)
  expect(answered.headers.get('x-request-id')).toMatch(/^req_[0-9a-z]{26}$/)
  expect(answered.headers.get('x-api-version')).toBe('1')
  expect(answered.headers.get('x-ratelimit-limit')).toMatch(/^(240|3600)$/)
  expect(answered.headers.get('x-ratelimit-remaining')).toMatch(/^\d+$/)
  expect(answered.headers.get('x-ratelimit-window')).toBe('1 h')
  const reset = Number(answered.headers.get('x-ratelimit-reset'))
  expectWithinSeconds(reset, { from: since, until: Date.now() }, 3_600)
})

test.each(requests.filter(([, expected]) => expected >= 400))(
  '%s (%i) is refused with a sentence, a code and the id that its header says',
  async (_, __, request) => {
    vi.spyOn(console, 'error').mockReturnValue()
    const { headers, body } = await request()
    expect(headers.get('content-type')).toBe('application/json')
    expect(body).toMatchObject({
      success: false,
      error: expect.stringMatching(/^[A-Z].{10,}$/),
      code: expect.stringMatching(/^[A-Z_]+$/),
      requestId: headers.get('x-request-id'),
    })
  },
)

test('a fault says INTERNAL_ERROR and nothing of its cause, which is logged with the id', async () => {
  const log = vi.spyOn(console, 'error').mockReturnValue()
  const { status, body } = await caller.get('/metadata?url=https://media.example/breaks')
  expect(status).toBe(500)
  expect(body).toEqual({
    success: false,
    error: 'Something went wrong on our side. Try again later.',
    code: 'INTERNAL_ERROR',
    requestId: body.requestId,
  })
  expect(log).toHaveBeenCalledWith(body.requestId, 'GET', '/metadata', expect.any(Error))
})

test('a fault of the directory says no more than any other', async () => {
  vi.spyOn(console, 'error').mockReturnValue()
  vi.spyOn(env.DB, 'prepare').mockImplementationOnce(() => {
    throw new Error('D1_ERROR: no such table: jobs')
  })
  const { status, body } = await caller.get('/jobs')
  expect({ status, code: body.code, text: JSON.stringify(body) }).toMatchObject({
    status: 500,
    code: 'INTERNAL_ERROR',
    text: expect.not.stringContaining('D1'),
  })
})

test('a wrong method is told the right ones', async () => {
  const { status, headers, body } = await caller.delete('/import')
  expect([status, headers.get('allow'), body.code]).toEqual([405, 'POST', 'METHOD_NOT_ALLOWED'])
  expect((await ask('POST', '/health')).headers.get('allow')).toBe('GET, HEAD')
  expect((await asOperator('PATCH', '/admin/accounts')).headers.get('allow')?.split(', ').sort()).toEqual([
    'GET',
    'HEAD',
    'POST',
  ])
})

test('HEAD says what GET would, without the body', async () => {
  const { status, headers, body } = await ask('HEAD', '/account', { key })
  expect([status, headers.get('content-type'), body]).toEqual([200, 'application/json', ''])
})

test('the API is for servers: a page of another origin gets no leave to use a key', async () => {
  const headers = { origin: 'https://page.example', 'access-control-request-method': 'POST' }
  const preflight = await ask('OPTIONS', '/import', { headers })
  const read = await ask('GET', '/account', { key, headers })
  expect(preflight.headers.get('access-control-allow-origin')).toBeNull()
  expect(read.headers.get('access-control-allow-origin')).toBeNull()
})

test.each(['/%', '/%E0%A4%A', '/media/x/%FF', '/jobs/%00', '/import/status?id=%E0%A4%A', '/import/', '/IMPORT'])(
  'the odd address %s is refused and breaks nothing',
  async (odd) => {
    const { status } = await ask('GET', odd, { key })
    expect(status).toBeGreaterThanOrEqual(400)
    expect(status).toBeLessThan(500)
  },
)
