import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { failures } from '../../../domain/codes/failures.ts'
import { refusals } from '../../../domain/codes/refusals.ts'
import { browserFor } from '../../support/product/browser.ts'
import { product } from '../../support/product/product.ts'

/** Pages that need no key: the console's sign-in, the documentation, and their assets. */
const site = product()
const browser = browserFor(site)
let page: Page

test('without a key the page explains how to get one, and a wrong key shows the API’s error and is not stored', async () => {
  page = await browser.newTab()
  await page.goto(site.haul.baseUrl)
  expect(await page.getByText('npm start', { exact: true }).last().isVisible()).toBe(true)
  expect(await page.getByText('/admin/accounts').isVisible()).toBe(true)
  await browser.openConsole(page, 'haul_wrong')
  const alert = page.getByRole('alert').filter({ hasText: refusals.UNAUTHORIZED.message })
  await alert.waitFor()
  expect(await alert.textContent()).toMatch(/UNAUTHORIZED · req_\w+$/)
  expect(await page.evaluate(() => ({ ...sessionStorage, ...localStorage }))).toEqual({})
  expect(await page.getByLabel('Media URL').isVisible()).toBe(false)
})

test('the key is stored only in the tab’s session storage, and “Sign out” deletes it', async () => {
  const made = await site.newClient({ name: 'Ada Lovelace' })
  page = await browser.newTab()
  await browser.openConsole(page, made.apiKey)
  await page.getByText('Ada Lovelace').waitFor()
  expect(await page.evaluate(() => Object.values(sessionStorage))).toEqual([made.apiKey])
  expect(await page.evaluate(() => [Object.values(localStorage), document.cookie, location.href])).toEqual([
    [],
    '',
    `${site.haul.baseUrl}/`,
  ])
  await page.reload()
  await page.getByText('Ada Lovelace').waitFor()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByLabel('API key').waitFor()
  expect(await page.evaluate(() => Object.values(sessionStorage))).toEqual([])
})

test('when the key is revoked while the console is open, the sign-in is shown again', async () => {
  const made = await site.newClient()
  page = await browser.newTab()
  await browser.openConsole(page, made.apiKey)
  // While the page is still loading, its own requests would find the revoked key and remove the button.
  await page.getByText('No jobs yet').waitFor()
  await site.operator().request('DELETE', `/admin/accounts/${made.accountId}/keys/${made.keyId}`)
  await page.getByRole('button', { name: 'Refresh' }).click()
  await page.getByRole('alert').filter({ hasText: 'UNAUTHORIZED' }).waitFor()
  expect(await page.getByLabel('Media URL').isVisible()).toBe(false)
  expect(await page.evaluate(() => Object.values(sessionStorage))).toEqual([])
})

describe('on a phone', () => {
  test.each(['/', '/docs'])('%s fits into 320 pixels and has a dark mode', async (path) => {
    page = await browser.newTab({ viewport: { width: 320, height: 640 }, colorScheme: 'dark' })
    if (path === '/') await browser.openConsole(page, (await site.newClient()).apiKey)
    else await page.goto(`${site.haul.baseUrl}${path}`)
    await page
      .getByText(path === '/' ? 'No jobs yet' : 'Idempotency-Key')
      .first()
      .waitFor()
    const tooWide = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    )
    expect(tooWide).toBeLessThanOrEqual(0)
    const [background, text] = await page.evaluate(() => {
      const { backgroundColor, color } = getComputedStyle(document.body)
      return [backgroundColor, color].map((value) => Number(/\d+/.exec(value)?.[0]))
    })
    expect(background).toBeLessThan(text ?? 0)
  })
})

test('the reference works without JavaScript and lists every path, event and code', async () => {
  page = await browser.newTab({ javaScriptEnabled: false })
  const response = await page.goto(`${site.haul.baseUrl}/docs`)
  expect(response?.headers()['content-security-policy']).toMatch(
    /^default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self';.* trusted-types 'none'$/,
  )
  const { body: document } = await site.clientWith('').request('GET', '/openapi.json')
  const endpoints = Object.entries<object>(document.paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
  )
  expect(endpoints.length).toBeGreaterThan(20)
  const headings = (await page.locator('.endpoint h3').allTextContents()).map((text) => text.trim())
  expect(headings.toSorted()).toEqual(endpoints.toSorted())
  const codes = (await page.locator('td code').allTextContents()).toSorted()
  const known = [...Object.keys(refusals), ...Object.keys(failures), ...Object.keys(document.webhooks)]
  expect(codes).toEqual(expect.arrayContaining(known))
})

test('every link of the reference has a target, and ids are unique', async () => {
  page = await browser.newTab()
  await page.goto(`${site.haul.baseUrl}/docs`)
  const { broken, repeated } = await page.evaluate(() => {
    const ids = [...document.querySelectorAll('[id]')].map(({ id }) => id)
    const links = [...document.querySelectorAll('a[href^="#"]')].map(
      (link) => link.getAttribute('href')?.slice(1) ?? '',
    )
    return {
      broken: links.filter((id) => !ids.includes(id)),
      repeated: ids.filter((id, index) => ids.indexOf(id) !== index),
    }
  })
  expect([broken, repeated]).toEqual([[], []])
})

test('the console may send the parts of a file to R2, and play a file of the tab', async () => {
  const { headers } = await fetch(site.haul.baseUrl)
  const policy = headers.get('content-security-policy') ?? ''
  expect(policy).toContain("connect-src 'self' https://*.r2.cloudflarestorage.com;")
  expect(policy).toContain("media-src 'self' blob:;")
})

test.each(['/', '/assets/main.js', '/assets/base.css', '/docs', '/ops', '/ops/main.js', '/vendor/uplot/uPlot.esm.js'])(
  '%s is served with a strict Content-Security-Policy',
  async (path) => {
    const { headers, status } = await fetch(`${site.haul.baseUrl}${path}`, { redirect: 'manual' })
    expect(status).toBe(200)
    const policy = headers.get('content-security-policy')
    expect(policy).toMatch(/^default-src 'none';/)
    expect(policy).toContain("base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
    const ofUploads = 'https://*.r2.cloudflarestorage.com'
    expect(policy?.replace(path === '/' ? ofUploads : '', '')).not.toMatch(/unsafe|https?:|data:|\*|,/)
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('referrer-policy')).toBe('no-referrer')
    expect(headers.get('cache-control')).toMatch(/^public, max-age=/)
  },
)

test.each(['/ops', '/ops/main.js'])('search engines are asked not to list %s', async (path) => {
  expect((await fetch(`${site.haul.baseUrl}${path}`)).headers.get('x-robots-tag')).toBe('noindex')
})

const files = ['/_headers', '/tsconfig.json', '/types.d.ts', '/.assetsignore', '/ops/types.d.ts', '/ops.html']
test.each(files)('%s is not served', async (path) => {
  expect((await fetch(`${site.haul.baseUrl}${path}`)).status).toBe(404)
})
