import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest'
import { type Haul, startHaul } from '../../scripts/start/haul.ts'
import { type Origin, startOrigin } from '../origin/origin.ts'
import { openTab, startBrowser } from './browser.ts'
import { type Caller, createCaller } from './caller.ts'

/** For the tests of one file: the whole product, an origin, and a real Chromium before them. */
export const browsing = () => {
  let haul: Haul
  let origin: Origin
  let browser: Browser
  let folder: string

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'haul-browsing-'))
    origin = await startOrigin()
    const env = { ...process.env, ALLOW_PRIVATE_HOSTS: origin.host }
    haul = await startHaul({ stateDir: join(folder, 'state'), env })
    browser = await startBrowser()
  })

  afterAll(async () => {
    await browser?.close()
    await haul?.stop()
    await origin?.close()
    await rm(folder, { recursive: true, force: true })
  })

  const callerWith = (key: string): Caller => createCaller(haul.baseUrl, key)

  return {
    get haul() {
      return haul
    },
    callerWith,
    operator: (): Caller => callerWith(haul.adminToken),
    media: (path: string): string => `${origin.url}/${path}`,

    /** A tab of its own; whatever it was used for, it never broke the page's own policy. */
    newTab: async (options: Parameters<typeof openTab>[2] = {}): Promise<Page> => {
      const tab = await openTab(browser, haul.baseUrl, options)
      tab.page.setDefaultTimeout(120_000)
      onTestFinished(async () => {
        await tab.context.close()
        expect(tab.faults).toEqual([])
      })
      return tab.page
    },

    /** An account of its own, so that no test sees what another left. */
    newKey: async (): Promise<{ apiKey: string; accountId: string; keyId: string }> => {
      const { body } = await callerWith(haul.adminToken).ask('POST', '/admin/accounts', {
        name: 'Ada Lovelace',
        creditDollars: 10,
      })
      return body.data
    },

    openConsole: async (tab: Page, key: string): Promise<void> => {
      await tab.goto(haul.baseUrl)
      await tab.getByLabel('API key').fill(key)
      await tab.getByRole('button', { name: 'Open console' }).click()
    },
  }
}
