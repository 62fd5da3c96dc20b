import { env } from 'cloudflare:workers'
import { describe, expect, test } from 'vitest'
import worker from '../../worker/index.ts'
import { newCaller, SOURCE } from './transcribing.ts'

describe('what is refused before a job exists', () => {
  test.each([
    ['no url', { url: undefined }, 'url'],
    ['an unknown field', { providor: 'builtin' }, 'providor'],
    ['an unknown provider', { provider: 'openai' }, 'provider'],
    ['a key without a provider', { apiKey: 'some-key' }, 'apiKey'],
    ['a key for the built-in speech', { provider: 'builtin', apiKey: 'some-key' }, 'apiKey'],
    ['a key with a line break', { provider: 'provider_a', apiKey: 'some\nkey' }, 'apiKey'],
    ['options for the built-in speech', { provider: 'builtin', providerOptions: { model: 'x' } }, 'providerOptions'],
    [
      'an option that reading the answer depends on',
      { provider: 'provider_a', apiKey: 'k', providerOptions: { response_format: 'text' } },
      'providerOptions.response_format',
    ],
    [
      'options of 20 KB',
      { provider: 'provider_a', apiKey: 'k', providerOptions: { prompt: 'x'.repeat(20_000) } },
      'providerOptions',
    ],
    ['a ceiling of nothing', { provider: 'builtin', maxCostDollars: 0 }, 'maxCostDollars'],
    ['a language that is none', { language: 'English, please' }, 'language'],
    ['a webhook to a private address', { webhookUrl: 'http://127.0.0.1:1/hook' }, 'webhookUrl'],
  ])('%s', async (_, fields, path) => {
    const caller = await newCaller()
    const { status, body } = await caller.ask('POST', '/transcribe', { url: SOURCE, ...fields })
    expect([status, body.code]).toEqual([400, 'INVALID_REQUEST'])
    expect(body.details.map((detail: { path: string }) => detail.path)).toContain(path)
  })

  test('a provider without a key, neither sent nor stored', async () => {
    const caller = await newCaller()
    const { status, body } = await caller.ask('POST', '/transcribe', { url: SOURCE, provider: 'provider_c' })
    expect([status, body.code]).toEqual([400, 'PROVIDER_KEY_REQUIRED'])
  })

  test('an address that does not answer', async () => {
    const { body } = await (await newCaller()).ask('POST', '/transcribe', { url: 'https://status.example/404' })
    expect(body.code).toBe('UNREACHABLE_URL')
  })

  test('a job that the balance does not cover', async () => {
    const caller = await newCaller(0.039)
    const { status, body } = await caller.ask('POST', '/transcribe', { url: SOURCE, provider: 'builtin' })
    expect([status, body]).toEqual([402, expect.objectContaining({ requiredDollars: 0.04, availableDollars: 0.039 })])
  })

  test('a sixth job while five are queued', async () => {
    const caller = await newCaller()
    for (let jobs = 0; jobs < 5; jobs++) await caller.transcribe({})
    const { status, body } = await caller.ask('POST', '/transcribe', { url: SOURCE })
    expect([status, body]).toEqual([429, expect.objectContaining({ code: 'CONCURRENCY_LIMITED', limit: 5 })])
  })
})

test.each([
  ['POST', '/transcribe'],
  ['GET', '/transcribe/status?id=x'],
  ['GET', '/transcribe/transcript?id=x'],
  ['GET', '/transcription-provider'],
])('%s %s is for those with a key', async (method, path) => {
  const request = new Request(`https://haul.test${path}`, { method })
  const response = await worker.fetch(request, env, { waitUntil: () => {}, passThroughOnException: () => {} } as never)
  expect(response.status).toBe(401)
})
