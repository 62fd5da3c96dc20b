import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, expect, inject, test } from 'vitest'
import { defaultSpeech, textOf } from '../doubles/providers/speech.ts'
import type { AccountClient } from '../support/product/api-client.ts'
import { product } from '../support/product/product.ts'
import { type Part, sentPart } from '../support/product/upload-parts.ts'

/** Words from captions, from the speech engine and from a provider. The engine is the scripted one of test/doubles/speech. */
const site = product()
let client: AccountClient
const spoken = join(import.meta.dirname, '../media/clips/0870.flac')
const heard = /John Dashwood had then leisure to consider/

beforeAll(async () => {
  client = await site.newClient()
})

const transcript = (jobId: string, format: string) =>
  fetch(`${site.haul.baseUrl}/transcribe/transcript?id=${jobId}&format=${format}`, {
    headers: { authorization: `Bearer ${client.apiKey}` },
  })

/** Sends the file in parts. Returns the upload's id. */
const upload = async (path: string): Promise<string> => {
  const file = new Uint8Array(await readFile(path))
  const request = { filename: 'speech.flac', sizeBytes: file.length }
  const made = await client.post<{ uploadId: string; partSizeBytes: number; parts: Part[] }>('/uploads', request)
  const sent = await Promise.all(made.parts.map((part) => sentPart(file, made.partSizeBytes, part)))
  const parts = sent.map(({ number, etag }) => ({ number, etag }))
  await client.post(`/uploads/${made.uploadId}/complete`, { parts })
  return made.uploadId
}

test('the captions of a page cost a cent, and come in every format', async () => {
  const job = await client.transcribed({ url: `${site.origin.url}/page/video.html` })
  expect(job).toMatchObject({ status: 'completed', result: { source: 'platform_captions', costInDollars: 0.01 } })
  expect(await (await transcript(job.jobId, 'srt')).text()).toMatch(/^1\r\n00:00:00,500 --> 00:00:02,000\r\n/)
  expect(await (await transcript(job.jobId, 'vtt')).text()).toMatch(/^WEBVTT\n/)
  expect(await (await transcript(job.jobId, 'json')).json()).toMatchObject({ text: job.result.text })
})

test('an uploaded file is quoted, heard with words and speakers, and removed', async () => {
  const uploadId = await upload(spoken)
  const quoted = await client.transcribed({ uploadId })
  expect(quoted).toMatchObject({ code: 'TRANSCRIPTION_PROVIDER_REQUIRED', quote: { estimatedCostDollars: 0.03 } })
  const job = await client.transcribed({ uploadId, provider: 'builtin', words: true, speakers: true })
  expect(job).toMatchObject({ status: 'completed', result: { source: 'builtin', costInDollars: 0.03 } })
  expect(job.result.text).toMatch(heard)
  const { segments } = await (await transcript(job.jobId, 'json')).json()
  expect(segments[0].words[0]).toMatchObject({ text: 'And', speaker: 'A', start: expect.any(Number) })
  expect(await client.remove(`/uploads/${uploadId}`)).toMatchObject({ status: 'removed' })
})

test('a provider hears it with the key of the request, which no answer shows', async () => {
  const { provider_b: apiKey } = inject('product').providers.keys
  const request = { url: site.media('media/tone.m4a'), provider: 'provider_b', apiKey }
  const job = await client.transcribed(request)
  expect(job).toMatchObject({ status: 'completed', result: { source: 'provider_b', text: textOf(defaultSpeech) } })
  expect(JSON.stringify(job)).not.toContain(apiKey)
  const refused = await client.transcribed({ ...request, apiKey: 'a-wrong-key-000' })
  expect(refused).toMatchObject({ status: 'failed', code: 'PROVIDER_KEY_REJECTED' })
})

test('silence has no words and is free', async () => {
  const before = await client.account()
  const job = await client.transcribed({ url: site.media('media/tone.ogg'), provider: 'builtin' })
  expect(job).toMatchObject({ status: 'failed', code: 'NO_SPEECH' })
  expect((await client.account()).balanceDollars).toBe(before.balanceDollars)
})
