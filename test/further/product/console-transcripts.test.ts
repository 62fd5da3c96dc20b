import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Locator, Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { respond } from '../../doubles/webhook-receiver.ts'
import type { AccountClient } from '../../support/product/api-client.ts'
import { browserFor, faultsOf, isTooWide } from '../../support/product/browser.ts'
import { product } from '../../support/product/product.ts'

/** A transcript in the console: its speakers, chapters and files. */
const site = product()
const browser = browserFor(site)
let page: Page
/** An account with the transcript of an episode, and its media. No test changes them. */
let client: AccountClient

const captions = `WEBVTT

00:00.500 --> 00:01.900
<v A>Is it raining in Norland?

00:02.100 --> 00:03.000
<v B>B: that is what I call an answer.

00:04.000 --> 00:05.800
<v A>It rains.
`
const chapters = [
  { startTime: 0, title: 'The question' },
  { startTime: 4, title: 'The weather' },
]

/** Transcribes an episode whose feed names captions with speakers, and chapters. Returns its address. */
const transcribeEpisode = async (account: AccountClient): Promise<string> => {
  const file = (text: string, type: string) => {
    const path = site.newPath()
    site.receiver.behave(path, respond(200, text, { 'content-type': type }))
    return `${site.receiver.url}${path}`
  }
  const media = site.media('media/faststart.mp4')
  const links = `<podcast:transcript url="${file(captions, 'text/vtt')}" type="text/vtt" language="en"/><podcast:chapters url="${file(JSON.stringify({ chapters }), 'application/json+chapters')}" type="application/json+chapters"/>`
  const feed = file(
    `<rss version="2.0"><channel><title>A podcast</title><item><title>Rain</title><enclosure url="${media}"/>${links}</item></channel></rss>`,
    'application/rss+xml',
  )
  const { batchId } = await account.post<{ batchId: string }>('/batches', { playlistUrl: feed, transcribe: {} })
  while ((await account.get<{ status: string }>(`/batches/${batchId}`)).status !== 'completed') await sleep(50)
  return media
}

beforeAll(async () => {
  client = await site.newClient()
  const media = await transcribeEpisode(client)
  await client.ended(await client.start({ url: media }))
})

const openTranscript = async ({ apiKey } = client, options = {}): Promise<Locator> => {
  page = await browser.newTab({ permissions: ['clipboard-read', 'clipboard-write'], ...options })
  await browser.openConsole(page, apiKey)
  const card = transcriptCard()
  await read(card)
  return card
}

const transcriptCard = (): Locator =>
  page
    .locator('.job')
    .filter({ has: page.getByRole('button', { name: 'Read: ' }) })
    .first()

const read = async (card: Locator): Promise<void> => {
  await card.getByRole('button', { name: 'Read: ' }).click()
  await card.locator('.reading').waitFor()
}

const speakers = (card: Locator) => card.getByRole('list', { name: 'Speakers' }).getByRole('button')
const chapterButtons = (card: Locator) => card.getByRole('list', { name: 'Chapters' }).getByRole('button')
const lineTexts = (card: Locator): Promise<string[]> => card.locator('.words li:not(.chapter) > span').allTextContents()

const save = async (card: Locator, name: string): Promise<{ name: string; text: string }> => {
  const [file] = await Promise.all([page.waitForEvent('download'), card.getByRole('button', { name }).click()])
  return { name: file.suggestedFilename(), text: await readFile(await file.path(), 'utf8') }
}

