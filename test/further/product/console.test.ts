import { readFile } from 'node:fs/promises'
import type { Locator, Page } from 'playwright-core'
import { beforeEach, expect, test } from 'vitest'
import { failures } from '../../../domain/codes/failures.ts'
import { refusals } from '../../../domain/codes/refusals.ts'
import { fixture } from '../../doubles/origin/fixtures.ts'
import { browserFor } from '../../support/product/browser.ts'
import { canPlay, press, startJob, stateOf } from '../../support/product/console-jobs.ts'
import { product } from '../../support/product/product.ts'

/** The console as a person uses it. */
const site = product()
const browser = browserFor(site)
let page: Page
let apiKey: string

const slow = (): string => site.media('generated/30000000.mp4?ratePerSecond=2000000')

const factsOf = (job: Locator): Promise<string[]> => job.locator('.job-facts > span').allTextContents()

const announcement = (): Promise<string | null> => page.getByRole('status').textContent()

beforeEach(async () => {
  apiKey = (await site.newClient()).apiKey
  page = await browser.newTab({ permissions: ['clipboard-read', 'clipboard-write'] })
  await browser.openConsole(page, apiKey)
  await page.getByText('No jobs yet').waitFor()
})

test('an imported video has a thumbnail, a price and a link, and plays by range requests', async () => {
  const job = await startJob(page, site.media('media/faststart.mp4'))
  await stateOf(job, 'Completed')
  expect(await announcement()).toBe('faststart is done.')
  await job.locator('.thumb img').waitFor()
  expect(await factsOf(job)).toEqual(expect.arrayContaining(['6 s', '640 × 360', expect.stringMatching(/^\$0\.0056/)]))

  const ranged = page.waitForResponse((response) => response.url().includes('/media/') && response.status() === 206)
  await press(job, 'Play')
  expect((await ranged).headers()['content-range']).toMatch(/^bytes 0-/)
  await canPlay(job.locator('video'))
  expect(await job.locator('video').getAttribute('poster')).toContain('/media/')

  const [saved] = await Promise.all([page.waitForEvent('download'), press(job, 'Download')])
  expect(saved.suggestedFilename()).toBe('faststart.mp4')
  expect(await readFile(await saved.path())).toEqual(await readFile(fixture('faststart.mp4')))

  await press(job, 'Copy link')
  await page.waitForFunction(() => document.querySelector('#announcement')?.textContent === 'The link was copied.')
  const link = await page.evaluate(() => navigator.clipboard.readText())
  expect((await fetch(link, { method: 'HEAD' })).headers.get('content-type')).toBe('video/mp4')
  await page.locator('#available', { hasText: '$9.99' }).waitFor()
  expect(await page.locator('#an-hour').textContent()).toBe('239 of 240 left')
})

test('a person can import audio and play it with the keyboard alone', async () => {
  await page.getByRole('radio', { name: 'Video', exact: true }).focus()
  await page.keyboard.press('ArrowRight')
  expect(await page.getByRole('radio', { name: 'Audio only', exact: true }).isChecked()).toBe(true)
  await page.getByLabel('Media URL').focus()
  await page.keyboard.type(site.media('media/tail-index.mp4'))
  await page.keyboard.press('Enter')
  const job = page.locator('.job')
  await stateOf(job, 'Completed')
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('url')
  for (let presses = 0; presses < 20; presses++) {
    await page.keyboard.press('Tab')
    if (await page.evaluate(() => document.activeElement?.textContent === 'Play')) break
  }
  await page.keyboard.press('Enter')
  await canPlay(job.locator('audio'))
  expect(await job.locator('video').count()).toBe(0)
})

test('a failed import shows its message and code, also after a reload', async () => {
  const job = await startJob(page, site.media('page/none.html'))
  await stateOf(job, 'Failed')
  const failure = `${failures.SOURCE_UNSUPPORTED.message} SOURCE_UNSUPPORTED`
  expect(await job.locator('.job-facts').textContent()).toContain(failure)
  expect(await announcement()).toContain(failures.SOURCE_UNSUPPORTED.message)
  await page.reload()
  await page.getByText(failure).waitFor()
  await press(page.locator('.job'), 'Run again')
  expect(await page.getByLabel('Media URL').inputValue()).toBe(site.media('page/none.html'))
})

test('a refused request shows its code and request id, and the form keeps its values', async () => {
  await page.getByLabel('Media URL').fill('talk.mp4')
  await page.getByRole('button', { name: 'Start', exact: true }).click()
  await page.getByText('Enter a web address').waitFor()
  await page.getByLabel('Media URL').fill(site.media('media/not-there.mp4'))
  await page.getByRole('button', { name: 'Start', exact: true }).click()
  const alert = page.getByRole('alert').filter({ hasText: refusals.UNREACHABLE_URL.message })
  await alert.waitFor()
  expect(await alert.textContent()).toMatch(/UNREACHABLE_URL · req_\w+$/)
  expect(await page.getByLabel('Media URL').inputValue()).toBe(site.media('media/not-there.mp4'))
})

