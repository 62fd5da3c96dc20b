/// <reference lib="dom" />
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core'

/** A real Chromium, that talks to nobody but the pages it is shown. */
export const startBrowser = (): Promise<Browser> =>
  chromium.launch({
    executablePath: process.env.HAUL_CHROMIUM || '/usr/bin/chromium',
    args: [
      ...['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
      ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
      '--autoplay-policy=no-user-gesture-required',
    ],
  })

/** What a tab did that no page of ours may do. */
export interface Watched {
  page: Page
  context: BrowserContext
  /** What the Content-Security-Policy stopped, what was thrown, and what was asked of other hosts. */
  faults: string[]
}

declare global {
  interface Window {
    fault(text: string): void
  }
}

/** A new tab in a profile of its own. */
export const openTab = async (
  browser: Browser,
  baseUrl: string,
  options: BrowserContextOptions = {},
): Promise<Watched> => {
  const context = await browser.newContext(options)
  const page = await context.newPage()
  const faults: string[] = []
  if (options.javaScriptEnabled !== false) await reportViolations(page, faults)
  page.on('pageerror', (error) => faults.push(`thrown: ${error}`))
  page.on('console', (message) => {
    if (/Content Security Policy|Trusted/i.test(message.text())) faults.push(`console: ${message.text()}`)
  })
  page.on('request', (request) => {
    const { origin, protocol } = new URL(request.url())
    if (protocol !== 'blob:' && origin !== baseUrl) faults.push(`asked of another: ${request.url()}`)
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