test('speakers have names and colours beside the player, and a chapter plays from its start and is marked', async () => {
  const card = await openTranscript()
  expect(await speakers(card).allTextContents()).toEqual(['A', 'B'])
  expect(await card.getByRole('list', { name: 'Speakers' }).getByRole('listitem').allTextContents()).toEqual([
    'A78 %',
    'B22 %',
  ])
  expect((await lineTexts(card))[0]).toBe('A: Is it raining in Norland?')
  expect(await card.locator('.words li:not(.chapter)').first().textContent()).toMatch(/^0:00/)
  const colours = await card
    .locator('.words [data-speaker]')
    .evaluateAll((names) => names.map((name) => getComputedStyle(name).color))
  expect(colours[0]).toBe(colours[2])
  expect(new Set(colours).size).toBe(2)

  expect(await chapterButtons(card).allTextContents()).toEqual(['0:00The question', '0:04The weather'])
  await chapterButtons(card).nth(1).focus()
  await page.keyboard.press('Enter')
  await card.locator('.chapters [aria-current="true"]', { hasText: 'The weather' }).waitFor()
  expect(await card.locator('video').evaluate((video: HTMLVideoElement) => video.currentTime)).toBeGreaterThanOrEqual(4)
  await card.locator('[data-now]', { hasText: 'It rains.' }).waitFor()
  await chapterButtons(card).nth(0).click()
  await card.locator('.chapters [aria-current="true"]', { hasText: 'The question' }).waitFor()
  expect(await card.locator('[aria-current]').count()).toBe(1)
})

