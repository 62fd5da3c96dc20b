import { openAsBlob } from 'node:fs'
import { join } from 'node:path'
import OpenAI, { toFile } from 'openai'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { installScriptedSpeech, type ScriptedSpeech, scriptedText } from '../../doubles/speech/scripted-speech.ts'
import { rpcHeaders, rpcMessage } from '../../support/mcp-messages.ts'
import type { AccountClient } from '../../support/product/api-client.ts'
import { ownProduct } from '../../support/product/product.ts'

/**
 * Calls that take longer than a proxy keeps a silent connection: the speech engine pauses until the test lets it go on. They run
 * under wrangler, which compresses responses for clients that accept that. The own server does not.
 */
let engine: ScriptedSpeech
let client: AccountClient

const site = ownProduct(async () => {
  engine = await installScriptedSpeech()
  return { speech: 'whisper', under: 'wrangler', env: { ...engine.env, TRANSCRIPTION_SILENCE_MS: '600' } }
})

beforeEach(async () => {
  client = await site.newClient()
  await engine.hold()
})

afterAll(() => engine?.remove())

const clip = await openAsBlob(join(import.meta.dirname, '../../media/clips/0870.flac'))
const formOf = (field: string, fields: Record<string, string> = {}): FormData => {
  const form = new FormData()
  form.set(field, clip, 'clip.flac')
  for (const [name, value] of Object.entries(fields)) form.set(name, value)
  return form
}
const openai = (fields: Record<string, string> = {}) => formOf('file', { model: 'whisper-1', ...fields })

const send = (path: string, init: RequestInit): Promise<Response> => {
  const headers = { authorization: `Bearer ${client.apiKey}`, 'accept-encoding': 'gzip, deflate, br' }
  return fetch(`${site.haul.baseUrl}${path}`, { method: 'POST', ...init, headers: { ...headers, ...init.headers } })
}

/** What has arrived when it matches. */
const readUntil = async (reader: ReadableStreamDefaultReader<string>, isWaiting: RegExp): Promise<string> => {
  for (let text = ''; ; ) {
    const { value, done } = await reader.read()
    text += value ?? ''
    if (done || isWaiting.test(text)) return text
  }
}

const readerOf = ({ body }: Response) =>
  (body as ReadableStream<Uint8Array<ArrayBuffer>>).pipeThrough(new TextDecoderStream()).getReader()

/** Every kind of response that is sent while it waits, and what has been sent of it then. */
const waitingCalls = (jobId: string): [path: string, isWaiting: RegExp, init: RequestInit][] => {
  const params = { name: 'check_job', arguments: { job_id: jobId }, _meta: { progressToken: 1 } }
  const message = { headers: rpcHeaders('tools/call', params), body: JSON.stringify(rpcMessage('tools/call', params)) }
  return [
    ['/v1/audio/transcriptions', /^ {2}/, { body: openai() }],
    ['/v1/audio/transcriptions', /^\n\n/, { body: openai({ response_format: 'text' }) }],
    ['/v1/audio/transcriptions', /^\n\n/, { body: openai({ response_format: 'srt' }) }],
    ['/v1/audio/transcriptions', /^WEBVTT\n\n\n/, { body: openai({ response_format: 'vtt' }) }],
    ['/v1/audio/transcriptions', /^(: waiting\n\n){2}/, { body: openai({ stream: 'true' }) }],
    ['/v1/audio/translations', /^ {2}/, { body: openai() }],
    ['/asr?output=json', /^ {2}/, { body: formOf('audio_file') }],
    ['/detect-language', /^ {2}/, { body: formOf('audio_file') }],
    [`/jobs/${jobId}/events`, /^event: job\n/, { method: 'GET' }],
    ['/events', /^event: ready\r/, { method: 'GET' }],
    ['/mcp', /notifications\/progress/, message],
  ]
}

test('bytes arrive while a job runs, also for a client that accepts compressed responses', async () => {
  const { jobId } = await client.post<{ jobId: string }>('/transcribe', { url: site.media(), provider: 'builtin' })
  const calls = waitingCalls(jobId)
  const received = calls.map(async ([path, isWaiting, init]) => {
    const response = await send(path, init)
    const reader = readerOf(response)
    const text = await readUntil(reader, isWaiting)
    await reader.cancel()
    return [path, response.status, text]
  })
  const expected = calls.map(([path, isWaiting]) => [path, 200, expect.stringMatching(isWaiting)])
  expect(await Promise.all(received)).toEqual(expected)
  await engine.release()
})

test("OpenAI's package gets a transcript whose response began while its job ran", async () => {
  const begun = Promise.withResolvers<void>()
  const fetchNoticed: typeof fetch = async (...request) => {
    const response = await fetch(...request)
    begun.resolve()
    return response
  }
  const settings = { apiKey: client.apiKey, baseURL: `${site.haul.baseUrl}/v1`, maxRetries: 0, fetch: fetchNoticed }
  const file = await toFile(clip, 'clip.flac')
  const transcribing = new OpenAI(settings).audio.transcriptions.create({ model: 'whisper-1', file })
  await Promise.race([begun.promise, transcribing])
  await engine.release()
  const { text } = await transcribing
  expect([text !== '', scriptedText.startsWith(text)]).toEqual([true, true])
})

test('after a failure the response that has begun breaks off, and the same request is told the failure', async () => {
  const response = await send('/v1/audio/transcriptions', { body: openai() })
  const reader = readerOf(response)
  expect(await readUntil(reader, / {2}/)).toMatch(/^ +$/)
  const jobId = response.headers.get('x-haul-job-id')
  await client.remove(`/jobs/${jobId}`)
  await expect(readUntil(reader, /\S/)).rejects.toThrow()
  await engine.release()
  const again = await send('/v1/audio/transcriptions', { body: openai() })
  expect([again.status, await again.json()]).toMatchObject([400, { error: { code: 'CANCELED', jobId } }])
})
