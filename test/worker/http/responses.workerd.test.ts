import { env } from 'cloudflare:workers'
import { expect, test, vi } from 'vitest'
import { type ApiResponse, asOperator, callApi, completed, FILM, newCaller, path } from '../support/caller.ts'
import { expectWithinSeconds } from '../support/clock.ts'
import { expectLogged } from '../support/expected-log.ts'

const since = Date.now()
const caller = await newCaller()
const jobId = await completed(caller)
const status = await caller.get(`/import/status?id=${jobId}`)
const link = path(status.body.data.result.mediaUrl)

const big = JSON.stringify({ url: FILM, filler: 'x'.repeat(70_000) })
const key = caller.apiKey

const requests: [string, number, () => Promise<ApiResponse>][] = [
  ['a start', 202, () => caller.post('/import', { url: FILM })],
  ['a read', 200, () => caller.get('/account')],
  ['a public endpoint', 200, () => callApi('GET', '/health')],
  ['the OpenAPI document', 200, () => callApi('GET', '/openapi.json')],
  ['the documentation', 200, () => callApi('GET', '/docs')],
  ['a body that is not JSON', 400, () => caller.post('/import', '{')],
  ['a request without a key', 401, () => callApi('GET', '/account')],
  ['an operator without the token', 401, () => callApi('GET', '/admin/accounts')],
  ['a hold above the balance', 402, async () => (await newCaller(0)).post('/import', { url: FILM })],
  ['a modified link', 403, () => callApi('GET', `${link}x`)],
  ['an unknown path', 404, () => callApi('GET', '/nothing/here')],
  ['an unknown job', 404, () => caller.get('/import/status?id=imp_none')],
  ['a wrong method', 405, () => caller.delete('/import')],
  ['a body that is too large', 413, () => caller.post('/import', big)],
  ['a body of another content type', 415, () => caller.post('/import', 'url=x', { 'content-type': 'text/plain' })],
  ['a range outside of the file', 416, () => callApi('GET', link, { headers: { range: 'bytes=5000-' } })],
  ['a file', 200, () => callApi('GET', link)],
  ['a range of a file', 206, () => callApi('GET', link, { headers: { range: 'bytes=0-9' } })],
  ['a file that the client has', 304, () => callApi('GET', link, { headers: { 'if-none-match': '*' } })],
  ['a report of a step without its lease', 401, () => callApi('POST', '/internal/jobs/imp_none/outcome', { body: {} })],
  ['a probe that throws', 500, () => caller.get('/metadata?url=https://media.example/breaks')],
]

test.each(requests)(
  '%s (%i) has a request id, a version and the rate limit headers',
  async (name, expected, request) => {
    vi.spyOn(console, 'error').mockReturnValue()
    const { status, headers, body } = await request()
    expect(status).toBe(expected)
    expect(headers.get('x-request-id')).toMatch(/^req_[0-9a-z]{26}$/)
    expect(headers.get('x-api-version')).toBe('1')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('x-ratelimit-limit')).toMatch(/^(240|3600)$/)
    expect(headers.get('x-ratelimit-remaining')).toMatch(/^\d+$/)
    expect(headers.get('x-ratelimit-window')).toBe('1 h')
    const reset = Number(headers.get('x-ratelimit-reset'))
    expectWithinSeconds(reset, { from: since, until: Date.now() }, 3_600)
    // Refusals have a message, a code and the request id too. An engine needs none of them.
    if (expected < 400 || name.startsWith('a report')) return
    expect(headers.get('content-type')).toBe('application/json')
    expect(body).toMatchObject({
      success: false,
      error: expect.stringMatching(/^[A-Z].{8,}$/),
      code: expect.stringMatching(/^[A-Z_]+$/),
      requestId: headers.get('x-request-id'),
    })
  },
)

test('a fault is an INTERNAL_ERROR without its cause, which is logged with the request id', async () => {
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

test('a fault of D1 does not leak its message', async () => {
  expectLogged('error', /GET \/jobs .*no such table: jobs/)
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

test('a 405 lists the allowed methods', async () => {
  const { status, headers, body } = await caller.delete('/import')
  expect([status, headers.get('allow'), body.code]).toEqual([405, 'POST, OPTIONS', 'METHOD_NOT_ALLOWED'])
  expect((await callApi('POST', '/health')).headers.get('allow')).toBe('GET, HEAD')
  expect((await asOperator('PATCH', '/admin/accounts')).headers.get('allow')?.split(', ').sort()).toEqual([
    'GET',
    'HEAD',
    'POST',
  ])
})

test('HEAD returns the headers of GET without the body', async () => {
  const { status, headers, body } = await callApi('HEAD', '/account', { key })
  expect([status, headers.get('content-type'), body]).toEqual([200, 'application/json', ''])
})

test.each(['/%', '/%E0%A4%A', '/media/x/%FF', '/jobs/%00', '/import/status?id=%E0%A4%A', '/import/', '/IMPORT'])(
  'the malformed path %s is a 4xx',
  async (odd) => {
    const { status } = await callApi('GET', odd, { key })
    expect(status).toBeGreaterThanOrEqual(400)
    expect(status).toBeLessThan(500)
  },
)
