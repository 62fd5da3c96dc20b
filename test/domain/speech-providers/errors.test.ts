import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { assemblyai } from '../../../worker/speech/providers/assemblyai.ts'
import { deepgram } from '../../../worker/speech/providers/deepgram.ts'
import { readComplaint } from '../../../worker/speech/providers/errors.ts'
import { retryAfter } from '../../../worker/speech/providers/exchange.ts'
import { openai } from '../../../worker/speech/providers/openai.ts'
import { assemblyaiSays, startAssemblyAI } from '../../providers/assemblyai.ts'
import { deepgramSays, startDeepgram } from '../../providers/deepgram.ts'
import type { FakeProvider, HttpAnswer, ScriptedAnswer } from '../../providers/http.ts'
import { openaiSays, startOpenAI } from '../../providers/openai.ts'
import { pieceOf } from '../../providers/piece.ts'

type Row = [what: string, said: HttpAnswer, code: string, retryable: boolean, retryAfterSeconds: number | null]

const rows: Record<string, Row[]> = {
  openai: [
    ['401 as text/plain', openaiSays.keyRejected('sk-proj-1234567890'), 'PROVIDER_KEY_REJECTED', false, null],
    ['403', openaiSays.forbidden, 'PROVIDER_KEY_REJECTED', false, null],
    ['429 insufficient_quota', openaiSays.quota, 'PROVIDER_QUOTA', false, null],
    ['429 of any other kind', openaiSays.rateLimited(7), 'PROVIDER_RATE_LIMITED', true, 7],
    ['400 undecodable', openaiSays.undecodable, 'PROVIDER_FAILED', false, null],
    ['404 model_not_found', openaiSays.noSuchModel('whisper-9'), 'PROVIDER_FAILED', false, null],
    ['413 that says server_error', openaiSays.tooLarge(26_300_000), 'PROVIDER_FAILED', false, null],
    ['408', openaiSays.requestTimeout, 'PROVIDER_FAILED', true, null],
    ['500', openaiSays.serverError, 'PROVIDER_FAILED', true, null],
    ['502 with a page', openaiSays.badGateway, 'PROVIDER_FAILED', true, null],
  ],
  deepgram: [
    ['401 INVALID_AUTH', deepgramSays.keyRejected(), 'PROVIDER_KEY_REJECTED', false, null],
    ['403', deepgramSays.forbidden, 'PROVIDER_KEY_REJECTED', false, null],
    ['402 ASR_PAYMENT_REQUIRED', deepgramSays.quota(), 'PROVIDER_QUOTA', false, null],
    ['429 without Retry-After', deepgramSays.rateLimited(), 'PROVIDER_RATE_LIMITED', true, null],
    ['400 corrupt or unsupported', deepgramSays.undecodable(), 'PROVIDER_FAILED', false, null],
    ['413 as text', deepgramSays.tooLarge, 'PROVIDER_FAILED', false, null],
    ['422 in the newer shape', deepgramSays.unprocessable, 'PROVIDER_FAILED', false, null],
    ['408 SLOW_UPLOAD', deepgramSays.slowUpload, 'PROVIDER_FAILED', true, null],
    ['503 as text', deepgramSays.unavailable, 'PROVIDER_FAILED', true, null],
    ['504 after ten minutes', deepgramSays.processingTooLong, 'PROVIDER_FAILED', true, null],
  ],
  assemblyai: [
    ['401', assemblyaiSays.keyRejected, 'PROVIDER_KEY_REJECTED', false, null],
    ['400 about the balance', assemblyaiSays.quota, 'PROVIDER_QUOTA', false, null],
    ['400 about anything else', assemblyaiSays.wrongSchema, 'PROVIDER_FAILED', false, null],
    ['422', assemblyaiSays.uploadFailed, 'PROVIDER_FAILED', false, null],
    ['429 with Retry-After', assemblyaiSays.rateLimited(30), 'PROVIDER_RATE_LIMITED', true, 30],
    ['500', assemblyaiSays.serverError, 'PROVIDER_FAILED', true, null],
    ['503 with a page', assemblyaiSays.unavailable, 'PROVIDER_FAILED', true, null],
  ],
}

const services = {
  openai: { adapter: openai, begin: startOpenAI },
  deepgram: { adapter: deepgram, begin: startDeepgram },
  assemblyai: { adapter: assemblyai, begin: startAssemblyAI },
}

describe.each(Object.entries(services))('%s', (name, { adapter, begin }) => {
  let service: FakeProvider & { apiKey: string }
  beforeAll(async () => {
    service = await begin()
  })
  afterAll(() => service.close())

  const afterSaying = (said: ScriptedAnswer, signal = AbortSignal.timeout(10_000)) => {
    service.next(said)
    return adapter(service.url).start(pieceOf({ apiKey: service.apiKey, signal }))
  }

  test.each(rows[name] ?? [])('%s', async (_, said, code, retryable, retryAfterSeconds) => {
    expect(await afterSaying(said)).toMatchObject({ state: 'failed', failed: { code, retryable }, retryAfterSeconds })
  })

  test('a wrong key is rejected by the service itself', async () => {
    const answer = await adapter(service.url).start(pieceOf({ apiKey: 'sk-another-key-altogether' }))
    expect(answer).toMatchObject({ state: 'failed', failed: { code: 'PROVIDER_KEY_REJECTED' } })
  })

  const unavailable = { state: 'failed', failed: { code: 'PROVIDER_FAILED', retryable: true } }

  test('a connection that breaks is tried again', async () => {
    expect(await afterSaying('hang up')).toMatchObject(unavailable)
  })

  test('an answer that does not come in the time given is tried again', async () => {
    expect(await afterSaying('silence', AbortSignal.timeout(50))).toMatchObject(unavailable)
  })

  test('a service that is not there is tried again', async () => {
    const answer = await adapter('http://127.0.0.1:1').start(pieceOf({ apiKey: service.apiKey }))
    expect(answer).toMatchObject(unavailable)
  })

  test.each([
    ['a page', '<html>maintenance</html>'],
    ['JSON of another shape', '{"hello":"world"}'],
    ['nothing', ''],
  ])('a success that holds %s is not taken for a transcript', async (_, body) => {
    expect(await afterSaying({ status: 200, body })).toMatchObject(unavailable)
  })

  test('a redirect is not followed, because it would carry the key along', async () => {
    const elsewhere = await begin()
    const headers = { location: `${elsewhere.url}/audio/transcriptions` }
    const answer = await afterSaying({ status: 307, headers, body: '' })
    expect(answer).toMatchObject({ state: 'failed', failed: { code: 'PROVIDER_FAILED', retryable: false } })
    expect(elsewhere.requests).toHaveLength(0)
    await elsewhere.close()
  })
})

test.each([
  ['bare text', 'Payload Too Large', '', 'Payload Too Large'],
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
])('the complaint of %s is understood', (_, text, code, words) => {
  expect(readComplaint(text)).toEqual({ code, words })
})

const now = Date.parse('2026-11-21T08:00:00Z')
test.each([
  [{}, null],
  [{ 'retry-after': '12' }, 12],
  [{ 'retry-after': 'Sat, 21 Nov 2026 08:00:30 GMT' }, 30],
  [{ 'retry-after': 'Sat, 21 Nov 2026 07:00:00 GMT' }, 0],
  [{ 'retry-after': 'soon' }, null],
  [{ 'retry-after': '12', 'retry-after-ms': '1500' }, 2],
])('%o means to wait %s seconds', (headers, expected) => {
  expect(retryAfter(new Headers(headers as Record<string, string>), now)).toBe(expected)
})
