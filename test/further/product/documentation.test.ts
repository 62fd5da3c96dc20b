import { gzipSync } from 'node:zlib'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { browserFor, faultsOf } from '../../support/product/browser.ts'
import { product } from '../../support/product/product.ts'

/** The page /docs as a reader uses it: tabs, copy buttons, search, and what it costs to load. */
const site = product()
const browser = browserFor(site)

const openDocs = async (options: BrowserContextOptions = {}, path = '/docs'): Promise<Page> => {
  const page = await browser.newTab(options)
  await page.goto(`${site.haul.baseUrl}${path}`)
  return page
}

const firstGroup = (page: Page) => page.locator('.doors').first()
const openDoors = (page: Page): Promise<(string | undefined)[]> =>
  page
    .locator('.panel:visible')
    .evaluateAll((panels) => [...new Set(panels.map((panel) => (panel as HTMLElement).dataset.door))])

const gzipped = (text: string): number => gzipSync(text, { level: 6 }).length
const KB = 1000
/** axe looks at every element of a page with thousands: 3 s on two quiet cores. */
const AXE_TIMEOUT_MS = 60_000

test('the page has at most 100 kB when it is compressed, and at most 75 kB with its styles, scripts and icon', async () => {
  const html = await (await fetch(`${site.haul.baseUrl}/docs`)).text()
  const files = [...html.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(([, path]) => path ?? '')
  expect(files.length).toBeGreaterThan(5)
  const imported = ['dom', 'docs/search', 'docs/match'].map((name) => `/assets/${name}.js`)
  const sizes = await Promise.all(
    [...files, ...imported].map(async (path) => {
      const response = await fetch(`${site.haul.baseUrl}${path}`)
      expect([path, response.status]).toEqual([path, 200])
      return gzipped(await response.text())
    }),
  )
  expect(gzipped(html)).toBeLessThan(100 * KB)
  expect(sizes.reduce((sum, size) => sum + size, gzipped(html))).toBeLessThan(75 * KB)
})

describe('tabs', () => {
  test('without JavaScript each group is a choice of its own, and there are no buttons or search', async () => {
    const page = await openDocs({ javaScriptEnabled: false })
    await firstGroup(page).getByText('Python').click()
    await firstGroup(page).getByText('from haul_client import Haul').waitFor()
    expect(await openDoors(page)).toEqual(expect.arrayContaining(['python', 'curl']))
    expect(await page.getByRole('button').count()).toBe(0)
    expect(await page.locator('#search').isVisible()).toBe(false)
  })

  test('a choice opens the same tab everywhere, is in the address, and is kept until a link names another', async () => {
    const page = await openDocs()
    await firstGroup(page).getByText('TypeScript').click()
    expect(await page.locator('.panel[data-door=typescript]').evaluateAll(allVisible)).toBe(true)
    await page.waitForURL(({ searchParams }) => searchParams.get('door') === 'typescript')
    await page.goto(`${site.haul.baseUrl}/docs`)
    expect(await firstGroup(page).getByRole('radio', { name: 'TypeScript' }).isChecked()).toBe(true)
    await page.goto(`${site.haul.baseUrl}/docs?door=cli#quickstart`)
    expect(await page.locator('.panel[data-door=cli]').evaluateAll(allVisible)).toBe(true)
  })

  test('arrow keys choose the next tab', async () => {
    const page = await openDocs()
    await firstGroup(page).getByRole('radio', { name: 'curl' }).focus()
    await page.keyboard.press('ArrowRight')
    expect(await firstGroup(page).getByRole('radio', { name: 'TypeScript' }).isChecked()).toBe(true)
    await firstGroup(page).getByText("from 'haul-client'").waitFor()
  })

  test('the group in use stays where it is when groups above it change', async () => {
    const page = await openDocs()
    const choice = page.locator('.doors').last().locator('label').last()
    await choice.scrollIntoViewIfNeeded()
    const before = await choice.boundingBox()
    await choice.click()
    expect((await choice.boundingBox())?.y).toBeCloseTo(before?.y ?? Number.NaN, 0)
  })
})

const allVisible = (panels: Element[]): boolean =>
  panels.length > 0 && panels.every((panel) => (panel as HTMLElement).checkVisibility())

test('a button copies a snippet without its colours', async () => {
  const page = await openDocs({ permissions: ['clipboard-read', 'clipboard-write'] })
  const block = page.locator('.code').first()
  await block.hover()
  await block.getByRole('button', { name: 'Copy' }).click()
  await block.getByRole('button', { name: 'Copied' }).waitFor()
  const copied = await page.evaluate(() => navigator.clipboard.readText())
  expect(copied).toBe(await block.locator('pre').textContent())
})

describe('search', () => {
  test('arrow keys select a result, Enter opens it, Escape closes the list and then clears the field', async () => {
    const page = await openDocs()
    const field = page.getByRole('combobox', { name: 'Search the documentation' })
    await page.keyboard.press('/')
    await page.keyboard.type('webhook')
    await page.getByRole('option').first().waitFor()
    expect(await field.getAttribute('aria-expanded')).toBe('true')
    await page.keyboard.press('ArrowDown')
    const selected = page.locator('[role=option][aria-selected=true]')
    expect(await selected.count()).toBe(1)
    expect(await field.getAttribute('aria-activedescendant')).toBe(await selected.getAttribute('id'))
    await page.keyboard.press('Escape')
    expect([await page.locator('#found').isVisible(), await field.inputValue()]).toEqual([false, 'webhook'])
    await page.keyboard.press('Escape')
    expect(await field.inputValue()).toBe('')
    await page.keyboard.type('SOURCE_DRM')
    await page.getByRole('option', { selected: true }).filter({ hasText: 'SOURCE_DRM' }).waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL(({ hash }) => hash === '#errors-failed-jobs-source-drm')
    expect(await page.locator('#found').isVisible()).toBe(false)
  })

  test('the index is loaded when the field is first used, and a query without results says so', async () => {
    const page = await browser.newTab()
    const loaded: string[] = []
    page.on('request', (request) => loaded.push(new URL(request.url()).pathname))
    await page.goto(`${site.haul.baseUrl}/docs`)
    expect(loaded).not.toContain('/docs/search.json')
    await page.getByRole('combobox').fill('xyzzy')
    await page.getByRole('status').filter({ hasText: 'Nothing found' }).waitFor()
    expect(loaded).toContain('/docs/search.json')
  })
})

/** Colors are the same on all screens, and everything else is the same in light and dark. */
const looks = [
  ['light', { width: 320, height: 640 }],
  ['dark', { width: 1280, height: 900 }],
] as const

describe.each(looks)('in %s, with a screen of %o', (colorScheme, viewport) => {
  test('nothing moves while /docs loads, and axe finds nothing', { timeout: AXE_TIMEOUT_MS }, async () => {
    const page = await browser.newTab({ colorScheme, viewport })
    await page.addInitScript(recordShifts)
    for (const query of ['', '?door=python']) {
      await page.goto(`${site.haul.baseUrl}/docs${query}`, { waitUntil: 'networkidle' })
      // A frame after the scripts have run.
      await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))))
      expect(await page.evaluate(() => Reflect.get(window, 'shifts'))).toEqual([])
    }
    expect(await page.evaluate(isDark)).toBe(colorScheme === 'dark')
    expect(await faultsOf(page)).toEqual([])
    await page.getByRole('combobox').fill('import')
    await page.getByRole('option').first().waitFor()
    expect(await faultsOf(page, { within: '.top' })).toEqual([])
  })

  test('axe finds nothing on the console and on the pages for operators and of programs', async () => {
    const page = await browser.newTab({ colorScheme, viewport })
    for (const path of ['/', '/ops', '/docs/works-with', '/docs/which-model', '/docs/ai-sdk']) {
      await page.goto(`${site.haul.baseUrl}${path}`)
      await page.getByRole('heading').first().waitFor()
      expect(await faultsOf(page)).toEqual([])
      expect(await page.evaluate(isDark)).toBe(colorScheme === 'dark')
    }
  })
})

/** Runs in the page. */
const isDark = (): boolean => {
  const { backgroundColor, color } = getComputedStyle(document.body)
  const [background = 0, text = 0] = [backgroundColor, color].map((value) => Number(/\d+/.exec(value)?.[0]))
  return background < text
}

/** Runs in the page. The value of a shift includes those that follow an input. */
function recordShifts() {
  const shifts: unknown[] = []
  Object.assign(window, { shifts })
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) shifts.push(Reflect.get(entry, 'value'))
  }).observe({ type: 'layout-shift', buffered: true })
}