test('a running import shows its progress and can be canceled', async () => {
  const job = await startJob(page, slow())
  const bar = job.getByRole('progressbar')
  await page.waitForFunction((element) => (element as HTMLProgressElement).value > 0, await bar.elementHandle())
  expect(await factsOf(job)).toEqual(expect.arrayContaining([expect.stringMatching(/^[\d.]+ [KM]B of 30 MB$/)]))
  await page.locator('#held', { hasText: '$0.30' }).waitFor()
  await press(job, 'Cancel')
  await stateOf(job, 'Canceled')
  await page.locator('#held', { hasText: '$0.00' }).waitFor()
})

test('the preview shows formats and prices, and pressing a price fills in the form', async () => {
  await page.getByLabel('Media URL').fill(site.media('media/hls-fmp4/master.m3u8'))
  await page.getByRole('button', { name: 'Preview' }).click()
  const seen = page.getByRole('region', { name: 'Preview' })
  await seen.getByRole('button', { name: '360p' }).click()
  expect(await page.getByLabel('Quality').first().inputValue()).toMatch(/^(360|480)p$/)
  await seen.getByText('formats').click()
  expect(await seen.getByRole('row').count()).toBeGreaterThan(2)
  await seen.getByRole('button', { name: 'Built-in speech' }).click()
  expect(await page.getByRole('combobox', { name: 'Transcript from' }).inputValue()).toBe('builtin')
})

test('a transcript above its ceiling shows the price, and a click on it fills in the form', async () => {
  await page.getByRole('radio', { name: 'Transcript only', exact: true }).check({ force: true })
  expect(await page.getByLabel('Maximum cost, $').first().getAttribute('placeholder')).toBe('1')
  await page.getByLabel('Maximum cost, $').first().fill('0.01')
  const job = await startJob(page, site.media('media/faststart.mp4'), 'Transcript only')
  await stateOf(job, 'Failed')
  expect(await job.textContent()).toContain('MAX_COST_EXCEEDED')
  await job.getByRole('button', { name: /^Recognize the speech for \$0\.03/ }).click()
  expect(await page.getByRole('combobox', { name: 'Transcript from' }).inputValue()).toBe('builtin')
  const ceiling = Number(await page.getByLabel('Maximum cost, $').first().inputValue())
  expect(ceiling).toBeGreaterThan(0.03)
  expect(ceiling).toBeLessThan(0.05)
})

test('removing a job asks for confirmation and survives a reload', async () => {
  const job = await startJob(page, site.media('media/faststart.mp4'))
  await stateOf(job, 'Completed')
  await press(job, 'Remove')
  await page.getByRole('button', { name: 'Cancel' }).click()
  await stateOf(job, 'Completed')
  await press(job, 'Remove')
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await stateOf(job, 'Removed')
  await page.reload()
  await stateOf(page.locator('.job'), 'Removed')
  expect(await page.getByRole('button', { name: 'Play' }).count()).toBe(0)
})

test('the layout does not shift when a job ends', async () => {
  const job = await startJob(page, site.media('generated/4000000.mp4?ratePerSecond=2000000'))
  await job.locator('.job-facts', { hasText: 'Downloading' }).waitFor()
  const running = await job.boundingBox()
  await stateOf(job, 'Completed')
  expect((await job.boundingBox())?.height).toBe(running?.height)
})

/** The ids of the shown jobs. */
const shown = (): Promise<(string | null)[]> =>
  page.locator('.job').evaluateAll((jobs) => jobs.map((job) => job.getAttribute('data-job')))

/** Events of jobs that end at one moment may come into the list in any order. */
const showsAll = (...ids: (string | undefined)[]) =>
  expect.poll(async () => (await shown()).sort()).toEqual([...ids].sort())

const search = () => page.getByRole('searchbox', { name: 'Search jobs' })

/** Starts jobs whose URLs have these words, and cancels them, so that nothing runs. Returns their ids. */
const canceledJobs = async (words: string[], metadata: object = {}): Promise<string[]> => {
  const client = site.clientWith(apiKey)
  const ids: string[] = []
  for (const word of words) {
    const id = await client.start({ url: site.media(`media/faststart.mp4?${word}`), metadata })
    await client.request('DELETE', `/jobs/${id}`)
    ids.push(id)
  }
  return ids
}

