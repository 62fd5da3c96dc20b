/// <reference lib="dom" />
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
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

/** A page of another origin in Chromium, with a key that names it. Which pages may use which keys: test/worker/http/cors. */
const site = product()
const clip = join(import.meta.dirname, '../../media/clips', '0870.flac')
/** On a busy machine. */
const SPEECH_TIMEOUT_MS = 120_000

let browser: Browser
let pages: Loopback
/** What the pages can load: themselves, the client library as it is published, OpenAI's package, and a recording. */
const files = new Map<string, { type: string; body: Uint8Array }>()

let client: AccountClient
/** Another port, or another name of this machine, is another origin. */
let named: string

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
  const openai = await build({
    stdin: { contents: "export { default } from 'openai'", resolveDir: root },
    ...{ bundle: true, format: 'esm', platform: 'browser', write: false, logLevel: 'error' },
  })
  files.set('/', { type: 'text/html', body: Buffer.from(PAGE) })
  files.set('/openai.js', { type: 'text/javascript', body: openai.outputFiles[0]?.contents ?? new Uint8Array() })
  files.set('/clip.flac', { type: 'audio/flac', body: await readFile(clip) })
  pages = await servePages()
  named = `http://localhost:${pages.port}`
  browser = await startBrowser()
})

afterAll(async () => {
  await browser?.close()
  await pages?.close()
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

/** A key for pages of `named`, once browsers are told so. */
const makeKey = async (): Promise<string> => {
  const terms = { name: 'page', scopes: ['transcribe'], allowedOrigins: [named], dollarsPerMonth: 1 }
  const { apiKey } = await client.post<{ apiKey: string }>('/keys', terms)
  await expect.poll(permission).toBe(named)
  return apiKey
}

const permission = async (): Promise<string | null> => {
  const headers = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' }
  const init = { method: 'OPTIONS', headers: { origin: named, ...headers } }
  return (await fetch(`${site.haul.baseUrl}/transcribe`, init)).headers.get('access-control-allow-origin')
}

/** Sends a request from the page, which may read these headers. A string: what `fetch` has rejected with. */
const send = (page: Page, apiKey: string, method: string, path: string, body?: object) =>
  page.evaluate(
    async ({ url, apiKey, method, body }) => {
      const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', 'last-event-id': '0' }
      const init = { method, headers, ...(body && { body: JSON.stringify(body) }) }
      const response = await fetch(url, init).catch((error: Error) => error.name)
      if (typeof response === 'string') return { status: response, text: '' }
      const [requestId, left] = ['x-request-id', 'x-ratelimit-remaining'].map((name) => response.headers.get(name))
      return { status: response.status, requestId, left, text: await response.text() }
    },
    { url: `${site.haul.baseUrl}${path}`, apiKey, method, body },
  )

test('a page that the key names transcribes and follows the events with fetch alone, and one of another origin cannot', async () => {
  const apiKey = await makeKey()
  const request = ['POST', '/transcribe', { url: site.media('page/video.html') }] as const
  const stranger = await openPage(pages.url)
  expect(await send(stranger, apiKey, ...request)).toMatchObject({ status: 'TypeError' })
  expect((await client.request('GET', '/jobs')).body.data.jobs).toEqual([])

  const page = await openPage(named)
  const started = await send(page, apiKey, ...request)
  expect(started).toMatchObject({ status: 202, requestId: expect.stringMatching(/^req_\w+$/) })
  expect(Number(started.left)).toBeGreaterThan(0)
  const { jobId } = JSON.parse(started.text).data
  expect((await send(page, apiKey, 'GET', `/jobs/${jobId}/events`)).text).toContain('"status":"completed"')
  expect((await send(page, apiKey, 'GET', `/transcribe/status?id=${jobId}`)).text).toMatch(/"text":"\w/)
  // A refusal can be read too.
  const refused = await send(page, apiKey, 'POST', '/import', { url: site.media() })
  expect([refused.status, refused.text]).toEqual([403, expect.stringContaining('SCOPE_MISSING')])
})

test(
  'the client library and OpenAI’s package work in such a page, with a file and with a URL',
  async () => {
    const apiKey = await makeKey()
    const page = await openPage(named)
    const heard = await page.evaluate(
      async ({ apiKey, baseUrl, url }) => {
        const file = new File([await (await fetch('/clip.flac')).blob()], 'clip.flac')
        const codeOf = (error: { code: string }) => error.code
        const haul = new window.Haul({ apiKey, baseUrl })
        const stages = new Set<string>()
        const onProgress = ({ stage }: { stage: string }) => stages.add(stage)
        const captions = await haul.transcribe(url, { onProgress })
        const speech = await haul.transcribe({ file }, { mode: 'speech', maxCostDollars: 0.5 })
        const refusal = await haul.account().catch(codeOf)

        const settings = { apiKey, baseURL: `${baseUrl}/v1`, dangerouslyAllowBrowser: true, maxRetries: 0 }
        const { transcriptions } = new window.OpenAI(settings).audio
        const fromFile = await transcriptions.create({ file, model: 'whisper-1' })
        const fromUrl = await transcriptions.create({ url, model: 'haul-auto' } as never)
        const code = await transcriptions.create({ file, model: 'no-such-model' }).catch(codeOf)
        return { texts: [captions, speech, fromFile, fromUrl].map(({ text }) => text), codes: [refusal, code] }
      },
      { apiKey, baseUrl: site.haul.baseUrl, url: site.media('page/video.html') },
    )
    const [word, sentence] = [expect.stringMatching(/\w/), expect.stringMatching(/leisure to consider/i)]
    expect(heard.texts).toEqual([word, sentence, sentence, word])
    expect(heard.codes).toEqual(['SCOPE_MISSING', 'model_not_found'])
  },
  SPEECH_TIMEOUT_MS,
)
