import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { failures } from '../../worker/domain/codes/failures.ts'
import { refusals } from '../../worker/domain/codes/refusals.ts'
import { browsing } from './browsing.ts'

/** What everybody may see: the entrance of the console, the reference, and the files of both. */
const site = browsing()
let page: Page

test('without a key it says how to get one, and a wrong one is refused in the API’s own words and kept nowhere', async () => {
  page = await site.newTab()
  await page.goto(site.haul.baseUrl)
  expect(await page.getByText('npm start', { exact: true }).last().isVisible()).toBe(true)
  expect(await page.getByText('/admin/accounts').isVisible()).toBe(true)
  await site.openConsole(page, 'haul_wrong')
  const alert = page.getByRole('alert').filter({ hasText: refusals.UNAUTHORIZED.message })
  await alert.waitFor()
  expect(await alert.textContent()).toMatch(/UNAUTHORIZED · req_\w+$/)
  expect(await page.evaluate(() => ({ ...sessionStorage, ...localStorage }))).toEqual({})
  expect(await page.getByLabel('Media URL').isVisible()).toBe(false)
})

test('a key lives in the tab’s session storage and nowhere else, and is gone when it is forgotten', async () => {
  const made = await site.newKey()
  page = await site.newTab()
  await site.openConsole(page, made.apiKey)
  await page.getByText('Ada Lovelace').waitFor()
  expect(await page.evaluate(() => Object.values(sessionStorage))).toEqual([made.apiKey])
  expect(await page.evaluate(() => [Object.values(localStorage), document.cookie, location.href])).toEqual([
    [],
    '',
    `${site.haul.baseUrl}/`,
  ])
  await page.reload()
  await page.getByText('Ada Lovelace').waitFor()
  await page.getByRole('button', { name: 'Forget key' }).click()
  await page.getByLabel('API key').waitFor()
  expect(await page.evaluate(() => Object.values(sessionStorage))).toEqual([])
})

test('a key that is revoked while the console is open leads back to the entrance', async () => {
  const made = await site.newKey()
  page = await site.newTab()
  await site.openConsole(page, made.apiKey)
  // Until all has been read, the page would find out by itself, and the button would be gone.
  await page.getByText('Nothing hauled yet').waitFor()
  await site.operator().ask('DELETE', `/admin/accounts/${made.accountId}/keys/${made.keyId}`)
  await page.getByRole('button', { name: 'Refresh' }).click()
  await page.getByRole('alert').filter({ hasText: 'UNAUTHORIZED' }).waitFor()
  expect(await page.getByLabel('Media URL').isVisible()).toBe(false)
  expect(await page.evaluate(() => Object.values(sessionStorage))).toEqual([])
})

describe('on a phone', () => {
  test.each(['/', '/docs'])('%s fits into 320 pixels, in the dark too', async (path) => {
    page = await site.newTab({ viewport: { width: 320, height: 640 }, colorScheme: 'dark' })
    if (path === '/') await site.openConsole(page, (await site.newKey()).apiKey)
    else await page.goto(`${site.haul.baseUrl}${path}`)
    await page
      .getByText(path === '/' ? 'Nothing hauled yet' : 'Idempotency-Key')
      .first()
      .waitFor()
    const tooWide = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    )
    expect(tooWide).toBeLessThanOrEqual(0)
    const [ground, ink] = await page.evaluate(() => {
      const { backgroundColor, color } = getComputedStyle(document.body)
      return [backgroundColor, color].map((text) => Number(/\d+/.exec(text)?.[0]))
    })
    expect(ground).toBeLessThan(ink ?? 0)
  })
})

test('the reference needs no script, and lists every path, every event and every code', async () => {
  page = await site.newTab({ javaScriptEnabled: false })
  const response = await page.goto(`${site.haul.baseUrl}/docs`)
  expect(response?.headers()['content-security-policy']).toMatch(
    /^default-src 'none'; style-src 'self'; img-src 'self';/,
  )
  const { body: document } = await site.callerWith('').ask('GET', '/openapi.json')
  const endpoints = Object.entries<object>(document.paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
  )
  expect(endpoints.length).toBeGreaterThan(20)
  const headings = (await page.getByRole('heading', { level: 3 }).allTextContents()).map((text) => text.trim())
  expect(headings.toSorted()).toEqual(endpoints.toSorted())
  const codes = (await page.locator('td code').allTextContents()).toSorted()
  const known = [...Object.keys(refusals), ...Object.keys(failures), ...Object.keys(document.webhooks)]
  expect(codes).toEqual(expect.arrayContaining(known))
})

test('every link of the reference leads somewhere, and no two places share a name', async () => {
  page = await site.newTab()
  await page.goto(`${site.haul.baseUrl}/docs`)
  const { lost, repeated } = await page.evaluate(() => {
    const ids = [...document.querySelectorAll('[id]')].map(({ id }) => id)
    const links = [...document.querySelectorAll('a[href^="#"]')].map(
      (link) => link.getAttribute('href')?.slice(1) ?? '',
    )
    return {
      lost: links.filter((id) => !ids.includes(id)),
      repeated: ids.filter((id, index) => ids.indexOf(id) !== index),
    }
  })
  expect([lost, repeated]).toEqual([[], []])
})

test.each(['/', '/assets/main.js', '/assets/base.css', '/docs'])(
  '%s is served so that nothing foreign runs in it',
  async (path) => {
    const { headers, status } = await fetch(`${site.haul.baseUrl}${path}`)
    expect(status).toBe(200)
    const policy = headers.get('content-security-policy')
    expect(policy).toMatch(/^default-src 'none';/)
    expect(policy).toContain("base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
    expect(policy).not.toMatch(/unsafe|https?:|data:|\*/)
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('referrer-policy')).toBe('no-referrer')
    expect(headers.get('cache-control')).toMatch(/^public, max-age=/)
  },
)

test.each(['/_headers', '/tsconfig.json', '/types.d.ts', '/.assetsignore'])('%s is not for visitors', async (path) => {
  expect((await fetch(`${site.haul.baseUrl}${path}`)).status).toBe(404)
})