test('a speaker is renamed with the keyboard or by a click on a line, here only, until the job is removed, and a chapter scrolls to its heading', async () => {
  const own = await site.newClient()
  await transcribeEpisode(own)
  let card = await openTranscript(own, { reducedMotion: 'reduce' })
  const requests: string[] = []
  await speakers(card).first().focus()
  page.on('request', (request) => requests.push(request.url()))
  await page.keyboard.press('Enter')
  const field = card.getByRole('textbox', { name: 'Name of speaker A' })
  await field.waitFor()
  await page.keyboard.type('Elinor <b>')
  await page.keyboard.press('Enter')
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Elinor <b>')
  expect(await page.locator('#announcement').textContent()).toBe('A is now Elinor <b>.')
  await card.locator('.words b').nth(1).click()
  await page.keyboard.type('Marianne')
  await page.keyboard.press('Escape')
  expect(await speakers(card).allTextContents()).toEqual(['Elinor <b>', 'B'])
  await card.locator('.words b').nth(1).click()
  await page.keyboard.type('Marianne')
  await card.getByRole('searchbox').click()
  await page.keyboard.type('elinor <b>:')
  expect(await card.locator('.search output').textContent()).toBe('1 of 2')
  expect(await lineTexts(card)).toEqual([
    ...[
      'Elinor <b>: Is it raining in Norland?',
      'Marianne: B: that is what I call an answer.',
      'Elinor <b>: It rains.',
    ],
  ])
  expect(requests).toEqual([])

  await page.reload()
  card = transcriptCard()
  await read(card)
  expect(await speakers(card).allTextContents()).toEqual(['Elinor <b>', 'Marianne'])
  await speakers(card).first().click()
  await card.getByRole('textbox', { name: 'Name of speaker A' }).fill('')
  await page.keyboard.press('Enter')
  expect(await speakers(card).allTextContents()).toEqual(['A', 'Marianne'])
  expect((await lineTexts(card))[2]).toBe('A: It rains.')

  // Without a player, a chapter scrolls the transcript to its heading.
  await page.setViewportSize({ width: 320, height: 640 })
  const list = card.getByRole('list', { name: 'Transcript' })
  await list.evaluate((element) => {
    element.style.maxHeight = '4rem'
  })
  await chapterButtons(card).nth(1).click()
  await expect.poll(() => list.evaluate((element) => element.scrollTop)).toBeGreaterThan(0)
  expect(await isTooWide(page)).toBe(false)

  await card.getByRole('button', { name: 'Remove: ' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await page.locator('.job-state', { hasText: 'Removed' }).waitFor()
  expect(await page.evaluate(() => Object.keys(localStorage))).toEqual([])
})

test('the export has every format, with speakers and chapters as chosen, and the names of this browser', async () => {
  const card = await openTranscript()
  await speakers(card).nth(1).click()
  await page.keyboard.type('Marianne')
  await page.keyboard.press('Enter')
  const button = card.getByRole('button', { name: 'Export: ' })
  await button.click()
  expect(await button.getAttribute('aria-expanded')).toBe('true')

  const paragraphs = [
    'The question',
    'A: Is it raining in Norland?',
    'Marianne: B: that is what I call an answer.',
    'The weather',
    'A: It rains.',
  ]
  const text = await save(card, 'Plain text .txt, with speakers and chapters')
  expect(text.name).toMatch(/^[^.]+\.txt$/)
  expect(text.text).toBe(`${paragraphs.join('\n\n')}\n`)
  await card.getByRole('button', { name: 'Copy as plain text' }).click()
  await page.getByText('The transcript was copied.').waitFor()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(text.text)

  // The rules of each format are tests of transcript-file.js.
  expect((await card.locator('.export').getByRole('button').allTextContents()).join()).toMatch(
    /\.txt.*\.md.*\.srt.*\.vtt.*\.tsv.*\.json/,
  )
  const srt = await save(card, 'SubRip subtitles .srt, with speakers')
  expect(srt.name).toMatch(/\.srt$/)
  expect(srt.text).toMatch(/^1\r\n00:00:00,500 --> /)
  expect(srt.text).toContain('\r\n\r\n2\r\n00:00:02,100 --> 00:00:03,000\r\nMarianne: B: that is what')
  const json = JSON.parse((await save(card, 'JSON .json, with speakers and chapters')).text)
  expect(json).toMatchObject({ chapters: [{}, {}], segments: [{ speaker: 'A' }, { speaker: 'Marianne' }, {}] })

  await card.getByRole('checkbox', { name: 'Speakers' }).uncheck()
  await card.getByRole('checkbox', { name: 'Chapters' }).uncheck()
  const plain = await save(card, 'Plain text .txt')
  expect(plain.text).toBe('Is it raining in Norland?\n\nB: that is what I call an answer.\n\nIt rains.\n')
  await button.click()
  expect(await card.locator('.export').count()).toBe(0)
  // The transcript below stays open.
  expect(await speakers(card).count()).toBe(2)
})

test('the transcript and its export have no faults of accessibility, in light and dark mode', async () => {
  const card = await openTranscript()
  await card.getByRole('button', { name: 'Export: ' }).click()
  await speakers(card).first().click()
  await card.getByRole('textbox', { name: 'Name of speaker A' }).waitFor()
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    expect([colorScheme, await faultsOf(page, { within: '.job-reading, .job-export, .job-form' })]).toEqual([
      colorScheme,
      [],
    ])
  }
})

test('the form asks for speakers, names, a prompt and a translation, and keeps them for the next job', async () => {
  page = await browser.newTab()
  await browser.openConsole(page, client.apiKey)
  await page.getByRole('radio', { name: 'Transcript only', exact: true }).check({ force: true })
  await page.getByRole('combobox', { name: 'Transcript from' }).selectOption('builtin')
  expect(await page.getByLabel('Speakers at most').isVisible()).toBe(false)
  await page.getByLabel('Who speaks').check()
  await page.getByLabel('Speakers at most').fill('3')
  await page.getByLabel('Names and terms that may be said').fill('Elinor Dashwood, Barton Park\nNorland')
  await page.getByText('More options').click()
  await page.getByLabel('What the speech is about').fill('A novel by Jane Austen.')
  await page.getByLabel('Translate into English').check()
  await page.getByLabel('Media URL').fill(site.media('media/not-there.mp4'))
  const sent = page.waitForRequest((request) => request.url().endsWith('/transcribe'))
  await page.getByRole('button', { name: 'Start', exact: true }).click()
  expect((await sent).postDataJSON()).toEqual({
    ...{ url: site.media('media/not-there.mp4'), provider: 'builtin', speakers: { max: 3 }, translate: 'en' },
    ...{ keywords: ['Elinor Dashwood', 'Barton Park', 'Norland'], prompt: 'A novel by Jane Austen.' },
  })
  await page.getByRole('combobox', { name: 'Transcript from' }).selectOption('captions')
  for (const name of ['Who speaks', 'Names and terms', 'What the speech is about', 'Translate into English'])
    expect([name, await page.getByLabel(name).isVisible()]).toEqual([name, false])
})
