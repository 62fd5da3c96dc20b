import { once } from 'node:events'
import { openAsBlob } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { installScriptedSpeech, type ScriptedSpeech, scriptedText } from '../../doubles/speech/scripted-speech.ts'
import { type Loopback, listenOnLoopback } from '../../support/loopback.ts'
import { rpcHeaders, rpcMessage } from '../../support/mcp-messages.ts'
import type { AccountClient } from '../../support/product/api-client.ts'
import { ownProduct } from '../../support/product/product.ts'
import { type Call, fromJavaScript, fromPython, type MakeCalls, type Outcome } from './openai/calls.ts'

/**
 * Calls that take longer than a proxy keeps a silent connection: the speech engine pauses until the test lets it go on. They run
 * under wrangler, which compresses responses for clients that accept that. The own server does not.
 */
const clip = join(import.meta.dirname, '../../media/clips/0870.flac')
const PROXY_PATIENCE_MS = 15_000
/** A byte each second after the first six. */
const SILENCE_MS = 6_000

let engine: ScriptedSpeech
let proxy: Loopback & { closedSilent(): number; pieces(): number[] }
let client: AccountClient

const site = ownProduct(async () => {
  engine = await installScriptedSpeech()
  return { speech: 'whisper', under: 'wrangler', env: { ...engine.env, TRANSCRIPTION_SILENCE_MS: `${SILENCE_MS}` } }
})

beforeAll(async () => {
  proxy = await startImpatientProxy(Number(new URL(site.haul.baseUrl).port))
})

beforeEach(async () => {
  client = await site.newClient()
  await engine.hold()
})

afterAll(async () => {
  await proxy?.close()
  await engine?.remove()
})

/** Closes connections over which nothing comes back for a while after the request. */
const startImpatientProxy = async (port: number): Promise<typeof proxy> => {
  let closed = 0
  const pieces: number[] = []
  const sockets = new Set<Socket>()
  const server = createServer((downstream) => {
    const upstream = connect(port, '127.0.0.1')
    const index = pieces.push(0) - 1
    const end = () => {
      clearTimeout(timer)
      upstream.destroy()
      downstream.destroy()
    }
    const expire = () => {
      closed++
      end()
    }
    let timer = setTimeout(expire, PROXY_PATIENCE_MS)
    for (const socket of [upstream, downstream]) {
      sockets.add(socket)
      socket.on('error', end).on('close', end)
    }
    upstream.on('data', () => {
      clearTimeout(timer)
      timer = setTimeout(expire, PROXY_PATIENCE_MS)
      pieces[index] = (pieces[index] ?? 0) + 1
    })
    upstream.pipe(downstream).pipe(upstream)
  })
  const { close: _, ...listening } = await listenOnLoopback(server as never)
  const close = async () => {
    for (const socket of sockets) socket.destroy()
    server.close()
    await once(server, 'close')
  }
  return { ...listening, close, closedSilent: () => closed, pieces: () => pieces }
}

const calling = async (makeCalls: MakeCalls, maxRetries: number): Promise<Outcome> => {
  const call: Call = {
    ...{ method: 'transcribe', apiKey: client.apiKey, path: clip },
    ...{ options: { model: 'whisper-1' }, maxRetries },
  }
  const [outcome = {}] = await makeCalls(`${proxy.url}/v1`, [call])
  return outcome
}

/** So many bytes have come back over each of the last connections. */
const waitsSent = (count: number, { connections }: { connections: number }) => {
  const before = proxy.pieces().length
  const last = () => proxy.pieces().slice(before)
  return expect.poll(() => last().filter((pieces) => pieces > count).length, { timeout: 80_000 }).toBe(connections)
}

const liveJob = async (): Promise<string> => {
  const { jobs } = await client.get<{ jobs: { jobId: string; status: string }[] }>('/jobs')
  return jobs.find(({ status }) => status === 'queued')?.jobId ?? ''
}

