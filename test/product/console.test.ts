import { readFile } from 'node:fs/promises'
import type { Locator, Page } from 'playwright-core'
import { beforeEach, expect, test } from 'vitest'
import { failures } from '../../worker/domain/codes/failures.ts'
import { refusals } from '../../worker/domain/codes/refusals.ts'
import { fixture } from '../origin/fixtures.ts'
import { browsing } from './browsing.ts'

/** The console as a person uses it. */
const site = browsing()
let page: Page
let apiKey: string

const slow = (): string => site.media('generated/30000000.mp4?ratePerSecond=2000000')

/** Orders, and answers with the job's place in the list. */
const haulIt = async (url: string, what = 'Video + sound'): Promise<Locator> => {
  const before = await page.locator('.job').count()
  await page.getByLabel('Media URL').fill(url)
  await page.getByRole('radio', { name: what, exact: true }).check({ force: true })
  await page.getByRole('button', { name: 'Haul', exact: true }).click()
  const job = page.locator('.job').first()
  await page.locator('.job').nth(before).waitFor()
  return page.locator(`.job[data-job="${await job.getAttribute('data-job')}"]`)
}

const stateOf = (job: Locator, state: string): Promise<void> =>
  job.locator('.job-state', { hasText: new RegExp(`^${state}$`) }).waitFor()

const factsOf = (job: Locator): Promise<string[]> => job.locator('.job-facts > span').allTextContents()

const act = (job: Locator, name: string): Promise<void> => job.getByRole('button', { name: `${name}: ` }).click()

const news = (): Promise<string | null> => page.getByRole('status').textContent()

/** Whether a media element has data for where it stands. */
const canPlay = (element: Locator): Promise<unknown> =>
  element.evaluate(async (media: HTMLMediaElement) => {
    while (media.readyState < 2) await new Promise((resolve) => media.addEventListener('loadeddata', resolve))
  })

beforeEach(async () => {
  apiKey = (await site.newKey()).apiKey
  page = await site.newTab({ permissions: ['clipboard-read', 'clipboard-write'] })
  await site.openConsole(page, apiKey)
  await page.getByText('Nothing hauled yet').waitFor()
})

test('a URL becomes a video that plays by ranges, with its picture, its price and its link', async () => {
  const job = await haulIt(site.media('media/faststart.mp4'))
  await stateOf(job, 'Done')
  expect(await news()).toBe('faststart is done.')
  await job.locator('.thumb img').waitFor()
  expect(await factsOf(job)).toEqual(expect.arrayContaining(['6 s', '640 × 360', expect.stringMatching(/^\$0\.0056/)]))

  const ranged = page.waitForResponse((response) => response.url().includes('/media/') && response.status() === 206)
  await act(job, 'Play')
  expect((await ranged).headers()['content-range']).toMatch(/^bytes 0-/)
  await canPlay(job.locator('video'))
  expect(await job.locator('video').getAttribute('poster')).toContain('/media/')

  const [saved] = await Promise.all([page.waitForEvent('download'), act(job, 'Save')])
  expect(saved.suggestedFilename()).toBe('faststart.mp4')
  expect(await readFile(await saved.path())).toEqual(await readFile(fixture('faststart.mp4')))

  await act(job, 'Copy link')
  await page.waitForFunction(() => document.querySelector('#news')?.textContent === 'The link is copied.')
  const link = await page.evaluate(() => navigator.clipboard.readText())
  expect((await fetch(link, { method: 'HEAD' })).headers.get('content-type')).toBe('video/mp4')
  await page.locator('#available', { hasText: '$9.99' }).waitFor()
  expect(await page.locator('#an-hour').textContent()).toBe('239 of 240 left')
})

test('the keyboard is enough', async () => {
  await page.getByLabel('Media URL').focus()
  await page.keyboard.type(site.media('media/faststart.mp4'))
  await page.keyboard.press('Enter')
  const job = page.locator('.job')
  await stateOf(job, 'Done')
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('url')
  for (let presses = 0; presses < 20; presses++) {
    await page.keyboard.press('Tab')
    if (await page.evaluate(() => document.activeElement?.textContent === 'Play')) break
  }
  await page.keyboard.press('Enter')
  await canPlay(job.locator('video'))
})

test('sound only becomes a player for sound', async () => {
  const job = await haulIt(site.media('media/tail-index.mp4'), 'Sound')
  await stateOf(job, 'Done')
  await act(job, 'Play')
  await canPlay(job.locator('audio'))
  expect(await job.locator('video').count()).toBe(0)
})

test('a failing import says why, in words and with its code, also after a reload', async () => {
  const job = await haulIt(site.media('page/none.html'))
  await stateOf(job, 'Failed')
  const said = `${failures.SOURCE_UNSUPPORTED.message} SOURCE_UNSUPPORTED`
  expect(await job.locator('.job-facts').textContent()).toContain(said)
  expect(await news()).toContain(failures.SOURCE_UNSUPPORTED.message)
  await page.reload()
  await page.getByText(said).waitFor()
  await act(page.locator('.job'), 'Again')
  expect(await page.getByLabel('Media URL').inputValue()).toBe(site.media('page/none.html'))
})

