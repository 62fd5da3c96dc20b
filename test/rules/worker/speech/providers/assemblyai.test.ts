import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { assemblyai } from '../../../../../worker/speech/providers/assemblyai.ts'
import type { ProviderJob } from '../../../../../worker/speech/providers/provider.ts'
import type { ProviderResult } from '../../../../../worker/speech/recognition.ts'
import { assemblyaiErrors, startAssemblyAI } from '../../../../doubles/providers/assemblyai.ts'
import { pieceOf, resultOf } from '../../../../doubles/providers/audio-piece.ts'
import { defaultSpeech, oggBytes, textOf } from '../../../../doubles/providers/speech.ts'

let service: Awaited<ReturnType<typeof startAssemblyAI>>
beforeAll(async () => {
  service = await startAssemblyAI()
})
afterAll(() => service.close())
beforeEach(() => {
  service.requests.length = 0
})

const start = (given: Parameters<typeof pieceOf>[0] = {}) =>
  assemblyai(service.url).start(pieceOf({ apiKey: service.apiKey, ...given }))

const jobOf = (result: ProviderResult): ProviderJob => {
  if (result.state !== 'pending') throw new Error(`Expected a job, got ${JSON.stringify(result)}`)
  return { providerJobId: result.providerJobId, apiKey: service.apiKey, signal: AbortSignal.timeout(10_000) }
}

const pollToTheEnd = async (job: ProviderJob): Promise<ProviderResult> => {
  for (;;) {
    const result = await assemblyai(service.url).poll(job)
    if (result.state !== 'pending') return result
  }
}

const sentBody = () =>
  JSON.parse(service.requests.find(({ path }) => path === '/v2/transcript')?.text ?? '{}') as object

test('audio is uploaded and transcribed, and its sentences become segments in seconds', async () => {
  const job = jobOf(await start())
  const result = resultOf(await pollToTheEnd(job))
  expect(result).toMatchObject({
    text: textOf(defaultSpeech),
    language: 'en-US',
    durationSeconds: 6,
    segments: defaultSpeech.map(({ start, end, text }) => ({ start, end, text })),
  })
  expect(result.segments.flatMap(({ words = [] }) => words)).toHaveLength(17)
  expect(service.requests.map(({ method, path }) => `${method} ${path.replace(job.providerJobId, 'ID')}`)).toEqual([
    'POST /v2/upload',
    'POST /v2/transcript',
    'GET /v2/transcript/ID',
    'GET /v2/transcript/ID',
    'GET /v2/transcript/ID',
    'GET /v2/transcript/ID/sentences',
  ])
})

test('the audio is uploaded as raw bytes with a Content-Length', async () => {
  await start({ bytes: oggBytes(2_000_000, 3) })
  expect(service.requests[0]).toMatchObject({ sizeBytes: 2_000_000, headers: { 'content-length': '2000000' } })
})

test.each([
  [null, { language_detection: true }],
  ['en-US', { language_code: 'en_us' }],
  ['en-GB', { language_code: 'en_uk' }],
  ['pt-BR', { language_code: 'pt' }],
])('the language %s is requested as %o', async (language, expected) => {
  await start({ language })
  expect(sentBody()).toMatchObject({ ...expected, speech_models: ['universal-3-5-pro', 'universal-2'] })
})

test("options are sent unchanged, and the caller's own model and language replace the defaults", async () => {
  const options = { speech_models: ['universal-2'], language_code: 'fr', speaker_labels: true, custom_spelling: [] }
  await start({ options, language: 'en' })
  expect(sentBody()).toEqual({ ...options, audio_url: expect.stringContaining('/upload/') })
})

test('a failed job, which is a 200, is a failure with the provider’s message', async () => {
  const job = jobOf(await start({ bytes: new Uint8Array(new TextEncoder().encode('hello')) }))
  expect(await pollToTheEnd(job)).toMatchObject({
    state: 'failed',
    failed: {
      code: 'PROVIDER_FAILED',
      retryable: false,
      message: expect.stringContaining('does not appear to contain audio'),
    },
  })
})

test('a failed poll can be repeated', async () => {
  const job = jobOf(await start())
  service.next(assemblyaiErrors.serverError, /sentences/)
  expect(await pollToTheEnd(job)).toMatchObject({ state: 'failed', failed: { retryable: true } })
  expect(resultOf(await pollToTheEnd(job)).segments).toHaveLength(3)
})

test('a poll after the deletion does not return "Deleted by user." as a transcript', async () => {
  const job = jobOf(await start())
  await pollToTheEnd(job)
  expect(await assemblyai(service.url).deleteJob(job)).toBe(true)
  expect(service.jobs.get(job.providerJobId)?.deleted).toBe(true)
  expect(await pollToTheEnd(job)).toMatchObject({
    state: 'failed',
    failed: { code: 'PROVIDER_FAILED', retryable: false },
  })
})

test('a failed deletion is reported', async () => {
  const job = jobOf(await start())
  service.next(assemblyaiErrors.unavailable, /DELETE/)
  expect(await assemblyai(service.url).deleteJob(job)).toBe(false)
})
