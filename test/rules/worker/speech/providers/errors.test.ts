import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { parseErrorBody } from '../../../../../worker/speech/providers/errors.ts'
import { retryAfter } from '../../../../../worker/speech/providers/request.ts'
import { assemblyaiErrors } from '../../../../doubles/providers/assemblyai.ts'
import { pieceOf } from '../../../../doubles/providers/audio-piece.ts'
import { deepgramErrors } from '../../../../doubles/providers/deepgram.ts'
import type { FakeProvider, FakeResponse, ScriptedResponse } from '../../../../doubles/providers/fake-provider.ts'
import { openaiErrors } from '../../../../doubles/providers/openai.ts'
import { services } from './each-provider.ts'

type Row = [what: string, response: FakeResponse, code: string, retryable: boolean, retryAfterSeconds: number | null]

const rows: Record<string, Row[]> = {
  openai: [
    ['401 as text/plain', openaiErrors.keyRejected('sk-proj-1234567890'), 'PROVIDER_KEY_REJECTED', false, null],
    ['403', openaiErrors.forbidden, 'PROVIDER_KEY_REJECTED', false, null],
    ['429 insufficient_quota', openaiErrors.quota, 'PROVIDER_QUOTA', false, null],
    ['429 of any other kind', openaiErrors.rateLimited(7), 'PROVIDER_RATE_LIMITED', true, 7],
    ['400 undecodable', openaiErrors.undecodable, 'PROVIDER_FAILED', false, null],
    ['404 model_not_found', openaiErrors.noSuchModel('whisper-9'), 'PROVIDER_FAILED', false, null],
    ['413 with server_error', openaiErrors.tooLarge(26_300_000), 'PROVIDER_FAILED', false, null],
    ['408', openaiErrors.requestTimeout, 'PROVIDER_FAILED', true, null],
    ['500', openaiErrors.serverError, 'PROVIDER_FAILED', true, null],
    ['502 with a page', openaiErrors.badGateway, 'PROVIDER_FAILED', true, null],
  ],
  deepgram: [
    ['401 INVALID_AUTH', deepgramErrors.keyRejected(), 'PROVIDER_KEY_REJECTED', false, null],
    ['403', deepgramErrors.forbidden, 'PROVIDER_KEY_REJECTED', false, null],
    ['402 ASR_PAYMENT_REQUIRED', deepgramErrors.quota(), 'PROVIDER_QUOTA', false, null],
    ['429 without Retry-After', deepgramErrors.rateLimited(), 'PROVIDER_RATE_LIMITED', true, null],
    ['400 corrupt or unsupported', deepgramErrors.undecodable(), 'PROVIDER_FAILED', false, null],
    ['413 as text', deepgramErrors.tooLarge, 'PROVIDER_FAILED', false, null],
    ['422 in the newer shape', deepgramErrors.unprocessable, 'PROVIDER_FAILED', false, null],
    ['408 SLOW_UPLOAD', deepgramErrors.slowUpload, 'PROVIDER_FAILED', true, null],
    ['503 as text', deepgramErrors.unavailable, 'PROVIDER_FAILED', true, null],
    ['504 after ten minutes', deepgramErrors.processingTooLong, 'PROVIDER_FAILED', true, null],
  ],
  assemblyai: [
    ['401', assemblyaiErrors.keyRejected, 'PROVIDER_KEY_REJECTED', false, null],
    ['400 about the balance', assemblyaiErrors.quota, 'PROVIDER_QUOTA', false, null],
    ['400 about anything else', assemblyaiErrors.wrongSchema, 'PROVIDER_FAILED', false, null],
    ['422', assemblyaiErrors.uploadFailed, 'PROVIDER_FAILED', false, null],
    ['429 with Retry-After', assemblyaiErrors.rateLimited(30), 'PROVIDER_RATE_LIMITED', true, 30],
    ['500', assemblyaiErrors.serverError, 'PROVIDER_FAILED', true, null],
    ['503 with a page', assemblyaiErrors.unavailable, 'PROVIDER_FAILED', true, null],
  ],
}

