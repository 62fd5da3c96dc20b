import type { Locator, Page } from 'playwright-core'
import { beforeAll, expect, test, vi } from 'vitest'
import { respond } from '../../doubles/webhook-receiver.ts'
import type { AccountClient } from '../../support/product/api-client.ts'
import { browserFor, faultsOf } from '../../support/product/browser.ts'
import { product } from '../../support/product/product.ts'

/** The search for what was said, in the console. */
const site = product()
const browser = browserFor(site)
let page: Page
/** An account with an import of a page, and a transcript of its captions. No test changes them. */
let client: AccountClient
let importId: string

const captions = `WEBVTT

00:00.500 --> 00:01.900
<v A>Is it raining in Norland?

00:02.100 --> 00:03.000
<v B>That is what I call an <b>answer</b>: &lt;script&gt; and &lt;b&gt;.

00:04.000 --> 00:05.800
<v A>It rains, and it rains.
`

/** A page with a video of six seconds, and its captions. */
const pageWith = (title: string, text: string): string => {
  const file = (content: string, extension: string, type: string) => {
    const path = `${site.newPath()}.${extension}`
    site.receiver.behave(path, respond(200, content, { 'content-type': type }))
    return `${site.receiver.url}${path}`
  }
  const track = `<track kind="captions" srclang="en" src="${file(text, 'vtt', 'text/vtt')}">`
  const video = `<video src="${site.media('media/faststart.mp4')}">${track}</video>`
  return file(`<!doctype html><title>${title}</title>${video}`, 'html', 'text/html')
}

/** Transcribes by captions. Resolves when the job has completed. */
const transcribed = async (account: AccountClient, source: object): Promise<string> => {
  const { jobId } = await account.post<{ jobId: string }>('/transcribe', source)
  expect((await account.ended(jobId)).status).toBe('completed')
  return jobId
}

/** Waits until so many places are found. */
const isFound = (account: AccountClient, query: string, count: number): Promise<void> =>
  vi.waitFor(async () => {
    const { results } = (await account.request('GET', `/search?limit=50&q=${encodeURIComponent(query)}`)).body.data
    expect(results).toHaveLength(count)
  }, 60_000)

beforeAll(async () => {
  client = await site.newClient()
  const url = pageWith('Rain over Norland', captions)
  importId = await client.start({ url, captions: 'all' })
  expect((await client.ended(importId)).status).toBe('completed')
  await transcribed(client, { url })
  await isFound(client, 'rains', 2)
  await isFound(client, 'Norland', 4)
})

const open = async (apiKey = client.apiKey): Promise<void> => {
  page = await browser.newTab()
  await browser.openConsole(page, apiKey)
  await said().waitFor()
}

const said = (): Locator => page.getByRole('searchbox', { name: 'Search what was said' })
const results = (): Locator => page.locator('.found-item')
const heading = (text: string): Promise<void> => page.getByRole('heading', { name: text, exact: true }).waitFor()
const announcement = (): Promise<string | null> => page.locator('#announcement').textContent()
const focused = (): Promise<string | null> =>
  page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? '')

/** The result of the import, which plays. */
const playable = (): Locator =>
  results()
    .filter({ has: page.getByRole('button', { name: 'Play from' }) })
    .first()

const secondsOf = (player: Locator): Promise<number> =>
  player.evaluate(async (media: HTMLMediaElement) => {
    while (media.readyState < 2 || media.seeking) await new Promise((resolve) => setTimeout(resolve, 20))
    return media.currentTime
  })

test('what was said is found while a person types, and plays at its second', async () => {
  await open()
  await page.locator('.job').first().waitFor()
  const asked: string[] = []
  page.on('request', (request) => {
    const { pathname, searchParams } = new URL(request.url())
    if (pathname === '/search') asked.push(`${searchParams.get('q')} ${searchParams.get('sort')}`)
  })
  await said().pressSequentially('RAINS')
  await heading('2 results')
  expect(await announcement()).toBe('2 results.')
  expect(await page.locator('.job').first().isVisible()).toBe(false)
  // Not once for each letter.
  expect(asked.at(-1)).toBe('RAINS relevance')
  expect(asked.length).toBeLessThan(4)

  const result = playable()
  expect(await result.getByRole('heading').textContent()).toBe('Rain over Norland')
  expect(await result.locator('.found-words').textContent()).toBe('A: It rains, and it rains.')
  expect(await result.locator('mark').allTextContents()).toEqual(['rains', 'rains'])
  await result.getByRole('button', { name: 'Play from 0:04: Rain over Norland' }).click()
  expect(await secondsOf(result.locator('video'))).toBeGreaterThanOrEqual(4)
  await result.locator('video').evaluate((media: HTMLMediaElement) => {
    media.pause()
    media.currentTime = 0
  })
  await result.locator('.found-words').click()
  await expect.poll(() => secondsOf(result.locator('video'))).toBeGreaterThanOrEqual(4)

  await page.getByRole('combobox', { name: 'Order of results' }).selectOption('Newest first')
  await expect.poll(() => asked.at(-1)).toBe('RAINS newest')
  await heading('2 results')
  await said().press('Escape')
  await page.locator('.job').first().waitFor()
  expect(await results().count()).toBe(0)
  expect(await page.locator('video').count()).toBe(0)
})

