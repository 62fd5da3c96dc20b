import { readFile } from 'node:fs/promises'
import type { Locator, Page } from 'playwright-core'
import { beforeEach, expect, test } from 'vitest'
import { failures } from '../../../domain/codes/failures.ts'
import type { AccountClient } from '../../support/product/api-client.ts'
import { browserFor, faultsOf } from '../../support/product/browser.ts'
import { canPlay, press, startJob, stateOf } from '../../support/product/console-jobs.ts'
import { product } from '../../support/product/product.ts'

/** Imports with words and other files in the console. */
const site = product()
const browser = browserFor(site)
let page: Page
let client: AccountClient

beforeEach(async () => {
  client = await site.newClient()
  page = await browser.newTab()
  await browser.openConsole(page, client.apiKey)
  await page.getByText('No jobs yet').waitFor()
})

const check = async (...names: string[]): Promise<void> => {
  for (const name of names) await page.getByLabel(name, { exact: true }).check()
}

/** The captions that a player has, and whether it shows them. */
const tracksOf = (job: Locator) =>
  job.locator('video').evaluate((video: HTMLVideoElement) =>
    [...video.textTracks].map(({ label, language, mode, cues }) => {
      const [first] = cues ?? []
      return [label, language, mode, ...(first instanceof VTTCue ? [first.text] : [])]
    }),
  )

const rowsOf = (job: Locator): Promise<string[]> =>
  job.getByRole('list', { name: 'Files' }).getByRole('listitem').allTextContents()

test('a film is imported with its words in one request, and its card plays it with captions and has every file', async () => {
  await check('Transcript', 'Captions', 'Thumbnail', 'Chapters')
  await page.getByLabel('Transcript from').selectOption('captions')
  await page.getByLabel('Caption languages').fill('en-GB, de, fr')
  const sent = page.waitForRequest((request) => request.method() === 'POST' && request.url().endsWith('/import'))
  const job = await startJob(page, site.media('page/languages.html'))
  expect((await sent).postDataJSON()).toEqual({
    ...{ url: site.media('page/languages.html'), includeVideo: true, includeAudio: true, videoQuality: '1080p' },
    ...{ captions: ['en-GB', 'de', 'fr'], files: ['thumbnail', 'chapters'], transcribe: { mode: 'captions' } },
  })
  await stateOf(job, 'Completed')

  await press(job, 'Files')
  expect(await rowsOf(job)).toEqual([
    expect.stringMatching(/^Video561 KB\$0\.0056\d+\.mp4$/),
    'Captions in British English$0.01.vtt',
    'Captions in Germanfree.vtt',
    'Captions in FrenchThe source has none. NOT_AT_SOURCE',
    'Transcript in British Englishfree.vtt',
    'Thumbnailfree.jpg',
    'ChaptersThe source has none. NOT_AT_SOURCE',
  ])
  const german = job.getByRole('link', { name: 'Download A page with captions in two languages.de.vtt' })
  const [saved] = await Promise.all([page.waitForEvent('download'), german.click()])
  expect(saved.suggestedFilename()).toBe('A page with captions in two languages.de.vtt')
  expect(await readFile(await saved.path(), 'utf8')).toMatch(/^WEBVTT\n/)

  await press(job, 'Play')
  await canPlay(job.locator('video'))
  await expect
    .poll(() => tracksOf(job))
    .toEqual([
      ['Captions in British English', 'en-GB', 'showing', 'A tone.'],
      ['Captions in German', 'de', 'disabled'],
      ['Transcript in British English', 'en-GB', 'disabled'],
    ])

  // The player beside the words is another one, so the first is closed.
  await press(job, 'Read')
  await job.locator('.words', { hasText: 'Still a tone.' }).waitFor()
  expect(await job.locator('video').count()).toBe(1)
  const isExpanded = (name: string) => job.getByRole('button', { name: `${name}: ` }).getAttribute('aria-expanded')
  expect([await isExpanded('Play'), await isExpanded('Read'), await isExpanded('Files')]).toEqual([
    'false',
    'true',
    'true',
  ])

  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await page.setViewportSize({ width: colorScheme === 'light' ? 1280 : 320, height: 800 })
    expect(await faultsOf(page)).toEqual([])
  }

  await press(job, 'Remove')
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await stateOf(job, 'Removed')
  expect(await job.getByRole('list', { name: 'Files' }).count()).toBe(0)
})

test('captions are shown also if no file is WebVTT', async () => {
  await client.ended(await client.start({ url: site.media('page/languages.html'), captions: ['de'], formats: ['srt'] }))
  const job = page.locator('.job')
  await press(job, 'Play')
  await expect.poll(() => tracksOf(job)).toEqual([['Captions in German', 'de', 'showing', 'Ein Ton.']])
})

test('a film whose words failed plays, says why, and offers the speech of the stored file with its price', async () => {
  await check('Transcript')
  await page.getByLabel('Transcript from').selectOption('captions')
  const job = await startJob(page, site.media('media/faststart.mp4'))
  await stateOf(job, 'Completed')
  expect(await page.getByRole('status').textContent()).toBe('faststart is done. Transcript failed.')
  expect(await job.locator('.job-facts').textContent()).toMatch(/^Transcript failed6 s/)
  await press(job, 'Files')
  const { message } = failures.TRANSCRIPTION_PROVIDER_REQUIRED
  expect((await rowsOf(job))[1]).toBe(`Transcript${message} TRANSCRIPTION_PROVIDER_REQUIRED`)
  await press(job, 'Play')
  await canPlay(job.locator('video'))

  await press(job, 'Recognize the speech for $0.03')
  await page.getByText('The imported file is used').waitFor()
  const sent = page.waitForRequest((request) => request.url().endsWith('/transcribe'))
  await page.getByRole('button', { name: 'Start', exact: true }).click()
  expect((await sent).postDataJSON()).toEqual({
    ...{ importId: await job.getAttribute('data-job'), provider: 'builtin', maxCostDollars: 0.03 },
  })
})

test('of an audio file the card plays the sound, and files in the bucket of the caller have their keys instead of links', async () => {
  await page.route('**/jobs/imp_*', async (route) => {
    const response = await route.fetch()
    const body = await response.json()
    for (const file of body.data.result.files) {
      if (file.kind === 'media') continue
      Object.assign(file, { url: `https://s3.example/films/${file.filename}`, key: `<b>/${file.filename}` })
    }
    await route.fulfill({ response, json: body })
  })
  const wanted = { includeVideo: false, captions: ['de'], formats: ['vtt', 'srt'] }
  const id = await client.start({ url: site.media('page/languages.html'), ...wanted })
  await client.ended(id)
  await page.reload()
  const job = page.locator(`.job[data-job="${id}"]`)
  await press(job, 'Files')
  const name = 'A page with captions in two languages.de'
  expect(await rowsOf(job)).toEqual([
    expect.stringMatching(/^Audio.*\.m4a$/),
    `Captions in German$0.01<b>/${name}.vtt<b>/${name}.srt`,
  ])
  await press(job, 'Play')
  await canPlay(job.locator('audio'))
})

test('the items of a batch say whether some of their files failed', async () => {
  const urls = [site.media('page/stale.html'), site.media('page/languages.html')]
  await client.post('/batches', { urls, import: { captions: 'all' } })
  await page.locator('.batch-state', { hasText: 'Completed' }).waitFor()
  await page.getByRole('button', { name: 'Items: ' }).click()
  const states = page.locator('.batch-stage td:nth-child(3)')
  await expect.poll(() => states.allTextContents()).toEqual(['completed, some files failed', 'completed'])
})
