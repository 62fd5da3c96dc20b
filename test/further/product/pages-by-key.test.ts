/// <reference lib="dom" />
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import type OpenAI from 'openai'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import type { Haul } from '../../../client/src/index.ts'
import { root } from '../../../scripts/start/environment.ts'
import { type Loopback, listenOnLoopback } from '../../support/loopback.ts'
import type { AccountClient } from '../../support/product/api-client.ts'
import { startBrowser } from '../../support/product/browser.ts'
import { product } from '../../support/product/product.ts'

/** Pages of two other origins in Chromium, with keys that name the first one, or none. */
const site = product()
const clip = join(import.meta.dirname, '../../media/clips', '0870.flac')
/** On a busy machine. */
const SPEECH_TIMEOUT_MS = 120_000

let browser: Browser
let pages: Loopback
let otherPages: Loopback
/** What the pages can load: themselves, the client library as it is published, OpenAI's package, and a recording. */
const files = new Map<string, { type: string; body: Uint8Array }>()

let client: AccountClient
/** Another port, or another name of this machine, is another origin. */
let named: string
let other: string
/** Named by a key of another account. */
let strangers: string

const PAGE = `<!doctype html><title>A page</title><script type="module">
import { Haul } from '/haul/index.js'
import OpenAI from '/openai.js'
Object.assign(window, { Haul, OpenAI })
</script>`

declare global {
  interface Window {
    Haul: typeof Haul
    OpenAI: typeof OpenAI
  }
}

/** The script of the client library that a path names. */
const scriptAt = (path: string): string | undefined => /^\/haul\/([\w/-]+\.js)$/.exec(path)?.[1]

const servePages = (): Promise<Loopback> =>
  listenOnLoopback(
    createServer(async ({ url = '' }, response) => {
      const script = scriptAt(url)
      const file = script
        ? { type: 'text/javascript', body: await readFile(join(root, 'client/dist/src', script)) }
        : files.get(url)
      if (file) response.setHeader('content-type', file.type).end(file.body)
      else response.writeHead(404).end()
    }),
  )

beforeAll(async () => {
  const recording = join(site.folder, 'recording.wav')
  // 96 kHz, four channels and 32 bits for each sample, so that a few seconds fill more than one part.
  await promisify(execFile)('ffmpeg', [
    ...['-v', 'error', '-i', clip, '-ar', '96000', '-ac', '4', '-c:a', 'pcm_s32le', recording],
  ])
  const openai = await build({
    stdin: { contents: "export { default } from 'openai'", resolveDir: root },
    ...{ bundle: true, format: 'esm', platform: 'browser', write: false, logLevel: 'error' },
  })
  files.set('/', { type: 'text/html', body: Buffer.from(PAGE) })
  files.set('/openai.js', { type: 'text/javascript', body: openai.outputFiles[0]?.contents ?? new Uint8Array() })
  files.set('/recording.wav', { type: 'audio/wav', body: await readFile(recording) })
  files.set('/clip.flac', { type: 'audio/flac', body: await readFile(clip) })
  ;[pages, otherPages] = [await servePages(), await servePages()]
  named = `http://localhost:${pages.port}`
  ;[other, strangers] = [pages.url, otherPages.url]
  browser = await startBrowser()
})

afterAll(async () => {
  await browser?.close()
  await Promise.all([pages?.close(), otherPages?.close()])
})

beforeEach(async () => {
  client = await site.newClient()
})

const openPage = async (origin: string): Promise<Page> => {
  // A browser of its own remembers no permission of another test.
  const context = await browser.newContext()
  onTestFinished(() => context.close())
  const page = await context.newPage()
  await page.goto(`${origin}/`)
  return page
}

interface Made {
  keyId: string
  apiKey: string
}

/** A key for a page, once browsers are told so. */
const keyFor = async (allowedOrigins: string[], scopes = ['transcribe'], owner = client): Promise<Made> => {
  const made = await owner.post<Made>('/keys', { name: 'page', scopes, allowedOrigins, dollarsPerMonth: 1 })
  for (const origin of allowedOrigins) await expect.poll(() => permissionOf(origin)).toBe(origin)
  return made
}

