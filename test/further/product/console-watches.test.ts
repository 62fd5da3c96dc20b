import { createServer } from 'node:http'
import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { listenOnLoopback } from '../../support/loopback.ts'
import type { AccountClient } from '../../support/product/api-client.ts'
import { browserFor, faultsOf } from '../../support/product/browser.ts'
import { product } from '../../support/product/product.ts'

/** Watches in the console, as a person uses them. */
const site = product()
const browser = browserFor(site)
let page: Page
let client: AccountClient

/** Episodes of feeds, by the name of the feed, newest first. */
const feeds = new Map<string, string[]>()
let feedServer: Awaited<ReturnType<typeof listenOnLoopback>>

const DATED = new Date(Date.UTC(2026, 9, 1)).toUTCString()

const feedOf = (name: string, episodes: string[]): string => {
  const items = episodes.map(
    (title) =>
      `<item><guid>${title}</guid><title>${title}</title><pubDate>${DATED}</pubDate><enclosure url="${site.media('media/tone.mp3')}?item=${title}" type="audio/mpeg"/></item>`,
  )
  return `<rss version="2.0"><channel><title>${name}</title>${items.join('')}</channel></rss>`
}

beforeAll(async () => {
  feedServer = await listenOnLoopback(
    createServer(({ url = '' }, response) => {
      const name = decodeURIComponent(url.slice(1))
      response.setHeader('content-type', 'application/rss+xml').end(feedOf(name, feeds.get(name) ?? []))
    }),
  )
})

afterAll(() => feedServer.close())

/** Starts a watch as another program does. */
const follow = async (name: string, episodes: string[], terms: object = {}): Promise<string> => {
  feeds.set(name, episodes)
  const watch = { url: `${feedServer.url}/${encodeURIComponent(name)}`, import: { includeVideo: false }, ...terms }
  return (await client.post<{ watchId: string }>('/watches', watch)).watchId
}

const choose = (name: string): Promise<void> => page.getByRole('radio', { name, exact: true }).check({ force: true })
const cardOf = (name: string): Locator => page.locator('.watch').filter({ has: page.getByRole('heading', { name }) })
const press = (card: Locator, name: string): Promise<void> => card.getByRole('button', { name: `${name}: ` }).click()
const showWatches = (): Promise<void> => page.getByRole('link', { name: 'Watches' }).click()
const focused = (): Promise<string | null | undefined> => page.evaluate(() => document.activeElement?.textContent)
const buttonsOf = (card: Locator): Promise<string[]> => card.locator('.watch-actions button').allTextContents()
const stateOf = (card: Locator, state: string): Promise<void> =>
  card.locator('.watch-state', { hasText: new RegExp(`^${state}$`) }).waitFor()
/** The title and the state of each item that is shown. */
const itemsOf = async (card: Locator): Promise<string[]> =>
  Promise.all(
    (await card.locator('.watch-items > li').all()).map(
      async (item) => `${await item.locator('a').textContent()} ${await item.locator('.state').textContent()}`,
    ),
  )

beforeEach(async () => {
  client = await site.newClient()
  page = await browser.newTab()
  await browser.openConsole(page, client.apiKey)
  await page.getByText('No jobs yet').waitFor()
})

test('a feed is followed with the form, and its watch shows what came, pauses, goes on and is removed', async () => {
  feeds.set('talks', ['three', 'two', 'one'])
  await showWatches()
  await page.getByText('No watches yet.').waitFor()
  await page.getByRole('button', { name: 'New watch' }).click()
  await page.getByLabel('Channel, playlist or feed URL').fill(`${feedServer.url}/talks`)
  await page.getByLabel('Newest items to take now').fill('1')
  await page.getByLabel('Maximum cost a month, $').fill('5')
  await choose('Audio only')
  await page.getByRole('button', { name: 'Start', exact: true }).click()

  await page.locator('.notice', { hasText: 'The watch takes the newest item at once' }).waitFor()
  expect(await focused()).toBe('Watches')
  const card = cardOf('talks')
  await stateOf(card, 'Active')
  expect(await card.locator('.watch-facts').textContent()).toMatch(/audiofeed of 127.*every hournext poll in/)
  await press(card, 'Items')
  await expect.poll(() => itemsOf(card)).toEqual(['three Completed', 'two Marked', 'one Marked'])
  await card.locator('.watch-budget', { hasText: /^\$0\.\d+ of \$5\.00 this month$/ }).waitFor()
  expect(await card.locator('.watch-items > li').first().textContent()).toContain('$0.')
  await card.getByRole('combobox', { name: 'Show' }).selectOption({ label: 'Marked' })
  await expect.poll(() => itemsOf(card)).toEqual(['two Marked', 'one Marked'])
  await card.getByText('They are never taken.').waitFor()
  await card.getByRole('combobox', { name: 'Show' }).selectOption({ label: 'Failed' })
  await card.getByText('No items.').waitFor()

  await card.getByRole('combobox', { name: 'Show' }).selectOption({ label: 'Completed' })
  await card.getByRole('button', { name: 'Show job: three' }).click()
  await page.locator('.job .job-state', { hasText: 'Completed' }).waitFor()
  await expect.poll(focused).toBe('Play')
  await showWatches()
  await press(card, 'Poll now')
  await card.getByRole('alert').filter({ hasText: 'at most once a minute' }).waitFor()
  await press(card, 'Pause')
  await stateOf(card, 'Paused')
  expect(await focused()).toBe('Resume')
  await press(card, 'Resume')
  await stateOf(card, 'Active')
  await press(card, 'Remove')
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await page.getByText('No watches yet.').waitFor()
  expect((await client.request('GET', '/watches')).body.data.watches).toEqual([])
})