test('jobs are searched for while a person types, and shown again when the field is cleared', async () => {
  const [river, hill, bank] = await canceledJobs(['river', 'hill', 'River-bank'])
  await showsAll(river, hill, bank)
  const asked: string[] = []
  page.on('request', (request) => {
    if (new URL(request.url()).pathname === '/jobs') asked.push(new URL(request.url()).search)
  })
  await search().pressSequentially('RIVER')
  await expect.poll(shown).toEqual([bank, river])
  expect(await announcement()).toBe('2 jobs found.')
  // Not once for each letter.
  expect(asked.at(-1)).toBe('?q=RIVER')
  expect(asked.length).toBeLessThan(5)

  await search().fill('no such job')
  await page.getByText('No jobs found for “no such job”.').waitFor()
  expect(await announcement()).toBe('No jobs found.')
  expect(await page.getByText('No jobs yet').isVisible()).toBe(false)
  await page.getByRole('button', { name: 'Clear' }).click()
  await expect.poll(shown).toEqual([bank, hill, river])
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('job-query')
  expect(await page.getByText('No jobs found for').isVisible()).toBe(false)
  expect(await page.getByRole('button', { name: 'Clear' }).isVisible()).toBe(false)

  // With the keyboard alone: Enter searches at once, Escape clears.
  await page.getByRole('button', { name: 'Refresh' }).focus()
  await page.keyboard.press('Tab')
  await page.keyboard.type('hill')
  await page.keyboard.press('Enter')
  await expect.poll(shown).toEqual([hill])
  await page.keyboard.press('Escape')
  await expect.poll(shown).toEqual([bank, hill, river])
  expect(await search().inputValue()).toBe('')
})

test('older jobs load page by page, and of a search only those that it finds', async () => {
  const all = await canceledJobs(Array.from({ length: 44 }, (_, index) => `${index % 2 ? 'river' : 'hill'}-${index}`))
  const older = page.getByRole('button', { name: 'Show older jobs' })
  await page.reload()
  await expect.poll(shown).toEqual(all.slice(-20).reverse())
  await older.click()
  await expect.poll(shown).toEqual(all.slice(-40).reverse())
  await search().fill('river')
  const rivers = all.filter((_, index) => index % 2).reverse()
  await expect.poll(shown).toEqual(rivers.slice(0, 20))
  await older.click()
  await expect.poll(shown).toEqual(rivers)
  expect(await older.isVisible()).toBe(false)
})

test('a search goes on after a page without a match', async () => {
  const [river, hill] = await canceledJobs(['river', 'hill'])
  await showsAll(river, hill)
  const cursors: (string | null)[] = []
  const isSearch = ({ pathname, searchParams }: URL) => pathname === '/jobs' && searchParams.has('q')
  await page.route(isSearch, async (route) => {
    const url = new URL(route.request().url())
    cursors.push(url.searchParams.get('cursor'))
    // As if the newest 5,000 jobs were others.
    const none = { success: true, data: { jobs: [], nextCursor: 'imp_older' } }
    if (!url.searchParams.has('cursor')) return route.fulfill({ json: none })
    url.searchParams.delete('cursor')
    return route.continue({ url: `${url}` })
  })
  await search().fill('river')
  await expect.poll(shown).toEqual([river])
  expect(cursors).toEqual([null, 'imp_older'])
  expect(await announcement()).toBe('One job found.')
})

test('jobs are found by their metadata, and a wrong key is told', async () => {
  const [one] = await canceledJobs(['one'])
  const [news] = await canceledJobs(['two'], { show: 'the news' })
  await showsAll(one, news)
  await search().fill('metadata.show=the news')
  await expect.poll(shown).toEqual([news])
  await search().fill('metadata.größe=1')
  const alert = page.getByRole('alert').filter({ hasText: 'metadata.größe: is not a key' })
  await alert.waitFor()
  expect(await shown()).toEqual([])
  await search().fill('')
  await expect.poll(shown).toEqual([news, one])
  expect(await alert.count()).toBe(0)
})

test('a job that starts elsewhere does not come into a search, and one that starts here ends it', async () => {
  const [river, hill] = await canceledJobs(['river', 'hill'])
  await showsAll(river, hill)
  await search().fill('river')
  await expect.poll(shown).toEqual([river])
  const elsewhere = await site.clientWith(apiKey).start({ url: slow() })
  await page.locator('#held', { hasText: '$0.30' }).waitFor()
  expect(await shown()).toEqual([river])

  await page.getByLabel('Media URL').fill(site.media('media/faststart.mp4'))
  await page.getByRole('button', { name: 'Start', exact: true }).click()
  await expect.poll(shown).toEqual([expect.stringMatching(/^imp_/), elsewhere, hill, river])
  expect(await search().inputValue()).toBe('')
  await site.clientWith(apiKey).request('DELETE', `/jobs/${elsewhere}`)
})
