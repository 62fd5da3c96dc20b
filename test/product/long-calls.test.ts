import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Loopback, listenOnLoopback } from '../loopback.ts'
import { installScriptedSpeech, type ScriptedSpeech, scriptedText } from '../speech/scripted-speech.ts'
import type { AccountClient } from './api-client.ts'
import { type Call, fromJavaScript, fromPython, type MakeCalls, type Outcome } from './openai/calls.ts'
import { ownProduct } from './product.ts'

/**
 * Calls of OpenAI's packages, unmodified, that take longer than a proxy keeps a silent connection. The speech engine pauses
 * until the test lets it go on.
 */
const clip = join(import.meta.dirname, '../container/speech/clips/0870.flac')
const PROXY_PATIENCE_MS = 15_000
/** A byte each second after the first six. */
const SILENCE_MS = 6_000

let engine: ScriptedSpeech
let proxy: Loopback & { closedSilent(): number; pieces(): number[] }
let client: AccountClient

const site = ownProduct(async () => {
  engine = await installScriptedSpeech()
  return { speech: 'whisper', env: { ...engine.env, TRANSCRIPTION_SILENCE_MS: `${SILENCE_MS}` } }
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