test('a watch that only tells has no ceiling, and its items are links without jobs', async () => {
  feeds.set('news', ['two', 'one'])
  await choose('A channel or feed, from now on')
  await page.getByLabel('Channel, playlist or feed URL').fill(`${feedServer.url}/news`)
  await choose('Only tell')
  expect(await page.getByLabel('Maximum cost a month, $').isVisible()).toBe(false)
  expect(await page.getByText('Also:').isVisible()).toBe(false)
  await page.getByLabel('Newest items to take now').fill('2')
  await page.getByText('More options').click()
  await page.getByLabel('No titles with').fill('ONE')
  await page.getByRole('button', { name: 'Start', exact: true }).click()
  const card = cardOf('news')
  await stateOf(card, 'Active')
  await press(card, 'Items')
  await expect.poll(() => itemsOf(card)).toEqual(['two Told', 'one Filtered out'])
  expect(await card.locator('.watch-facts').textContent()).toContain('only tells')
  expect(await card.getByRole('link', { name: 'two' }).getAttribute('href')).toContain('/media/tone.mp3?item=two')
  expect(await card.getByRole('button', { name: 'Show job' }).count()).toBe(0)
  // The output of a watch is not that of one URL.
  await page.getByRole('link', { name: 'Jobs' }).click()
  await choose('One URL')
  expect(await page.getByRole('radio', { name: 'Video', exact: true }).isChecked()).toBe(true)
})

test('more new items than are taken unasked are told of at once, and are left or taken', async () => {
  const many = { since: '2026-01-01T00:00:00Z', maxNew: 1 }
  await showWatches()
  await Promise.all([follow('left', ['two', 'one'], many), follow('taken', ['two', 'one'], many)])
  await page.getByRole('link', { name: 'Watches 2 need attention' }).waitFor()
  const [left, taken] = [cardOf('left'), cardOf('taken')]
  await left.getByText('2 items are new at once').waitFor()
  expect(await buttonsOf(left)).toEqual(['Items', 'Take them', 'Leave them', 'Remove'])
  await press(left, 'Items')
  await expect.poll(() => itemsOf(left)).toEqual(['two Waiting', 'one Waiting'])
  await press(left, 'Leave them')
  await stateOf(left, 'Active')
  await expect.poll(() => itemsOf(left)).toEqual(['two Marked', 'one Marked'])
  expect(await left.getByRole('button', { name: 'Items: ' }).getAttribute('aria-expanded')).toBe('true')
  await press(taken, 'Take them')
  await press(taken, 'Items')
  await expect.poll(() => itemsOf(taken)).toEqual(['two Completed', 'one Completed'])
  await page.locator('#watches-wrong').waitFor({ state: 'hidden' })
})

test('a key that may not change watches is offered no buttons for it, and one that may not see them no link', async () => {
  await follow('seen', ['one'])
  const openWith = async (...scopes: string[]) => {
    const { apiKey } = await client.post<{ apiKey: string }>('/keys', { name: 'a key', scopes })
    page = await browser.newTab()
    await browser.openConsole(page, apiKey)
    await page.getByText('This key may only').waitFor()
  }
  await openWith('read')
  await showWatches()
  await stateOf(cardOf('seen'), 'Active')
  expect(await buttonsOf(cardOf('seen'))).toEqual(['Items'])
  expect(await page.getByRole('button', { name: 'New watch' }).isVisible()).toBe(false)
  await openWith('manage')
  expect(await page.getByRole('link', { name: 'Watches' }).isVisible()).toBe(false)
})

test.each([
  ['light', { width: 1280, height: 900 }],
  ['dark', { width: 390, height: 844 }],
] as const)('watches and their form are accessible, %s and %o', async (colorScheme, viewport) => {
  await follow('an episode '.repeat(20), ['one', 'a long title '.repeat(30)], { first: 1, maxCostDollarsPerMonth: 3 })
  await page.setViewportSize(viewport)
  await page.emulateMedia({ colorScheme })
  await choose('A channel or feed, from now on')
  await page.getByText('More options').click()
  expect(await faultsOf(page)).toEqual([])
  await showWatches()
  const card = page.locator('.watch')
  await stateOf(card, 'Active')
  await press(card, 'Items')
  await expect.poll(() => itemsOf(card)).toHaveLength(2)
  expect(await faultsOf(page)).toEqual([])
})
