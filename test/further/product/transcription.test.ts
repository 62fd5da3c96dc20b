import { execFile } from 'node:child_process'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { wordErrorRate } from '../../../bench/speech/word-errors.ts'
import type { Segment } from '../../../domain/words/segment.ts'
import { type Origin, startOrigin } from '../../doubles/origin/origin.ts'
import { defaultSpeech, textOf } from '../../doubles/providers/speech.ts'
import type { AccountClient } from '../../support/product/api-client.ts'
import { ownProduct } from '../../support/product/product.ts'
import { filesBelow, filesWith } from '../../support/product/written-files.ts'

/** The whole product as `npm start` runs it, with real speech for its engine and fakes of the providers' APIs. */
let recordings: Origin

/** For tests that load the speech model or wait for an expired lease of 10 s. */
const SPEECH_TIMEOUT_MS = 120_000
let client: AccountClient

const { keys, settings } = inject('product').providers

const clips = join(import.meta.dirname, '../../media/clips')
const spokenText =
  'and mister john dashwood had then leisure to consider how much there might be prudently in his power to do for them he was not an ill disposed young man'

const site = ownProduct(async () => {
  await record()
  recordings = await startOrigin({ root: site.folder })
  return { speech: 'whisper', env: { LEASE_MS: '10000', ...settings } }
})

beforeAll(async () => {
  client = await site.newClient()
})

afterAll(() => recordings?.close())

/** Two sentences of real speech. */
const record = () => {
  const inputs = ['0870', '0880'].flatMap((number) => ['-i', join(clips, `${number}.flac`)])
  const joined = [...inputs, '-filter_complex', 'concat=n=2:v=0:a=1', '-c:a', 'aac', 'speech.m4a']
  return promisify(execFile)('ffmpeg', ['-v', 'error', '-nostdin', ...joined], { cwd: site.folder })
}

const segmentsOf = async (jobId: string): Promise<Required<Segment>[]> =>
  (await client.request('GET', `/transcribe/transcript?id=${jobId}`)).body.segments

const speech = () => `${recordings.url}/media/speech.m4a`

const downloadCost = async () => Math.ceil((await stat(join(site.folder, 'speech.m4a'))).size / 100) / 1e6

test('media without captions gets a quote, and the built-in transcription costs no more than it', {
  timeout: SPEECH_TIMEOUT_MS,
}, async () => {
  const before = await client.account()
  const quoted = await client.transcribed({ url: speech() })
  expect(quoted).toMatchObject({ status: 'failed', code: 'TRANSCRIPTION_PROVIDER_REQUIRED', retryable: false })
  expect(await client.account()).toMatchObject({ balanceDollars: before.balanceDollars, heldDollars: 0 })
  const estimatedCostDollars = quoted.quote?.estimatedCostDollars ?? Number.NaN
  const request = { url: speech(), provider: 'builtin', maxCostDollars: estimatedCostDollars, words: true }
  const job = await client.transcribed(request)
  expect(job).toMatchObject({ status: 'completed', result: { source: 'builtin', language: 'en' } })
  expect(wordErrorRate(spokenText, job.result.text)).toBeLessThan(0.1)
  const download = await downloadCost()
  expect(job.result.downloadCostInDollars).toBe(download)
  expect(job.result.costInDollars).toBeCloseTo(download + 0.03, 6)
  expect(job.result.costInDollars).toBeLessThanOrEqual(estimatedCostDollars)
  const after = await client.account()
  expect(before.balanceDollars - after.balanceDollars).toBeCloseTo(job.result.costInDollars, 6)
  const words = (await segmentsOf(job.jobId)).flatMap((segment) => segment.words)
  expect(words.map(({ text }) => text).join(' ')).toBe(job.result.text)
})

test.each([
  ['provider_a', { words: true }],
  ['provider_b', { words: true, speakers: true }],
  ['provider_c', { words: true, speakers: { min: 1, max: 3 } }],
] as const)('%s transcribes with the key of the request, and returns words and speakers', async (provider, asked) => {
  const before = await client.account()
  const job = await client.transcribed({ url: speech(), provider, apiKey: keys[provider], ...asked })
  expect(job).toMatchObject({ status: 'completed', result: { source: provider, text: textOf(defaultSpeech) } })
  const segments = await segmentsOf(job.jobId)
  const { start, end, text } = defaultSpeech[0]?.words[0] ?? {}
  expect(segments).toHaveLength(3)
  expect(segments[0]?.words[0]).toMatchObject({ start, end, text, ...('speakers' in asked && { speaker: 'A' }) })
  const download = await downloadCost()
  expect(job.result).toMatchObject({ downloadCostInDollars: download })
  const after = await client.account()
  expect(before.balanceDollars - after.balanceDollars).toBeCloseTo(download + 0.03, 6)
  expect(JSON.stringify(job)).not.toContain(keys[provider])
})

test('provider keys are in no database, bucket, queue or log', async () => {
  await client.post('/transcription-provider', { provider: 'provider_c', apiKey: keys.provider_c })
  const canaries = { stored: keys.provider_c, sent: 'cAnArY-of-a-rejected-key-5L8q' }
  await client.transcribed({ url: speech(), provider: 'provider_c' })
  await client.transcribed({ url: speech(), provider: 'provider_a', apiKey: canaries.sent })
  const state = join(site.folder, 'state')
  expect((await filesBelow(state)).length).toBeGreaterThan(5)
  expect(await filesWith(state, Object.values(canaries))).toEqual([])
})

test('when the container is killed during recognition, the job is restarted and charged once', {
  timeout: SPEECH_TIMEOUT_MS,
}, async () => {
  const before = await client.account()
  const { jobId } = await client.post<{ jobId: string }>('/transcribe', { url: speech(), provider: 'builtin' })
  await client.until(jobId, ({ progress, status }) => progress?.stage === 'recognizing' || status !== 'queued')
  await site.haul.killContainer('SIGKILL')
  const job = await client.ended(jobId)
  expect(job).toMatchObject({ status: 'completed' })
  const after = await client.account()
  expect(before.balanceDollars - after.balanceDollars).toBeCloseTo(job.result.costInDollars, 6)
  expect(wordErrorRate(spokenText, job.result.text)).toBeLessThan(0.1)
})