describe.each(Object.entries(services))('%s', (name, { adapter, begin }) => {
  let service: FakeProvider & { apiKey: string }
  beforeAll(async () => {
    service = await begin()
  })
  afterAll(() => service.close())

  const resultAfter = (response: ScriptedResponse, signal = AbortSignal.timeout(10_000)) => {
    service.next(response)
    return adapter(service.url).start(pieceOf({ apiKey: service.apiKey, signal }))
  }

  test.each(rows[name] ?? [])('%s', async (_, response, code, retryable, retryAfterSeconds) => {
    expect(await resultAfter(response)).toMatchObject({
      state: 'failed',
      failed: { code, retryable },
      retryAfterSeconds,
    })
  })

  const unavailable = { state: 'failed', failed: { code: 'PROVIDER_FAILED', retryable: true } }

  test('a broken connection is retryable', async () => {
    expect(await resultAfter('hang up')).toMatchObject(unavailable)
  })

  test('a timeout is retryable', async () => {
    const timeout = new AbortController()
    const before = service.requests.length
    const result = resultAfter('silence', timeout.signal)
    // Otherwise the silence would be the answer to a later request.
    await vi.waitFor(() => expect(service.requests.length).toBeGreaterThan(before))
    timeout.abort(new DOMException('The operation timed out.', 'TimeoutError'))
    expect(await result).toMatchObject(unavailable)
  })

  test('an unreachable service is retryable', async () => {
    const result = await adapter('http://127.0.0.1:1').start(pieceOf({ apiKey: service.apiKey }))
    expect(result).toMatchObject(unavailable)
  })

  test.each([
    ['a page', '<html>maintenance</html>'],
    ['JSON of another shape', '{"hello":"world"}'],
    ['nothing', ''],
  ])('a 200 with %s is not a transcript', async (_, body) => {
    expect(await resultAfter({ status: 200, body })).toMatchObject(unavailable)
  })

  test('a redirect is not followed, because it would send the key elsewhere', async () => {
    const elsewhere = await begin()
    const headers = { location: `${elsewhere.url}/audio/transcriptions` }
    const result = await resultAfter({ status: 307, headers, body: '' })
    expect(result).toMatchObject({ state: 'failed', failed: { code: 'PROVIDER_FAILED', retryable: false } })
    expect(elsewhere.requests).toHaveLength(0)
    await elsewhere.close()
  })
})

test.each([
  ['plain text', 'Payload Too Large', '', 'Payload Too Large'],
  ['a page', '<html>502</html>', '', ''],
  [
    'the older Deepgram',
    '{"err_code":"INVALID_AUTH","err_msg":"Invalid credentials."}',
    'INVALID_AUTH',
    'Invalid credentials.',
  ],
  [
    'the newer Deepgram',
    '{"category":"INVALID_JSON","message":"Invalid.","details":"line 1"}',
    'INVALID_JSON',
    'Invalid. line 1',
  ],
  ['AssemblyAI', '{"error":"No."}', '', 'No.'],
  ['OpenAI', '{"error":{"message":"No.","type":"a","param":null,"code":"b"}}', 'b a', 'No.'],
  ['null', 'null', '', 'null'],
])('the error body of %s is parsed', (_, text, code, message) => {
  expect(parseErrorBody(text)).toEqual({ code, message })
})

const now = Date.parse('2026-11-21T08:00:00Z')
test.each([
  [{}, null],
  [{ 'retry-after': '12' }, 12],
  [{ 'retry-after': 'Sat, 21 Nov 2026 08:00:30 GMT' }, 30],
  [{ 'retry-after': 'Sat, 21 Nov 2026 07:00:00 GMT' }, 0],
  [{ 'retry-after': 'soon' }, null],
  [{ 'retry-after': '12', 'retry-after-ms': '1500' }, 2],
])('%o is a delay of %s seconds', (headers, expected) => {
  expect(retryAfter(new Headers(headers as Record<string, string>), now)).toBe(expected)
})