test('what the API refuses is said with code and request id, and the order stays to be corrected', async () => {
  await page.getByLabel('Media URL').fill('talk.mp4')
  await page.getByRole('button', { name: 'Haul', exact: true }).click()
  await page.getByText('Enter a web address').waitFor()
  await page.getByLabel('Media URL').fill(site.media('media/not-there.mp4'))
  await page.getByRole('button', { name: 'Haul', exact: true }).click()
  const alert = page.getByRole('alert').filter({ hasText: refusals.UNREACHABLE_URL.message })
  await alert.waitFor()
  expect(await alert.textContent()).toMatch(/UNREACHABLE_URL · req_\w+$/)
  expect(await page.getByLabel('Media URL').inputValue()).toBe(site.media('media/not-there.mp4'))
})

test('a running import shows how far it is, and stops when it is canceled', async () => {
  const job = await haulIt(slow())
  const bar = job.getByRole('progressbar')
  await page.waitForFunction((element) => (element as HTMLProgressElement).value > 0, await bar.elementHandle())
  expect(await factsOf(job)).toEqual(expect.arrayContaining([expect.stringMatching(/^[\d.]+ [KM]B of 30 MB$/)]))
  await page.locator('#held', { hasText: '$0.30' }).waitFor()
  await act(job, 'Cancel')
  await stateOf(job, 'Canceled')
  await page.locator('#held', { hasText: '$0.00' }).waitFor()
})

test('a stream that breaks is opened again: after a restart of the Worker the job goes on before our eyes', async () => {
  const job = await haulIt(site.media('generated/12000000.mp4?ratePerSecond=3000000'))
  await job.locator('.job-facts', { hasText: 'Downloading' }).waitFor()
  await site.haul.killWorker('SIGKILL')
  await site.haul.ready()
  await stateOf(job, 'Done')
})

test('looking tells formats and prices, and a price that is pressed fills in the order', async () => {
  await page.getByLabel('Media URL').fill(site.media('media/hls-fmp4/master.m3u8'))
  await page.getByRole('button', { name: 'Look' }).click()
  const seen = page.getByRole('region', { name: 'What is at this URL' })
  await seen.getByRole('button', { name: '360p' }).click()
  expect(await page.getByLabel('Quality').first().inputValue()).toMatch(/^(360|480)p$/)
  await seen.getByText('formats').click()
  expect(await seen.getByRole('row').count()).toBeGreaterThan(2)
  await seen.getByRole('button', { name: 'Built-in speech' }).click()
  expect(await page.getByRole('combobox', { name: 'From' }).inputValue()).toBe('builtin')
})

test('words are read with their times, and saved as subtitles', async () => {
  const job = await haulIt(site.media('page/video.html'), 'Words')
  await stateOf(job, 'Done')
  await act(job, 'Read')
  expect(await job.getByRole('list', { name: 'Transcript' }).getByRole('listitem').first().textContent()).toMatch(
    /^0:00./,
  )
  const [download] = await Promise.all([page.waitForEvent('download'), act(job, 'SRT')])
  expect(download.suggestedFilename()).toMatch(/\.srt$/)
  expect(await readFile(await download.path(), 'utf8')).toMatch(/^1\r?\n00:00:0\d,\d{3} --> /)
})

test('media without captions comes with a quote, and pressing it asks for the built-in speech', async () => {
  const job = await haulIt(site.media('media/faststart.mp4'), 'Words')
  await stateOf(job, 'Failed')
  expect(await job.textContent()).toContain('TRANSCRIPTION_PROVIDER_REQUIRED')
  await job.getByRole('button', { name: 'Transcribe for $0.03' }).click()
  expect(await page.getByRole('combobox', { name: 'From' }).inputValue()).toBe('builtin')
  expect(await page.getByLabel('Media URL').inputValue()).toBe(site.media('media/faststart.mp4'))
})

test('removing asks first, and is remembered', async () => {
  const job = await haulIt(site.media('media/faststart.mp4'))
  await stateOf(job, 'Done')
  await act(job, 'Remove')
  await page.getByRole('button', { name: 'Keep it' }).click()
  await stateOf(job, 'Done')
  await act(job, 'Remove')
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await stateOf(job, 'Removed')
  await page.reload()
  await stateOf(page.locator('.job'), 'Removed')
  expect(await page.getByRole('button', { name: 'Play' }).count()).toBe(0)
})

test('older jobs come page by page, and nothing moves when a job ends', async () => {
  const caller = site.callerWith(apiKey)
  for (let count = 0; count < 22; count++)
    await caller.ask('DELETE', `/jobs/${await caller.start({ url: site.media('media/faststart.mp4') })}`)
  await page.getByRole('button', { name: 'Refresh' }).click()
  await page.getByRole('button', { name: 'Show older jobs' }).click()
  await page.locator('.job').nth(21).waitFor()
  expect(await page.getByRole('button', { name: 'Show older jobs' }).isVisible()).toBe(false)

  const job = await haulIt(site.media('generated/4000000.mp4?ratePerSecond=2000000'))
  await job.locator('.job-facts', { hasText: 'Downloading' }).waitFor()
  const running = await job.boundingBox()
  await stateOf(job, 'Done')
  expect((await job.boundingBox())?.height).toBe(running?.height)
})
