import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { refusals } from '../../../domain/codes/refusals.ts'
import { browserFor } from '../../support/product/browser.ts'
import { product } from '../../support/product/product.ts'

/** The console's sign-in, and the headers of the pages and their assets. */
const site = product()
const browser = browserFor(site)
let page: Page

test('without a key the page explains how to get one, and a wrong key shows the API’s error and is not stored', async () => {
  page = await browser.newTab()
  await page.goto(site.haul.baseUrl)
  await page.getByText('npm start', { exact: true }).last().waitFor()
  await page.getByText('/admin/accounts').waitFor()
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

test.each(['Refresh', 'a reload'])('when the key is revoked, the sign-in is shown again after %s', async (act) => {
  const made = await site.newClient()
  page = await browser.newTab()
  await browser.openConsole(page, made.apiKey)
  await page.getByText('No jobs yet').waitFor()
  await site.operator().request('DELETE', `/admin/accounts/${made.accountId}/keys/${made.keyId}`)
  if (act === 'a reload') await page.reload()
  // The page may have found out by itself, if its stream of events opened late: then the button is not visible any more.
  else await page.getByRole('button', { name: act, includeHidden: true }).dispatchEvent('click')
  await page.getByRole('alert').filter({ hasText: 'UNAUTHORIZED' }).waitFor()
  expect(await page.getByLabel('Media URL').isVisible()).toBe(false)
  expect(await page.evaluate(() => Object.values(sessionStorage))).toEqual([])
})

test('the console may send the parts of a file to R2, and play a file of the tab', async () => {
  const { headers } = await fetch(site.haul.baseUrl)
  const policy = headers.get('content-security-policy') ?? ''
  expect(policy).toContain("connect-src 'self' https://*.r2.cloudflarestorage.com;")
  expect(policy).toContain("media-src 'self' blob:;")
})

test.each(['/', '/assets/main.js', '/assets/base.css', '/docs', '/ops', '/ops/main.js'])(
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

const files = ['/_headers', '/tsconfig.json', '/types.d.ts', '/.assetsignore', '/ops.html']
test.each(files)('%s is not served', async (path) => {
  expect((await fetch(`${site.haul.baseUrl}${path}`)).status).toBe(404)
})
