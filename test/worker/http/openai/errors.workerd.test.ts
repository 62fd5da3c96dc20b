import { describe, expect, test } from 'vitest'
import { expectNothingStored, fileOf, PATH, receivedFiles, sendTo, transcribe } from '../../support/openai.ts'
import { asOperator, newCaller, SOURCE } from '../../support/transcriptions.ts'

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

  test('a revoked key is a 401 before the body is read', async () => {
    const caller = await newCaller()
    const { data } = await asOperator('POST', `/admin/accounts/${caller.accountId}/keys`)
    await asOperator('DELETE', `/admin/accounts/${caller.accountId}/keys/${data.keyId}`)
    await expectError(transcribe({ apiKey: data.apiKey }, [talk]), 401, 'UNAUTHORIZED')
    expect(await receivedFiles(caller)).toEqual([])
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
    const caller = await newCaller()
    await expectError(transcribe(caller, [], { body: '{}', headers }), status, code)
  })

  test('a fault is a 500 that says nothing of its cause', async () => {
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

describe('limits', () => {
  test('a balance that is too low is a 402 with the amounts, and the file is not kept', async () => {
    const caller = await newCaller(0.001)
    const { more } = await expectError(transcribe(caller, [talk]), 402, 'INSUFFICIENT_BALANCE')
    expect(more).toEqual({ requiredDollars: 0.03, availableDollars: 0.001 })
    await expectNothingStored(caller)
  })

  test('an empty balance is a 402 before the body is read, and counts as one request', async () => {
    const caller = await newCaller(0)
    const { more, headers } = await expectError(transcribe(caller, [talk]), 402, 'INSUFFICIENT_BALANCE')
    expect(more).toEqual({ requiredDollars: 0.03, availableDollars: 0 })
    expect(headers.get('x-ratelimit-remaining')).toBe('239')
    expect(await receivedFiles(caller)).toEqual([])
  })

  test('a job too many is a 429 that does not count', async () => {
    const caller = await newCaller()
    for (let job = 0; job < 5; job++) await caller.transcribe({})
    const { headers } = await expectError(transcribe(caller, [talk]), 429, 'CONCURRENCY_LIMITED')
    expect(headers.get('retry-after')).toBe('5')
    expect(headers.get('x-ratelimit-remaining')).toBe('235')
    await expectNothingStored(caller)
  })

  test('a request too many is a 429 before the body is read', async () => {
    const caller = await newCaller()
    await asOperator('PATCH', `/admin/accounts/${caller.accountId}`, { limits: { requestsPerHour: { transcribe: 1 } } })
    expect((await transcribe(caller, [['url', SOURCE]], { waitMs: 1 })).status).toBe(504)
    const { headers } = await expectError(transcribe(caller, [talk]), 429, 'RATE_LIMITED')
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(3_000)
    expect(await receivedFiles(caller)).toEqual([])
  })

  test('a suspended account is a 403 before the body is read', async () => {
    const caller = await newCaller()
    await asOperator('PATCH', `/admin/accounts/${caller.accountId}`, { suspended: true })
    await expectError(transcribe(caller, [talk]), 403, 'ACCOUNT_SUSPENDED')
    expect(await receivedFiles(caller)).toEqual([])
  })
})

describe('the models', () => {
  test('are listed in the shape of OpenAI', async () => {
    const { apiKey } = await newCaller()
    const { status, body } = await sendTo('/v1/models', { apiKey, method: 'GET' })
    expect([status, body.object]).toEqual([200, 'list'])
    const ids = ['haul-auto', 'haul-builtin', 'provider_a', 'provider_b', 'provider_c', 'whisper-1']
    expect(body.data.map(({ id }: { id: string }) => id)).toEqual(ids)
    for (const model of body.data) {
      expect(model).toEqual({ id: model.id, object: 'model', created: expect.any(Number), owned_by: 'haul' })
    }
  })

  test('can be retrieved', async () => {
    const { apiKey } = await newCaller()
    const { status, body } = await sendTo('/v1/models/whisper-1', { apiKey, method: 'GET' })
    expect([status, body]).toMatchObject([200, { id: 'whisper-1', object: 'model' }])
  })
})
