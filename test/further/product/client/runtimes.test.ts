import { execFile } from 'node:child_process'
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fixture } from '../../../doubles/origin/fixtures.ts'
import { startBrowser } from '../../../support/product/browser.ts'
import { product } from '../../../support/product/product.ts'
import { installPackedClient } from './packed-client.ts'
import { ensureRuntimes } from './runtimes/ensure-runtimes.mjs'

/** The packed client against the whole product, from each runtime that it supports. */
const run = promisify(execFile)
const site = product()
let folder: string
let programs: Awaited<ReturnType<typeof ensureRuntimes>>

/** Six programs at the same time take 25 s on two cores. */
const TIMEOUT_MS = 120_000

const main = `import { runScenario } from './scenario.mjs'
console.log(JSON.stringify(await runScenario(JSON.parse(process.env.SCENARIO))))`

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'haul-client-'))
  ;[programs] = await Promise.all([ensureRuntimes(console.log), installPackedClient(folder)])
  await copyFile(join(import.meta.dirname, 'scenario.mjs'), join(folder, 'scenario.mjs'))
  await writeFile(join(folder, 'main.mjs'), main)
  // The first time, the runtimes are downloaded.
}, TIMEOUT_MS)

afterAll(() => rm(folder, { recursive: true, force: true }))

/** Each program has an account of its own. `path`: a file to upload, where the runtime has files. */
const inputOf = async (path?: string) => {
  const [client, hook] = await site.newPair()
  const { origin, receiver, haul } = site
  await site.start(client, hook)
  const [webhook] = await receiver.wait(hook, 1)
  const { secret } = await client.get<{ secret: string }>('/webhooks/secret')
  return {
    apiKey: client.apiKey,
    baseUrl: haul.baseUrl,
    media: `${origin.url}/media/faststart.mp4`,
    subtitled: `${origin.url}/media/subtitled/long.mp4`,
    slow: `${origin.url}/generated/30000000.mp4?ratePerSecond=2000000`,
    webhook: { headers: webhook?.headers, body: webhook?.body, secret },
    path,
  }
}

/** The scenario and the client in one file, as bundlers make it for pages and Workers. */
const bundled = async (): Promise<string> => {
  const entryPoints = [join(folder, 'scenario.mjs')]
  const { outputFiles } = await build({ entryPoints, bundle: true, format: 'esm', platform: 'browser', write: false })
  return outputFiles[0]?.text ?? ''
}

const expected = {
  imported: ['audio/mp4', true],
  isPlaylist: false,
  transcribed: ['platform_captions', 'A tone, inside. Still a tone. The last tone.\n', 3],
  uploaded: ['ready', 0, 100],
  uploadFailure: [true, 'TRANSCRIPTION_PROVIDER_REQUIRED', true],
  fileFailure: 'TRANSCRIPTION_PROVIDER_REQUIRED',
  batch: [2, 'completed', 1, ['completed', 'failed']],
  batches: [true],
  canceled: ['failed', 'CANCELED', true],
  aborted: ['enough', 'CANCELED'],
  isRepeated: true,
  timedOut: ['HaulTimeoutError', true],
  refused: [true, 400, 'INVALID_REQUEST', 'videoQuality'],
  unknown: [404, 'JOB_NOT_FOUND', true],
  event: ['import.completed', 'completed'],
  forged: 'HaulWebhookError',
  heldDollars: 0,
}

describe.concurrent('the packed client imports, transcribes, uploads, cancels and verifies webhooks', () => {
  test.each([
    ['Node 24', () => [process.execPath]],
    ['Node 20', () => [programs.node20]],
    ['Bun', () => [programs.bun]],
    ['Deno', () => [programs.deno, 'run', '--allow-net', '--allow-env', '--allow-read']],
  ])(
    'in %s',
    async (_, command) => {
      const [program = '', ...options] = command()
      const env = { ...process.env, SCENARIO: JSON.stringify(await inputOf(fixture('faststart.mp4'))) }
      const { stdout } = await run(program, [...options, 'main.mjs'], { cwd: folder, env })
      expect(JSON.parse(stdout)).toEqual(expected)
    },
    TIMEOUT_MS,
  )

  test(
    'in a Worker',
    async () => {
      const handler = `export default { fetch: async (request) => Response.json(await runScenario(await request.json())) }`
      const script = `${await bundled()}\n${handler}`
      const options = { modules: true, script, compatibilityDate: '2026-10-01' } as const
      const worker = new Miniflare(convertV4MiniflareOptions(options))
      try {
        const body = JSON.stringify(await inputOf())
        const response = await worker.dispatchFetch('http://worker/', { method: 'POST', body })
        expect(await response.json()).toEqual(expected)
      } finally {
        await worker.dispose()
      }
    },
    TIMEOUT_MS,
  )

  test(
    'in a page',
    async () => {
      const [browser, script, input] = await Promise.all([startBrowser(), bundled(), inputOf()])
      try {
        const page = await browser.newPage()
        // A page of another origin cannot use the API, so this one has the origin of the service.
        await page.route('**/page', (route) => route.fulfill({ contentType: 'text/html', body: '<!doctype html>' }))
        await page.route('**/scenario.js', (route) => route.fulfill({ contentType: 'text/javascript', body: script }))
        await page.goto(`${input.baseUrl}/page`)
        // The program is text, because vitest would change an import in a function.
        const program = `import('/scenario.js').then(({ runScenario }) => runScenario(${JSON.stringify(input)}))`
        const result = await page.evaluate(program)
        expect(result).toEqual(expected)
      } finally {
        await browser.close()
      }
    },
    TIMEOUT_MS,
  )
})
