import { afterEach, describe, expect, test, vi } from 'vitest'
import { redact } from '../../../../../worker/speech/providers/errors.ts'
import { pieceOf } from '../../../../doubles/providers/audio-piece.ts'
import type { FakeResponse, ScriptedResponse } from '../../../../doubles/providers/fake-provider.ts'
import { openaiErrors } from '../../../../doubles/providers/openai.ts'
import { services } from './each-provider.ts'

const canary = 'sk-proj-CaNaRyqZ71kWm4XvT9pLe2'

/** Any six consecutive characters of the key, or the last four, which services often show. */
const leaks = (text: string): string[] =>
  [...Array.from({ length: canary.length - 5 }, (_, at) => canary.slice(at, at + 6)), canary.slice(-4)].filter((part) =>
    text.includes(part),
  )

const echo = (status: number, words: string): FakeResponse => ({
  status,
  body: { error: { message: words, type: 'x', code: 'x' }, err_msg: words, message: words },
})

const provocations: [string, ScriptedResponse][] = [
  ['a masked key', openaiErrors.keyRejected(canary)],
  ['a masked key in a 400', { ...openaiErrors.keyRejected(canary), status: 400 }],
  ['the whole key', echo(400, `The key ${canary} may not do this.`)],
  ['the start of the key', echo(400, `Key ${canary.slice(0, 12)}... is for another project`)],
  ['the end of the key', echo(400, `Key ending in ${canary.slice(-4)} has no access`)],
  ['the key in plain text', { status: 422, body: `bad token: "${canary}"` }],
  ['the key in a success', { status: 200, body: { text: 7, key: canary } }],
  ['a broken connection', 'hang up'],
]

describe.each(Object.entries(services))('%s', (_, { adapter, begin }) => {
  afterEach(() => vi.restoreAllMocks())

  test.each(provocations)('a key is not returned or logged after %s', async (_what, response) => {
    const service = await begin({ apiKey: canary })
    const logged = (['log', 'info', 'warn', 'error', 'debug'] as const).map((level) =>
      vi.spyOn(console, level).mockImplementation(() => {}),
    )
    service.next(response)
    const result = await adapter(service.url).start(pieceOf({ apiKey: canary }))
    expect(leaks(JSON.stringify(result))).toEqual([])
    expect(leaks(JSON.stringify(logged.flatMap(({ mock }) => mock.calls)))).toEqual([])
    await service.close()
  })

  test('a key is sent in the Authorization header only', async () => {
    const service = await begin({ apiKey: canary })
    await adapter(service.url).start(pieceOf({ apiKey: canary }))
    for (const { path, query, text, headers } of service.requests) {
      const { authorization, ...others } = headers
      expect(authorization).toContain(canary)
      expect(leaks(`${path}${query.toString()}${text}${JSON.stringify(others)}`)).toEqual([])
    }
    await service.close()
  })

  test.each([
    ['a newline', `${canary}\n`],
    ['a character that is invalid in headers', `${canary}ł`],
    ['nothing', ''],
  ])('a key with %s is rejected without a request, and the error does not contain it', async (_what, apiKey) => {
    const service = await begin({ apiKey: canary })
    const result = await adapter(service.url).start(pieceOf({ apiKey }))
    expect(result).toMatchObject({ state: 'failed', failed: { code: 'PROVIDER_KEY_REJECTED', retryable: false } })
    expect(leaks(JSON.stringify(result))).toEqual([])
    expect(service.requests).toHaveLength(0)
    await service.close()
  })
})

test('a message of the provider is returned on one line and shortened', () => {
  expect(redact('Audio file might be\n corrupted or unsupported', canary)).toBe(
    'Audio file might be corrupted or unsupported',
  )
  expect(redact('long words '.repeat(500), canary)).toHaveLength(300)
})