test('one player is open at a time, and a match in the title plays from the start', async () => {
  await open()
  await said().fill('norland')
  await heading('4 results')
  const [title] = await results()
    .filter({ hasNot: page.locator('.found-words') })
    .all()
  expect(await title?.locator('mark').allTextContents()).toEqual(['Norland'])
  const buttons = results().getByRole('button', { name: 'Play from' })
  expect(await buttons.count()).toBe(2)
  for (const button of await buttons.all()) {
    await button.click()
    await expect.poll(() => page.locator('video').count()).toBe(1)
  }
  await results().getByRole('button', { name: 'Play from 0:00: Rain over Norland' }).first().click()
  expect(await secondsOf(page.locator('video'))).toBeLessThan(4)
})

test('a transcript whose file is not here opens its page in a new tab, and one of an import plays', async () => {
  const own = await site.newClient()
  const url = pageWith('Rain again', captions)
  await transcribed(own, { url })
  await isFound(own, 'rains', 1)
  await open(own.apiKey)
  await said().fill('rains')
  const [tab] = await Promise.all([
    page.waitForEvent('popup'),
    results().getByRole('link', { name: 'Open at 0:04: Rain again' }).click(),
  ])
  expect(tab.url()).toBe(url)
  expect(await tab.evaluate(() => [window.opener, document.referrer])).toEqual([null, ''])

  const stored = await own.start({ url })
  expect((await own.ended(stored)).status).toBe('completed')
  const link = { link: `${site.haul.baseUrl}/media/${stored}/rain.mp4?signature=1#t=4` }
  await page.route('**/search?*', async (route) => {
    const response = await route.fetch()
    const body = await response.json()
    // As of a transcript of this import.
    await route.fulfill({ json: { ...body, data: { ...body.data, results: [{ ...body.data.results[0], ...link }] } } })
  })
  await said().press('Enter')
  await results().getByRole('button', { name: 'Play from 0:04: Rain again' }).click()
  expect(await secondsOf(results().locator('video'))).toBeGreaterThanOrEqual(4)

  // Its file is gone while the result is shown.
  await own.request('DELETE', `/jobs/${stored}`)
  await said().press('Enter')
  await results().locator('video').waitFor({ state: 'detached' })
  const [again] = await Promise.all([
    page.waitForEvent('popup'),
    results().getByRole('button', { name: 'Play from 0:04: Rain again' }).click(),
  ])
  expect(again.url()).toBe(url)
})

test('a result leads to its job, and a job that is started ends the search', async () => {
  await open()
  await said().fill('rains')
  await playable().getByRole('button', { name: 'Show job: Rain over Norland' }).click()
  const card = page.locator(`.job[data-job="${importId}"]`)
  await card.waitFor()
  expect(await said().inputValue()).toBe('')
  await expect.poll(focused).toBe('Play: Rain over Norland')

  const own = await site.newClient()
  await open(own.apiKey)
  await said().fill('rains')
  await heading('Nothing found')
  await page.getByLabel('Media URL').fill(site.media('media/faststart.mp4'))
  await page.getByRole('button', { name: 'Start', exact: true }).click()
  await page.locator('.job').waitFor()
  expect(await page.locator('#found-section').isVisible()).toBe(false)
})

test('more results come page by page, and the focus goes to the first of them', async () => {
  const own = await site.newClient()
  const cues = Array.from({ length: 25 }, (_, index) => {
    const time = (seconds: number) => `00:0${seconds.toFixed(3)}`
    return `${time(index / 5)} --> ${time(index / 5 + 0.15)}\n<v ${index % 2 ? 'A' : 'B'}>Drop ${index}.`
  })
  await transcribed(own, { url: pageWith('Drops of rain', `WEBVTT\n\n${cues.join('\n\n')}\n`) })
  await isFound(own, 'drop', 25)
  await open(own.apiKey)
  await said().fill('drop')
  await heading('The first 20 results')
  await page.getByRole('button', { name: 'Show more results' }).click()
  await heading('25 results')
  expect(await page.getByRole('button', { name: 'Show more results' }).isVisible()).toBe(false)
  const words = await results().locator('.found-words').allTextContents()
  expect(new Set(words).size).toBe(25)
  const at = await results().nth(20).getByRole('link', { name: 'Open at' }).getAttribute('aria-label')
  expect(await focused()).toBe(at)
})

