/// <reference lib="dom" />
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest'
import { type Haul, type HaulOptions, startHaul } from '../../scripts/start/haul.ts'
import { type Origin, startOrigin } from '../origin/origin.ts'
import { type ApiClient, createApiClient } from './api-client.ts'

/** Starts the whole product, an origin and Chromium for the tests of one file. */
export const productWithBrowser = ({ engines, env: settings }: Pick<HaulOptions, 'engines' | 'env'> = {}) => {
  let haul: Haul
  let origin: Origin
  let browser: Browser
  let folder: string

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'haul-browser-'))
    origin = await startOrigin()
    const env = { ...process.env, ...settings, ALLOW_PRIVATE_HOSTS: origin.host }
    haul = await startHaul({ stateDir: join(folder, 'state'), engines, env })
    browser = await startBrowser()
  }, START_TIMEOUT_MS)

  afterAll(async () => {
    await browser?.close()
    await haul?.stop()
    await origin?.close()
    await rm(folder, { recursive: true, force: true })
  })

  const clientWith = (key: string): ApiClient => createApiClient(haul.baseUrl, key)

  return {
    get haul() {
      return haul
    },
    clientWith,
    operator: (): ApiClient => clientWith(haul.adminToken),
    media: (path: string): string => `${origin.url}/${path}`,

    /** A tab in its own profile. The test fails if the page broke its Content-Security-Policy or threw. */
    newTab: async (options: BrowserContextOptions = {}): Promise<Page> => {
      const tab = await openTab(browser, haul.baseUrl, options)
      tab.page.setDefaultTimeout(PAGE_TIMEOUT_MS)
      onTestFinished(async () => {
        await tab.context.close()
        expect(tab.faults).toEqual([])
      })
      return tab.page
    },

    /** A key of a new account, so that tests do not see each other's jobs. */
    newKey: async (name = 'Ada Lovelace'): Promise<{ apiKey: string; accountId: string; keyId: string }> => {
      const account = { name, creditDollars: 10 }
      return (await clientWith(haul.adminToken).request('POST', '/admin/accounts', account)).body.data
    },

    openConsole: async (tab: Page, key: string): Promise<void> => {
      await tab.goto(haul.baseUrl)
      await tab.getByLabel('API key').fill(key)
      await tab.getByRole('button', { name: 'Open console' }).click()
    },
  }
}

/** wrangler, D1 migrations, the container's yt-dlp and Chromium: 8 s on 2 quiet cores. */
const START_TIMEOUT_MS = 90_000
const PAGE_TIMEOUT_MS = 20_000

export const startBrowser = (): Promise<Browser> =>
  chromium.launch({
    executablePath: process.env.HAUL_CHROMIUM || '/usr/bin/chromium',
    args: [
      ...['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
      ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
      '--autoplay-policy=no-user-gesture-required',
    ],
  })

interface Tab {
  page: Page
  context: BrowserContext
  /** Violations of the Content-Security-Policy, uncaught errors, and requests to other origins. */
  faults: string[]
}

declare global {
  interface Window {
    fault(text: string): void
  }
}

const openTab = async (browser: Browser, baseUrl: string, options: BrowserContextOptions): Promise<Tab> => {
  const context = await browser.newContext(options)
  const page = await context.newPage()
  const faults: string[] = []
  if (options.javaScriptEnabled !== false) await reportViolations(page, faults)
  page.on('pageerror', (error) => faults.push(`uncaught: ${error}`))
  page.on('console', (message) => {
    if (/Content Security Policy|Trusted/i.test(message.text())) faults.push(`console: ${message.text()}`)
  })
  page.on('request', (request) => {
    const { origin, protocol } = new URL(request.url())
    if (protocol !== 'blob:' && origin !== baseUrl) faults.push(`request to another origin: ${request.url()}`)
  })
  return { page, context, faults }
}

const reportViolations = async (page: Page, faults: string[]): Promise<void> => {
  await page.exposeFunction('fault', (text: string) => faults.push(text))
  await page.addInitScript(() => {
    addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => {
      window.fault(`policy: ${violatedDirective} ${blockedURI}`)
    })
  })
}
