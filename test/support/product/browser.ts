/// <reference lib="dom" />
import axe from 'axe-core'
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest'
import { chromiumPath } from '../../../scripts/setup/system.mjs'
import type { Product } from './product.ts'

/** Chromium for the tests of one file. */
export const browserFor = (site: Product) => {
  let browser: Browser

  beforeAll(async () => {
    browser = await startBrowser()
  })

  afterAll(() => browser?.close())

  return {
    /** A tab in its own profile. The test fails if the page broke its Content-Security-Policy or threw. */
    newTab: async (options: BrowserContextOptions = {}): Promise<Page> => {
      const tab = await openTab(browser, site.haul.baseUrl, options)
      tab.page.setDefaultTimeout(PAGE_TIMEOUT_MS)
      onTestFinished(async () => {
        await tab.context.close()
        expect(tab.faults).toEqual([])
      })
      return tab.page
    },

    openConsole: async (tab: Page, apiKey: string): Promise<void> => {
      await tab.goto(site.haul.baseUrl)
      await tab.getByLabel('API key').fill(apiKey)
      await tab.getByRole('button', { name: 'Open console' }).click()
    },
  }
}

const PAGE_TIMEOUT_MS = 20_000

export const startBrowser = (): Promise<Browser> =>
  chromium.launch({
    executablePath: chromiumPath(),
    args: [
      ...['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
      ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
      '--autoplay-policy=no-user-gesture-required',
    ],
  })

/** What axe finds within a selector, and whether the page is too wide, as sentences. */
export const faultsOf = async (page: Page, { within = 'html' } = {}): Promise<string[]> => {
  await page.evaluate(axe.source)
  // Without what passes, which takes most of the time.
  const options: axe.RunOptions = { resultTypes: ['violations'] }
  const { violations } = await page.evaluate(
    ([selector, given]) => (Reflect.get(window, 'axe') as typeof axe).run(selector, given),
    [within, options] as const,
  )
  const found = violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html }) => `${id}: ${help}: ${html.slice(0, 200)}`),
  )
  return [...found, ...((await isTooWide(page)) ? ['The page is too wide.'] : [])]
}

export const isTooWide = (page: Page): Promise<boolean> =>
  page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth)

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
  // Animations cost CPU time, and no test looks at them.
  const context = await browser.newContext({ reducedMotion: 'reduce', ...options })
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