test('where nothing is found, the page says what is searched and how, and the jobs come back', async () => {
  await open()
  await said().fill('xylophone')
  await heading('Nothing found')
  expect(await announcement()).toBe('Nothing found.')
  const text = await page.locator('#nothing-said').textContent()
  expect(text).toContain('transcripts, captions and titles')
  for (const way of ['"a phrase"', 'word*', '-word']) expect(text).toContain(way)
  await said().fill('"it rains" -xylophone')
  await heading('2 results')
  expect(await page.locator('#nothing-said').isVisible()).toBe(false)
  await page.getByRole('button', { name: 'Clear' }).click()
  await page.locator('.job').first().waitFor()
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('said-query')
})

test('an error is shown with its code, and Enter searches again', async () => {
  await open()
  await said().fill('-rains')
  await page.getByRole('alert').filter({ hasText: 'INVALID_REQUEST' }).waitFor()
  await page.route('**/search?*', (route) =>
    route.fulfill({
      status: 503,
      json: { success: false, error: 'The index of words does not answer.', code: 'SERVICE_UNAVAILABLE' },
    }),
  )
  await said().fill('rains')
  const alert = page.getByRole('alert').filter({ hasText: 'SERVICE_UNAVAILABLE' })
  await alert.waitFor()
  expect(await page.locator('#nothing-said').isVisible()).toBe(false)
  await page.unrouteAll()
  await said().press('Enter')
  await heading('2 results')
  expect(await alert.count()).toBe(0)
})

test('a search is aborted by the next one', async () => {
  await open()
  await page.route('**/search?q=answer*', () => {})
  const aborted = page.waitForEvent('requestfailed', (request) => request.url().includes('q=answer'))
  await said().fill('answer')
  await said().press('Enter')
  await said().fill('rains')
  await said().press('Enter')
  expect((await aborted).failure()?.errorText).toBe('net::ERR_ABORTED')
  await heading('2 results')
})

test('an account without an index says so, and a key that may turns it on again', async () => {
  const own = await site.newClient()
  await transcribed(own, { url: pageWith('Rain', captions) })
  await isFound(own, 'rains', 1)
  await own.request('PATCH', '/account', { index: false })
  const { apiKey } = await own.post<{ apiKey: string }>('/keys', { name: 'reads', scopes: ['read'] })
  await isFound(own, 'rains', 0)
  await open(apiKey)
  await said().fill('rains')
  await page.getByText('Search is off for this account').waitFor()
  await page.getByText('A key with the scope manage can turn it on.').waitFor()
  expect(await page.getByRole('button', { name: 'Turn search on' }).count()).toBe(0)

  await open(own.apiKey)
  await said().fill('rains')
  await page.getByRole('button', { name: 'Turn search on' }).click()
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toMatch(/^Search is on\./)
  await isFound(own, 'rains', 1)
  await said().press('Enter')
  await heading('One result')
})

test('a key that only starts jobs searches those, and one that sees no jobs has no search', async () => {
  const { apiKey } = await client.post<{ apiKey: string }>('/keys', { name: 'starts', scopes: ['import'] })
  await open(apiKey)
  await said().fill('rains')
  await heading('Nothing found')
  const managing = await client.post<{ apiKey: string }>('/keys', { name: 'manages', scopes: ['manage'] })
  page = await browser.newTab()
  await browser.openConsole(page, managing.apiKey)
  await page.getByText('This key may only manage.').waitFor()
  expect(await said().isVisible()).toBe(false)
})

test.each([
  ['light', { width: 1280, height: 900 }],
  ['dark', { width: 390, height: 844 }],
] as const)('results are text and accessible, %s and %o', async (colorScheme, viewport) => {
  await open()
  await page.setViewportSize(viewport)
  await page.emulateMedia({ colorScheme })
  await said().fill('script')
  await heading('2 results')
  expect(await playable().locator('.found-words').textContent()).toContain('answer: <script> and <b>.')
  await playable().getByRole('button', { name: 'Play from' }).click()
  await page.locator('video').waitFor()
  const within = '#said-search, #found-section'
  expect(await faultsOf(page, { within })).toEqual([])
  await said().fill('xylophone')
  await heading('Nothing found')
  expect(await faultsOf(page, { within })).toEqual([])
})
