import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { browserFor, faultsOf } from '../../support/product/browser.ts'
import { product } from '../../support/product/product.ts'

/** /docs/sites with the sites of a real yt-dlp, which an engine has said. */
const site = product()
const browser = browserFor(site)

interface Sites {
  version: string | null
  working: string[]
  broken: string[]
}

const get = (path: string): Promise<Response> => fetch(`${site.haul.baseUrl}${path}`)

/** A fleet asks its engines while they work, and the yt-dlp of this one may still be starting. */
const sitesOfEngine = async (): Promise<Sites> => {
  const client = await site.newClient()
  const read = async (): Promise<Sites> => (await get('/docs/sites.json')).json()
  const look = async (): Promise<string | null> => {
    const { version } = await read()
    if (version === null) await client.request('GET', `/metadata?url=${site.media()}`)
    return version
  }
  await expect.poll(look, { interval: 1_000 }).not.toBeNull()
  return read()
}

test('the page, its Markdown and GET /health are of the yt-dlp that runs, with all of its sites', async () => {
  const { version, working, broken } = await sitesOfEngine()
  expect(working).toEqual(expect.arrayContaining(['youtube', 'vimeo', 'southpark.cc.com:español']))
  expect([working.length > 1_200, broken.length > 10]).toEqual([true, true])
  const health = await (await get('/health')).json()
  expect(health.data.extractorVersions).toEqual([version])
  const page = await (await get('/docs/sites')).text()
  expect(page.match(/<li>/g)).toHaveLength(working.length + broken.length)
  expect(page).toContain(`Version ${version}`)
  expect(gzipSync(page).length).toBeLessThan(25_000)
  const markdown = await (await get('/docs/sites.md')).text()
  for (const name of ['youtube', ...broken]) expect(markdown).toContain(`\n- \`${name}\`\n`)
})

test('the filter shows the sites that have all words, without a request', async () => {
  await sitesOfEngine()
  const page = await browser.newTab()
  await page.goto(`${site.haul.baseUrl}/docs/sites`, { waitUntil: 'networkidle' })
  const requests: string[] = []
  page.on('request', (request) => requests.push(request.url()))
  const shown = () => page.locator('#sites li:visible').allTextContents()
  const all = await shown()
  await page.getByRole('searchbox', { name: 'Filter' }).pressSequentially('YouTube playlist')
  await page
    .getByRole('status')
    .filter({ hasText: ` of ${all.length}` })
    .waitFor()
  const found = await shown()
  expect(found).toContain('youtube:playlist')
  expect(found).toEqual(all.filter((name) => /youtube/i.test(name) && /playlist/i.test(name)))
  await page.getByRole('searchbox').fill('xyzzy')
  await page
    .getByRole('status')
    .filter({ hasText: `0 of ${all.length}` })
    .waitFor()
  expect(await shown()).toEqual([])
  await page.getByRole('searchbox').fill('')
  expect(await shown()).toEqual(all)
  expect(requests).toEqual([])
})

test('without JavaScript the page has all sites and no field', async () => {
  const { working, broken } = await sitesOfEngine()
  const page = await browser.newTab({ javaScriptEnabled: false })
  await page.goto(`${site.haul.baseUrl}/docs/sites?filter=youtube`)
  expect(await page.locator('#sites li').count()).toBe(working.length + broken.length)
  expect(await page.locator('#sites li').last().isVisible()).toBe(true)
  expect(await page.locator('#filter').isVisible()).toBe(false)
})

test('the search of /docs finds a site by its name, and leads to it', async () => {
  await sitesOfEngine()
  const page = await browser.newTab()
  await page.goto(`${site.haul.baseUrl}/docs`)
  await page.getByRole('combobox').fill('youtube:playlist')
  await page.getByRole('option', { selected: true }).filter({ hasText: 'youtube:playlist' }).waitFor()
  await page.keyboard.press('Enter')
  await page.waitForURL(({ pathname }) => pathname === '/docs/sites')
  await page.locator('#sites li:visible').getByText('youtube:playlist', { exact: true }).waitFor()
  expect(await page.getByRole('searchbox').inputValue()).toBe('youtube:playlist')
})

test.each(['light', 'dark'] as const)('axe finds nothing on the page in %s', async (colorScheme) => {
  await sitesOfEngine()
  const page = await browser.newTab({ colorScheme, viewport: { width: 320, height: 640 } })
  await page.goto(`${site.haul.baseUrl}/docs/sites?filter=youtube`)
  await page.getByRole('status').filter({ hasText: ' of ' }).waitFor()
  expect(await faultsOf(page)).toEqual([])
})
