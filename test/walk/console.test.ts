import type { Locator, Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import type { AccountClient } from '../support/product/api-client.ts'
import { browserFor } from '../support/product/browser.ts'
import { canPlay, press, startJob, stateOf } from '../support/product/console-jobs.ts'
import { product } from '../support/product/product.ts'

/** The console in Chromium, as a person uses it. */
const site = product()
const browser = browserFor(site)
let client: AccountClient

beforeAll(async () => {
  client = await site.newClient()
})

const completedJob = async (page: Page, url: string, what: string): Promise<Locator> => {
  const job = await startJob(page, url, what)
  await stateOf(job, 'Completed')
  return job
}

test('a film is imported and plays, its words are read, and a key is made', async () => {
  const page = await browser.newTab()
  await browser.openConsole(page, client.apiKey)
  const film = await completedJob(page, site.media(), 'Video')
  await press(film, 'Play')
  await canPlay(film.locator('video'))
  const words = await completedJob(page, `${site.origin.url}/page/video.html`, 'Transcript only')
  await press(words, 'Read')
  const lines = words.getByRole('list', { name: 'Transcript' }).getByRole('listitem')
  expect(await lines.first().textContent()).toContain('A tone.')

  await page.getByRole('link', { name: 'Keys' }).click()
  await page.getByRole('heading', { name: 'Keys', exact: true }).waitFor()
  await page.getByRole('button', { name: 'New key' }).click()
  const name = page.locator('.key-form').getByLabel('Name')
  await name.fill('upload page')
  await name.press('Enter')
  const made = page.getByRole('region', { name: 'Copy the key “upload page” now' })
  const apiKey = `${await made.locator('code').textContent()}`
  expect((await site.clientWith(apiKey).request('GET', '/jobs')).status).toBe(200)
})

test('the documentation shows a guide, and its examples have the address of this Haul', async () => {
  const page = await browser.newTab()
  await page.goto(`${site.haul.baseUrl}/docs`)
  await page.getByRole('heading', { level: 1 }).waitFor()
  expect(await page.locator('pre').first().textContent()).toMatch(/\S/)
})
