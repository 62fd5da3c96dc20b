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
import { scenarioInput, scenarioOutcome } from '../../../walk/scenario.ts'
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
  await copyFile(join(import.meta.dirname, '../../../walk/scenario.mjs'), join(folder, 'scenario.mjs'))
  await writeFile(join(folder, 'main.mjs'), main)
  // The first time, the runtimes are downloaded.
}, TIMEOUT_MS)

afterAll(() => rm(folder, { recursive: true, force: true }))

/** The scenario and the client in one file, as bundlers make it for pages and Workers. */
const bundled = async (): Promise<string> => {
  const entryPoints = [join(folder, 'scenario.mjs')]
  const { outputFiles } = await build({ entryPoints, bundle: true, format: 'esm', platform: 'browser', write: false })
  return outputFiles[0]?.text ?? ''
}

describe.concurrent('the packed client imports, transcribes, uploads, cancels and verifies webhooks', () => {
  test.each([
    ['Node 20', () => [programs.node20]],
    ['Bun', () => [programs.bun]],
    ['Deno', () => [programs.deno, 'run', '--allow-net', '--allow-env', '--allow-read']],
  ])(
    'in %s',
    async (_, command) => {
      const [program = '', ...options] = command()
      const env = { ...process.env, SCENARIO: JSON.stringify(await scenarioInput(site, fixture('faststart.mp4'))) }
      const { stdout } = await run(program, [...options, 'main.mjs'], { cwd: folder, env })
      expect(JSON.parse(stdout)).toEqual(scenarioOutcome)
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
        const body = JSON.stringify(await scenarioInput(site))
        const response = await worker.dispatchFetch('http://worker/', { method: 'POST', body })
        expect(await response.json()).toEqual(scenarioOutcome)
      } finally {
        await worker.dispose()
      }
    },
    TIMEOUT_MS,
  )

  test(
    'in a page',
    async () => {
      const [browser, script, input] = await Promise.all([startBrowser(), bundled(), scenarioInput(site)])
      try {
        const page = await browser.newPage()
        // A page of another origin cannot use the API, so this one has the origin of the service.
        await page.route('**/page', (route) => route.fulfill({ contentType: 'text/html', body: '<!doctype html>' }))
        await page.route('**/scenario.js', (route) => route.fulfill({ contentType: 'text/javascript', body: script }))
        await page.goto(`${input.baseUrl}/page`)
        // The program is text, because vitest would change an import in a function.
        const program = `import('/scenario.js').then(({ runScenario }) => runScenario(${JSON.stringify(input)}))`
        const result = await page.evaluate(program)
        expect(result).toEqual(scenarioOutcome)
      } finally {
        await browser.close()
      }
    },
    TIMEOUT_MS,
  )
})
