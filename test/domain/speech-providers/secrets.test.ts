import { afterEach, describe, expect, test, vi } from 'vitest'
import { assemblyai } from '../../../worker/speech/providers/assemblyai.ts'
import { deepgram } from '../../../worker/speech/providers/deepgram.ts'
import { openai } from '../../../worker/speech/providers/openai.ts'
import { redact } from '../../../worker/speech/providers/redact.ts'
import { startAssemblyAI } from '../../providers/assemblyai.ts'
import { startDeepgram } from '../../providers/deepgram.ts'
import type { HttpAnswer, ScriptedAnswer } from '../../providers/http.ts'
import { openaiSays, startOpenAI } from '../../providers/openai.ts'
import { pieceOf } from '../../providers/piece.ts'

const canary = 'sk-proj-CaNaRyqZ71kWm4XvT9pLe2'

/** No run of six letters of the key may be seen, and not the last four that masks like to show. */
const leaks = (text: string): string[] =>
  [...Array.from({ length: canary.length - 5 }, (_, at) => canary.slice(at, at + 6)), canary.slice(-4)].filter((part) =>
    text.includes(part),
  )

const echo = (status: number, words: string): HttpAnswer => ({
  status,
  body: { error: { message: words, type: 'x', code: 'x' }, err_msg: words, message: words },
})

const provocations: [string, ScriptedAnswer][] = [
  ['a mask', openaiSays.keyRejected(canary)],
  ['a mask in a 400', { ...openaiSays.keyRejected(canary), status: 400 }],
  ['the whole key', echo(400, `The key ${canary} may not do this.`)],
  ['the start of it', echo(400, `Key ${canary.slice(0, 12)}... is for another project`)],
  ['the end of it', echo(400, `Key ending in ${canary.slice(-4)} has no access`)],
  ['the key in bare text', { status: 422, body: `bad token: "${canary}"` }],
  ['the key in a success', { status: 200, body: { text: 7, key: canary } }],
  ['a broken connection', 'hang up'],
]

describe.each([
  ['openai', openai, startOpenAI],
  ['deepgram', deepgram, startDeepgram],
  ['assemblyai', assemblyai, startAssemblyAI],
])('%s', (_, adapter, begin) => {
  afterEach(() => vi.restoreAllMocks())

  test.each(provocations)('a key does not come back out of %s, nor into a log', async (_what, said) => {
    const service = await begin({ apiKey: canary })
    const logged = (['log', 'info', 'warn', 'error', 'debug'] as const).map((level) =>
      vi.spyOn(console, level).mockImplementation(() => {}),
    )
    service.next(said)
    const answer = await adapter(service.url).start(pieceOf({ apiKey: canary }))
    expect(leaks(JSON.stringify(answer))).toEqual([])
    expect(leaks(JSON.stringify(logged.flatMap(({ mock }) => mock.calls)))).toEqual([])
    await service.close()
  })

  test('a key travels in the Authorization header alone', async () => {
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
    ['a letter that no header holds', `${canary}ł`],
    ['nothing', ''],
  ])(
    'a key with %s is rejected before anything is sent, and without an error that quotes it',
    async (_what, apiKey) => {
      const service = await begin({ apiKey: canary })
      const answer = await adapter(service.url).start(pieceOf({ apiKey }))
      expect(answer).toMatchObject({ state: 'failed', failed: { code: 'PROVIDER_KEY_REJECTED', retryable: false } })
      expect(leaks(JSON.stringify(answer))).toEqual([])
      expect(service.requests).toHaveLength(0)
      await service.close()
    },
  )
})

test('ordinary words of a provider reach the caller, on one line and cut to size', () => {
  expect(redact('Audio file might be\n corrupted or unsupported', canary)).toBe(
    'Audio file might be corrupted or unsupported',
  )
  expect(redact('long words '.repeat(500), canary)).toHaveLength(300)
})
