import { join } from 'node:path'
import type { Locator, Page } from 'playwright-core'
import { beforeEach, expect, test } from 'vitest'
import { browserFor } from '../../support/product/browser.ts'
import { product } from '../../support/product/product.ts'

/** The console as a person uses it, with sources other than one URL. */
const site = product()
const browser = browserFor(site)
let page: Page

/** A sentence. */
const speech = join(import.meta.dirname, '../../media/clips', '0870.flac')

const choose = (name: string): Promise<void> => page.getByRole('radio', { name, exact: true }).check({ force: true })

const start = (): Promise<void> => page.getByRole('button', { name: 'Start', exact: true }).click()

const stateOf = (entry: Locator, state: string): Promise<void> =>
  entry.locator('.state', { hasText: new RegExp(`^${state}$`) }).waitFor()

beforeEach(async () => {
  const { apiKey } = await site.newClient()
  page = await browser.newTab()
  await browser.openConsole(page, apiKey)
  await page.getByText('No jobs yet').waitFor()
})

test('several URLs become a batch, whose items show how each of them ended', async () => {
  await choose('Several URLs')
  const urls = ['media/faststart.mp4', 'media/not-there.mp4', 'media/tone.mp3'].map(site.media)
  await page.getByLabel('URLs, one on each line').fill(urls.join('\n'))
  await start()
  const batch = page.locator('.batch')
  await stateOf(batch, 'Completed')
  expect(await batch.locator('.batch-facts').textContent()).toMatch(/2 done.*1 failed/)

  await batch.getByRole('button', { name: 'Items: ' }).click()
  const rows = batch.getByRole('row')
  await rows.nth(3).waitFor()
  expect(await rows.nth(2).textContent()).toContain('UNREACHABLE_URL')
  await rows.nth(1).getByRole('button', { name: 'Show job' }).click()
  await stateOf(page.locator('.job').first(), 'Completed')

  await batch.getByRole('button', { name: 'Retry: ' }).click()
  await page.locator('.batch').nth(1).waitFor()
  await page.reload()
  await page.locator('.batch').nth(1).waitFor()
})

test('the preview of a feed shows its episodes, and starts it as a batch', async () => {
  await page.getByLabel('Media URL').fill(site.media('page/feed.xml'))
  await page.getByRole('button', { name: 'Preview' }).click()
  const preview = page.getByRole('region', { name: 'Preview' })
  await preview.getByRole('listitem').nth(1).waitFor()
  expect(await preview.textContent()).toContain('The second (6 s)')
  await preview.getByRole('button', { name: 'Start as a batch' }).click()
  await start()
  const batch = page.locator('.batch')
  await stateOf(batch, 'Completed')
  expect(await batch.locator('.batch-title').textContent()).toBe('A podcast')
  expect(await batch.locator('.batch-facts').textContent()).toContain('2 done')
})

test('a running batch can be canceled after a confirmation', async () => {
  await choose('Several URLs')
  const slow = [1, 2, 3].map((index) => site.media(`generated/3000000${index}.mp4?ratePerSecond=1000000`))
  await page.getByLabel('URLs, one on each line').fill(slow.join('\n'))
  await start()
  const batch = page.locator('.batch')
  await stateOf(batch, 'Running')
  await batch.getByRole('button', { name: 'Cancel: ' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel the batch' }).click()
  await stateOf(batch, 'Canceled')
  await page.locator('#held', { hasText: '$0.00' }).waitFor()
})

test('a file that is chosen is uploaded and transcribed, and plays beside its words, of which the spoken one is highlighted', async () => {
  await choose('A file')
  await page.locator('#file').setInputFiles(speech)
  await page.getByText('More options').click()
  await page.getByLabel('Times of words').check()
  await start()
  const job = page.locator('.job').first()
  await stateOf(job, 'Completed')
  await job.getByRole('button', { name: 'Read: ' }).click()
  const lines = job.getByRole('list', { name: 'Transcript' }).getByRole('listitem')
  await lines.first().waitFor()
  await lines.first().getByRole('button').click()
  await job.locator('[data-now] .word[data-said]').first().waitFor()

  const word = (await job.locator('.words .text').first().textContent())?.split(/\W+/).find((each) => each.length > 3)
  await job.getByRole('searchbox').fill(`${word}`.toUpperCase())
  expect(await job.locator('.search output').textContent()).toMatch(/^1 of \d+$/)
  await job.getByRole('searchbox').fill('xyzzy')
  expect(await job.locator('.search output').textContent()).toBe('Not found')
})

test('an import is transcribed without another download, and its video plays beside the captions', async () => {
  await page.getByLabel('Media URL').fill(site.media('media/subtitled/mov_text.mp4'))
  await start()
  const film = page.locator('.job').first()
  await stateOf(film, 'Completed')
  await film.getByRole('button', { name: 'Transcribe: ' }).click()
  await page.getByText('The imported file is used, without another download.').waitFor()
  await start()
  await page.locator('.job').nth(1).waitFor()
  const transcript = page.locator('.job').first()
  await stateOf(transcript, 'Completed')
  await transcript.getByRole('button', { name: 'Read: ' }).click()
  await transcript.locator('.reading.beside video').waitFor()
  expect(await transcript.locator('.words .text').count()).toBeGreaterThan(0)
})