const permissionOf = async (origin: string): Promise<string | null> => {
  const headers = { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' }
  const response = await fetch(`${site.haul.baseUrl}/transcribe`, { method: 'OPTIONS', headers })
  expect(response.status).toBe(204)
  return response.headers.get('access-control-allow-origin')
}

interface Sent {
  status: number
  requestId: string | null
  left: string | null
  // biome-ignore lint/suspicious/noExplicitAny: tests compare the body with what they expect
  body: any
}

/** Sends a request from the page. A string: what `fetch` has rejected with. */
const send = (page: Page, apiKey: string, method: string, path: string, body?: object): Promise<Sent | string> =>
  page.evaluate(
    async ({ url, apiKey, method, body }) => {
      const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
      try {
        const response = await fetch(url, { method, headers, ...(body && { body: JSON.stringify(body) }) })
        return {
          status: response.status,
          requestId: response.headers.get('x-request-id'),
          left: response.headers.get('x-ratelimit-remaining'),
          body: await response.json(),
        }
      } catch (error) {
        return (error as Error).name
      }
    },
    { url: `${site.haul.baseUrl}${path}`, apiKey, method, body },
  )

/** What the service answers to requests of the page, whether the page may read it or not. */
const answersTo = async (page: Page): Promise<string[]> => {
  const network = await page.context().newCDPSession(page)
  const requests = new Map<string, string>()
  const answers: string[] = []
  network.on('Network.requestWillBeSent', ({ requestId, request: { method, url } }) => {
    if (method !== 'OPTIONS') requests.set(requestId, `${method} ${url.replace(site.haul.baseUrl, '')}`)
  })
  network.on('Network.responseReceivedExtraInfo', ({ requestId, statusCode }) => {
    const request = requests.get(requestId)
    if (request?.includes(' /')) answers.push(`${request} ${statusCode}`)
  })
  await network.send('Network.enable')
  return answers
}

test('a page that the key names starts a transcription, follows its events and reads the transcript with fetch alone', async () => {
  const { apiKey } = await keyFor([named])
  const page = await openPage(named)
  const started = await send(page, apiKey, 'POST', '/transcribe', { url: site.media('page/video.html') })
  if (typeof started === 'string') throw new Error(started)
  expect([started.status, started.requestId]).toEqual([202, expect.stringMatching(/^req_\w+$/)])
  expect(Number(started.left)).toBeGreaterThan(0)
  const { jobId } = started.body.data
  const events = await page.evaluate(
    async ({ url, apiKey }) => {
      const headers = { authorization: `Bearer ${apiKey}`, 'last-event-id': '0' }
      return (await fetch(url, { headers })).text()
    },
    { url: `${site.haul.baseUrl}/jobs/${jobId}/events`, apiKey },
  )
  expect(events).toContain('"status":"completed"')
  const status = await send(page, apiKey, 'GET', `/transcribe/status?id=${jobId}`)
  expect(status).toMatchObject({ status: 200, body: { data: { result: { text: expect.stringMatching(/\w/) } } } })
  // A refusal can be read too.
  const refused = await send(page, apiKey, 'POST', '/import', { url: site.media() })
  expect(refused).toMatchObject({
    status: 403,
    body: { code: 'SCOPE_MISSING', scope: 'import', keyScopes: 'transcribe' },
  })
})

test(
  'with the client library such a page transcribes a URL, and a file that it uploads in parts',
  async () => {
    const { apiKey } = await keyFor([named])
    const page = await openPage(named)
    const answers = await answersTo(page)
    const puts: string[] = []
    page.on('request', (request) => {
      if (request.method() === 'PUT') puts.push(request.url())
    })
    const heard = await page.evaluate(
      async ({ apiKey, baseUrl, url }) => {
        const haul = new window.Haul({ apiKey, baseUrl })
        const stages = new Set<string>()
        const onProgress = ({ stage }: { stage: string }) => stages.add(stage)
        const { text: captions } = await haul.transcribe(url, { onProgress })
        const recording = await (await fetch('/recording.wav')).blob()
        const file = new File([recording], 'recording.wav')
        const { text: speech } = await haul.transcribe({ file }, { mode: 'speech', maxCostDollars: 0.5 })
        const refusal = await haul.account().catch((error: { code: string }) => error.code)
        return { captions, speech, refusal, bytes: recording.size }
      },
      { apiKey, baseUrl: site.haul.baseUrl, url: site.media('page/video.html') },
    )
    expect(heard.captions).toMatch(/\w/)
    expect(heard.speech).toMatch(/leisure to consider/i)
    expect(heard.refusal).toBe('SCOPE_MISSING')
    expect(heard.bytes).toBeGreaterThan(8 * 1024 * 1024)
    expect(new Set(puts).size).toBeGreaterThan(1)
    expect(answers).toContain('POST /uploads 201')
    // It sees what it has started, and nothing else of the account.
    await client.start({ url: site.media() })
    const { body } = await site.clientWith(apiKey).request('GET', '/jobs')
    expect(body.data.jobs.map(({ type }: { type: string }) => type)).toEqual(['transcription', 'transcription'])
  },
  SPEECH_TIMEOUT_MS,
)

const requests = [
  ['POST', '/transcribe', { url: 'http://127.0.0.1/film.mp4' }],
  ['POST', '/uploads', { filename: 'a.mp4', sizeBytes: 10 }],
  ['GET', '/jobs'],
  ['GET', '/account'],
  ['GET', '/keys'],
] as const

test('from a page of another origin every request with the key fails', async () => {
  const { apiKey } = await keyFor([named], ['read', 'transcribe', 'manage'])
  const page = await openPage(other)
  const answers = await answersTo(page)
  for (const [method, path, body] of requests) {
    expect([path, await send(page, apiKey, method, path, body)]).toEqual([path, 'TypeError'])
  }
  expect(answers).toEqual([])
  // A program can name any origin, and is told why.
  for (const [method, path, body] of requests) {
    const answer = await site.clientWith(apiKey).request(method, path, body, { origin: other })
    expect([path, answer.status, answer.body.code]).toEqual([path, 403, 'ORIGIN_FORBIDDEN'])
    expect(answer.headers.get('access-control-allow-origin')).toBeNull()
  }
  expect((await client.request('GET', '/jobs')).body.data.jobs).toEqual([])
})

test('a page that only a key of another account names cannot use this key', async () => {
  const { apiKey } = await keyFor([named])
  const stranger = await site.newClient()
  const theirs = await keyFor([strangers], ['transcribe'], stranger)
  const page = await openPage(strangers)
  const answers = await answersTo(page)
  expect(await send(page, theirs.apiKey, 'GET', '/jobs')).toMatchObject({ status: 200 })
  expect(await send(page, apiKey, 'GET', '/jobs')).toBe('TypeError')
  await expect.poll(() => answers).toEqual(['GET /jobs 200', 'GET /jobs 403'])
})

test('a key that names no origin is of no use in a page, nor is any for keys, storage and provider keys', async () => {
  const { apiKey } = await keyFor([named], ['read', 'import', 'transcribe', 'manage'])
  const unnamed = await keyFor([], ['read', 'transcribe', 'manage'])
  for (const origin of [named, other]) {
    const page = await openPage(origin)
    for (const [method, path, body] of requests) {
      if (method === 'GET')
        expect([path, await send(page, unnamed.apiKey, method, path, body)]).toEqual([path, 'TypeError'])
    }
  }
  const page = await openPage(named)
  expect(await send(page, apiKey, 'GET', '/account')).toMatchObject({ status: 200 })
  for (const path of ['/keys', '/storage', '/transcription-provider']) {
    expect([path, await send(page, apiKey, 'GET', path)]).toEqual([path, 'TypeError'])
  }
})

test('the next request of a page is refused when its key has been removed', async () => {
  const { apiKey, keyId } = await keyFor([named])
  const page = await openPage(named)
  const answers = await answersTo(page)
  expect(await send(page, apiKey, 'GET', '/jobs')).toMatchObject({ status: 200 })
  await client.request('DELETE', `/keys/${keyId}`)
  expect(await send(page, apiKey, 'GET', '/jobs')).toBe('TypeError')
  await expect.poll(() => answers).toEqual(['GET /jobs 200', 'GET /jobs 401'])
})

test(
  'OpenAI’s package works in such a page, with a file and with a URL',
  async () => {
    const { apiKey } = await keyFor([named])
    const page = await openPage(named)
    const heard = await page.evaluate(
      async ({ apiKey, baseURL, url }) => {
        const openai = new window.OpenAI({ apiKey, baseURL, dangerouslyAllowBrowser: true, maxRetries: 0 })
        const file = new File([await (await fetch('/clip.flac')).blob()], 'clip.flac')
        const { transcriptions } = openai.audio
        const fromFile = await transcriptions.create({ file, model: 'whisper-1' })
        const fromUrl = await transcriptions.create({ url, model: 'haul-auto' } as never)
        const code = await transcriptions
          .create({ file, model: 'no-such-model' })
          .catch((error: { code: string }) => error.code)
        return { fromFile: fromFile.text, fromUrl: fromUrl.text, code }
      },
      { apiKey, baseURL: `${site.haul.baseUrl}/v1`, url: site.media('page/video.html') },
    )
    expect(heard.fromFile).toMatch(/leisure to consider/i)
    expect(heard.fromUrl).toMatch(/\w/)
    expect(heard.code).toBe('model_not_found')
  },
  SPEECH_TIMEOUT_MS,
)
