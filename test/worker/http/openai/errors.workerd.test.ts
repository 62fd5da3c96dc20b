import { describe, expect, test } from 'vitest'
import { expectLogged } from '../../support/expected-log.ts'
import { expectNothingStored, fileOf, PATH, receivedFiles, sendTo, transcribe } from '../../support/openai.ts'
import { asOperator, type Caller, newCaller, SOURCE } from '../../support/transcriptions.ts'

const talk: [string, File] = ['file', fileOf('the bytes of a short talk')]

const typeOf = (status: number) => (status >= 500 ? 'server_error' : 'invalid_request_error')

const expectError = async (sending: ReturnType<typeof sendTo>, status: number, code: string) => {
  const response = await sending
  expect(response.status).toBe(status)
  const { message, type, param, code: given, ...more } = response.body.error
  expect(Object.keys(response.body)).toEqual(['error'])
  expect([type, given]).toEqual([typeOf(status), code])
  expect(message).toMatch(/^[A-Z].*\.$/)
  expect(param === null || typeof param === 'string').toBe(true)
  expect(response.headers.get('x-request-id')).toMatch(/^req_/)
  expect(response.headers.get('x-ratelimit-limit')).toMatch(/^\d+$/)
  return { ...response, more }
}

describe('every error has the shape of OpenAI', () => {
  test.each([
    ['without a key', PATH, ''],
    ['with a forged key', PATH, 'haul_0_1_2'],
    ['for models without a key', '/v1/models', ''],
  ])('a request %s is a 401', async (_, path, apiKey) => {
    const method = path === PATH ? 'POST' : 'GET'
    const { headers } = await expectError(sendTo(path, { apiKey, method }), 401, 'UNAUTHORIZED')
    expect(headers.get('www-authenticate')).toBe('Bearer')
  })

  test.each([
    ['GET', PATH, 405, 'METHOD_NOT_ALLOWED'],
    ['DELETE', '/v1/models', 405, 'METHOD_NOT_ALLOWED'],
    ['GET', '/v1/models/gpt-9', 404, 'model_not_found'],
    ['GET', '/v1/nothing', 404, 'NOT_FOUND'],
    ['GET', '/v1', 404, 'NOT_FOUND'],
    ['POST', '/v1/chat/completions', 404, 'NOT_FOUND'],
  ])('%s %s is a %i', async (method, path, status, code) => {
    const { apiKey } = await newCaller()
    await expectError(sendTo(path, { apiKey, method }), status, code)
  })

  test('another path keeps the envelope of this service', async () => {
    const { apiKey } = await newCaller()
    const { body } = await sendTo('/v1x', { apiKey, method: 'GET' })
    expect(body).toMatchObject({ success: false, code: 'NOT_FOUND' })
  })

  test.each([
    ['JSON', { 'content-type': 'application/json' }, 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['a form without a boundary', { 'content-type': 'multipart/form-data' }, 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['a form that is none', { 'content-type': 'multipart/form-data; boundary=b' }, 400, 'INVALID_REQUEST'],
  ])('%s is refused', async (_, headers, status, code) => {
    await expectError(transcribe(await newCaller(), [], { body: '{}', headers }), status, code)
  })

  test('a form with neither file nor URL is refused', async () => {
    const { status, body } = await transcribe(await newCaller(), [['model', 'whisper-1']])
    expect([status, body.error]).toMatchObject([400, { code: 'INVALID_REQUEST', param: 'file' }])
  })

  test('a fault is a 500 that says nothing of its cause', async () => {
    expectLogged('error', /^req_\w+ GET \/v1\/models TypeError/)
    const { apiKey } = await newCaller()
    const broken = { ACCOUNTS: undefined as unknown as Env['ACCOUNTS'] }
    const { body } = await expectError(
      sendTo('/v1/models', { apiKey, method: 'GET', within: broken }),
      500,
      'INTERNAL_ERROR',
    )
    expect(body.error.message).not.toMatch(/undefined/)
  })
})

describe('a file over 100 MB is refused and not kept', () => {
  test('by the length of the body, before it is read', async () => {
    const caller = await newCaller()
    const body = new FixedLengthStream(104_000_001).readable
    const headers = { 'content-type': 'multipart/form-data; boundary=b', 'content-length': '104000001' }
    await expectError(transcribe(caller, [], { body, headers }), 413, 'BODY_TOO_LARGE')
    expect(await receivedFiles(caller)).toEqual([])
  })

  test('by its bytes, if the body does not state its length', async () => {
    const caller = await newCaller()
    const head = new TextEncoder().encode(
      '--b\r\nContent-Disposition: form-data; name="file"; filename="a.mp3"\r\n\r\n',
    )
    const piece = new Uint8Array(1_000_000)
    let sent = 0
    const body = new ReadableStream({
      pull: (controller) => {
        controller.enqueue(sent === 0 ? head : piece)
        sent++
        if (sent > 300) controller.close()
      },
    })
    const headers = { 'content-type': 'multipart/form-data; boundary=b' }
    const { more, body: answer } = await expectError(transcribe(caller, [], { body, headers }), 413, 'BODY_TOO_LARGE')
    expect([answer.error.param, more]).toEqual(['file', { limit: 100_000_000 }])
    // As much again is read, so that proxies do not lose the response.
    expect(sent).toBeLessThan(220)
    expect(await expectNothingStored(caller)).toHaveLength(1)
  })
})

describe('a request that may not start a job', () => {
  const change = ({ accountId }: Caller, changes: object) =>
    asOperator('PATCH', `/admin/accounts/${accountId}`, changes)
  /** Each returns the key of the request. */
  const prepare = {
    'with a revoked key': async ({ accountId }: Caller) => {
      const { data } = await asOperator('POST', `/admin/accounts/${accountId}/keys`)
      await asOperator('DELETE', `/admin/accounts/${accountId}/keys/${data.keyId}`)
      return data.apiKey
    },
    'of a suspended account': async (caller: Caller) => {
      await change(caller, { suspended: true })
      return caller.apiKey
    },
    'beyond the limit of the hour': async (caller: Caller) => {
      await change(caller, { limits: { requestsPerHour: { transcribe: 1 } } })
      expect((await transcribe(caller, [['url', SOURCE]], { waitMs: 1 })).status).toBe(504)
      return caller.apiKey
    },
  }

  test.each([
    ['with a revoked key', 401, 'UNAUTHORIZED'],
    ['of a suspended account', 403, 'ACCOUNT_SUSPENDED'],
    ['beyond the limit of the hour', 429, 'RATE_LIMITED'],
  ] as const)('%s is a %i before its body is read', async (what, status, code) => {
    const caller = await newCaller()
    const apiKey = await prepare[what](caller)
    const { headers } = await expectError(transcribe({ apiKey }, [talk]), status, code)
    if (status === 429) expect(Number(headers.get('retry-after'))).toBeGreaterThan(3_000)
    expect(await receivedFiles(caller)).toEqual([])
  })

  test('without a balance is a 402 before its body is read, and counts as one request', async () => {
    const caller = await newCaller(0)
    const { more, headers } = await expectError(transcribe(caller, [talk]), 402, 'INSUFFICIENT_BALANCE')
    expect(more).toEqual({ requiredDollars: 0.03, availableDollars: 0 })
    expect(headers.get('x-ratelimit-remaining')).toBe('239')
    expect(await receivedFiles(caller)).toEqual([])
  })

  test('because its balance is too low is a 402 with the amounts, and the file is not kept', async () => {
    const caller = await newCaller(0.001)
    const { more } = await expectError(transcribe(caller, [talk]), 402, 'INSUFFICIENT_BALANCE')
    expect(more).toEqual({ requiredDollars: 0.03, availableDollars: 0.001 })
    await expectNothingStored(caller)
  })

  test('because too many jobs run is a 429 that does not count', async () => {
    const caller = await newCaller()
    for (let job = 0; job < 5; job++) await caller.transcribe({})
    const { headers } = await expectError(transcribe(caller, [talk]), 429, 'CONCURRENCY_LIMITED')
    expect(headers.get('retry-after')).toBe('5')
    expect(headers.get('x-ratelimit-remaining')).toBe('235')
    await expectNothingStored(caller)
  })
})