test('both packages get a transcript that takes longer than the proxy waits, in one call', async () => {
  const calls = Promise.all([calling(fromJavaScript, 0), calling(fromPython, 2)])
  // Each second a byte comes back for each of them.
  await waitsSent(PROXY_PATIENCE_MS / 1_000, { connections: 2 })
  await engine.release()
  const [javaScript, python] = await calls
  expect(scriptedText.startsWith(javaScript.value.text)).toBe(true)
  expect(python.value).toMatchObject({ text: javaScript.value.text })
  expect(proxy.closedSilent()).toBe(0)
})

test('a failure after the response has begun reaches the package of Python as an error with its status', async () => {
  const call = calling(fromPython, 2)
  await waitsSent(2, { connections: 1 })
  const jobId = await liveJob()
  await client.remove(`/jobs/${jobId}`)
  await engine.release()
  expect((await call).error).toMatchObject({
    names: expect.arrayContaining(['BadRequestError']),
    status: 400,
    code: 'CANCELED',
    jobId,
  })
})

interface WaitingCall {
  method?: 'GET'
  headers?: Record<string, string>
  body?: FormData | string
  /** What it has been sent while the job runs. */
  isWaiting: RegExp
}

const formOf = (file: Blob, field: string, fields: Record<string, string> = {}): FormData => {
  const form = new FormData()
  form.set(field, file, 'clip.flac')
  for (const [name, value] of Object.entries(fields)) form.set(name, value)
  return form
}

/** Every kind of response that is sent while it waits. */
const waitingCalls = async (jobId: string): Promise<[path: string, call: WaitingCall][]> => {
  const file = await openAsBlob(clip)
  const openai = (fields: Record<string, string>) => formOf(file, 'file', { model: 'whisper-1', ...fields })
  const params = { name: 'check_job', arguments: { job_id: jobId }, _meta: { progressToken: 1 } }
  return [
    ['/v1/audio/transcriptions', { body: openai({}), isWaiting: /^ {2}/ }],
    ['/v1/audio/transcriptions', { body: openai({ response_format: 'text' }), isWaiting: /^\n\n/ }],
    ['/v1/audio/transcriptions', { body: openai({ response_format: 'srt' }), isWaiting: /^\n\n/ }],
    ['/v1/audio/transcriptions', { body: openai({ response_format: 'vtt' }), isWaiting: /^WEBVTT\n\n\n/ }],
    ['/v1/audio/transcriptions', { body: openai({ stream: 'true' }), isWaiting: /^(: waiting\n\n){2}/ }],
    ['/v1/audio/translations', { body: openai({}), isWaiting: /^ {2}/ }],
    ['/asr?output=json', { body: formOf(file, 'audio_file'), isWaiting: /^ {2}/ }],
    ['/detect-language', { body: formOf(file, 'audio_file'), isWaiting: /^ {2}/ }],
    [`/jobs/${jobId}/events`, { method: 'GET', isWaiting: /^event: job\n/ }],
    ['/events', { method: 'GET', isWaiting: /^event: ready\r/ }],
    [
      '/mcp',
      {
        headers: rpcHeaders('tools/call', params),
        body: JSON.stringify(rpcMessage('tools/call', params)),
        isWaiting: /notifications\/progress/,
      },
    ],
  ]
}

test('bytes arrive while a job runs, also for a client that accepts compressed responses', async () => {
  const { jobId } = await client.post<{ jobId: string }>('/transcribe', { url: site.media(), provider: 'builtin' })
  const calls = await waitingCalls(jobId)
  const received = await Promise.all(
    calls.map(async ([path, { isWaiting, method = 'POST', headers, body }]) => {
      const response = await fetch(`${site.haul.baseUrl}${path}`, {
        method,
        headers: { authorization: `Bearer ${client.apiKey}`, 'accept-encoding': 'gzip, deflate, br', ...headers },
        ...(body !== undefined && { body }),
      })
      let text = ''
      for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
        text += chunk
        if (isWaiting.test(text)) break
      }
      return [path, response.status, text]
    }),
  )
  expect(received).toEqual(calls.map(([path, { isWaiting }]) => [path, 200, expect.stringMatching(isWaiting)]))
  await engine.release()
})
