import { openAsBlob } from 'node:fs'
import { join } from 'node:path'
import OpenAI, { toFile } from 'openai'
import { expect, test } from 'vitest'
import { call, connectMcp, dataOf, ended } from '../support/product/mcp.ts'
import { product } from '../support/product/product.ts'

/** The same words by OpenAI's API, by `/asr`, and by MCP. */
const site = product()
const spoken = join(import.meta.dirname, '../media/clips/0870.flac')
const heard = /John Dashwood had then leisure to consider/

test("OpenAI's package gets a transcript of a file, also as subtitles and as a stream", async () => {
  const { apiKey } = await site.newClient()
  const client = new OpenAI({ apiKey, baseURL: `${site.haul.baseUrl}/v1`, maxRetries: 20 })
  const file = await toFile(await openAsBlob(spoken), 'speech.flac')
  const { text } = await client.audio.transcriptions.create({ file, model: 'whisper-1' })
  expect(text).toMatch(heard)
  const srt = await client.audio.transcriptions.create({ file, model: 'whisper-1', response_format: 'srt' })
  expect(srt).toMatch(/^1\r\n00:00:00,\d{3} --> /)
  const stream = await client.audio.transcriptions.create({ file, model: 'whisper-1', stream: true })
  let last: unknown
  for await (const event of stream) last = event
  expect(last).toEqual({ type: 'transcript.text.done', text })
  const wrong = new OpenAI({ apiKey: 'sk-none', baseURL: client.baseURL, maxRetries: 0 })
  await expect(wrong.models.list()).rejects.toMatchObject({ status: 401, code: 'UNAUTHORIZED' })
})

test('a program for whisper-asr-webservice gets a transcript, with its key in the address', async () => {
  const { apiKey } = await site.newClient()
  const body = new FormData()
  body.set('audio_file', await openAsBlob(spoken), 'audio_file')
  const url = `${site.haul.baseUrl}/asr?task=transcribe&language=en&output=txt`
  const headers = { authorization: `Basic ${Buffer.from(`user:${apiKey}`).toString('base64')}` }
  expect(await (await fetch(url, { method: 'POST', headers, body })).text()).toMatch(heard)
})

test("MCP's client looks at a page, reads its words, and imports its media", async () => {
  const { apiKey } = await site.newClient()
  const client = await connectMcp(site, apiKey)
  await client.listTools()
  const url = `${site.origin.url}/page/video.html`
  expect(dataOf(await call(client, 'look', { url }))).toMatchObject({ transcribe: { captions: 0.01 } })
  expect(dataOf(await ended(client, 'transcribe', { url }))).toMatchObject({
    charged_dollars: 0.01,
    text: expect.stringContaining('A tone.'),
  })
  const { content } = await ended(client, 'import_media', { url: site.media() })
  const link = content.find(({ type }) => type === 'resource_link')
  expect(link?.type === 'resource_link' && (await fetch(link.uri)).headers.get('content-type')).toBe('video/mp4')
})
