import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { type Haul, startHaul } from '../../scripts/start/haul.ts'
import { failures } from '../../worker/domain/codes/failures.ts'
import { refusals } from '../../worker/domain/codes/refusals.ts'
import { fixture } from '../origin/fixtures.ts'
import { type Origin, startOrigin } from '../origin/origin.ts'
import { openTab, startBrowser } from './browser.ts'
import { createCaller } from './caller.ts'

/** The console and the reference as a person sees them: a real Chromium before the whole product. */
let haul: Haul
let origin: Origin
let browser: Browser
let folder: string
let page: Page
let apiKey: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'haul-console-'))
  origin = await startOrigin()
  const env = { ...process.env, ALLOW_PRIVATE_HOSTS: origin.host }
  haul = await startHaul({ stateDir: join(folder, 'state'), env })
  browser = await startBrowser()
})

afterAll(async () => {
  await browser?.close()
  await haul?.stop()
  await origin?.close()
  await rm(folder, { recursive: true, force: true })
})

/** A tab of its own; whatever it was used for, it never broke the page's own policy. */
const newTab = async (options: Parameters<typeof openTab>[2] = {}): Promise<Page> => {
  const tab = await openTab(browser, haul.baseUrl, options)
  tab.page.setDefaultTimeout(30_000)
  onTestFinished(async () => {
    await tab.context.close()
    expect(tab.faults).toEqual([])
  })
  return tab.page
}

/** An account of its own, so that no test sees what another left. */
const newKey = async (): Promise<{ apiKey: string; accountId: string; keyId: string }> => {
  const operator = createCaller(haul.baseUrl, haul.adminToken)
  const { body } = await operator.ask('POST', '/admin/accounts', { name: 'Ada Lovelace', creditDollars: 10 })
  return body.data
}

const open = async (tab: Page, key: string): Promise<void> => {
  await tab.goto(haul.baseUrl)
  await tab.getByLabel('API key').fill(key)
  await tab.getByRole('button', { name: 'Open console' }).click()
}

const media = (path: string): string => `${origin.url}/${path}`
const slow = (): string => media('generated/30000000.mp4?ratePerSecond=2000000')

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

test('without a key it says how to get one, and a wrong one is refused in the API’s own words and kept nowhere', async () => {
  page = await newTab()
  await page.goto(haul.baseUrl)
  expect(await page.getByText('npm start', { exact: true }).last().isVisible()).toBe(true)
  expect(await page.getByText('/admin/accounts').isVisible()).toBe(true)
  await open(page, 'haul_wrong')
  const alert = page.getByRole('alert').filter({ hasText: refusals.UNAUTHORIZED.message })
  await alert.waitFor()
  expect(await alert.textContent()).toMatch(/UNAUTHORIZED · req_\w+$/)
  expect(await page.evaluate(() => ({ ...sessionStorage, ...localStorage }))).toEqual({})
  expect(await page.getByLabel('Media URL').isVisible()).toBe(false)
})

test('a key lives in the tab’s session storage and nowhere else, and is gone when it is forgotten', async () => {
  const made = await newKey()
  page = await newTab()
  await open(page, made.apiKey)
  await page.getByText('Ada Lovelace').waitFor()
  expect(await page.evaluate(() => Object.values(sessionStorage))).toEqual([made.apiKey])
  expect(await page.evaluate(() => [Object.values(localStorage), document.cookie, location.href])).toEqual([
    [],
    '',
    `${haul.baseUrl}/`,
  ])
  await page.reload()
  await page.getByText('Ada Lovelace').waitFor()
  await page.getByRole('button', { name: 'Forget key' }).click()
  await page.getByLabel('API key').waitFor()
  expect(await page.evaluate(() => Object.values(sessionStorage))).toEqual([])
})

test('a key that is revoked while the console is open leads back to the entrance', async () => {
  const made = await newKey()
  page = await newTab()
  await open(page, made.apiKey)
  // Until all has been read, the page would find out by itself, and the button would be gone.
  await page.getByText('Nothing hauled yet').waitFor()
  await createCaller(haul.baseUrl, haul.adminToken).ask(
    'DELETE',
    `/admin/accounts/${made.accountId}/keys/${made.keyId}`,
  )
  await page.getByRole('button', { name: 'Refresh' }).click()
  await page.getByRole('alert').filter({ hasText: 'UNAUTHORIZED' }).waitFor()
  expect(await page.getByLabel('Media URL').isVisible()).toBe(false)
  expect(await page.evaluate(() => Object.values(sessionStorage))).toEqual([])
})

describe('with a key', () => {
  beforeEach(async () => {
    apiKey = (await newKey()).apiKey
    page = await newTab({ permissions: ['clipboard-read', 'clipboard-write'] })
    await open(page, apiKey)
    await page.getByText('Nothing hauled yet').waitFor()
  })

  test('a URL becomes a video that plays by ranges, with its picture, its price and its link', async () => {
    const job = await haulIt(media('media/faststart.mp4'))
    await stateOf(job, 'Done')
    expect(await news()).toBe('faststart is done.')
    await job.locator('.thumb img').waitFor()
    expect(await factsOf(job)).toEqual(
      expect.arrayContaining(['6 s', '640 × 360', expect.stringMatching(/^\$0\.0056/)]),
    )

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
    await page.keyboard.type(media('media/faststart.mp4'))
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
    const job = await haulIt(media('media/tail-index.mp4'), 'Sound')
    await stateOf(job, 'Done')
    await act(job, 'Play')
    await canPlay(job.locator('audio'))
    expect(await job.locator('video').count()).toBe(0)
  })

  test('a failing import says why, in words and with its code, also after a reload', async () => {
    const job = await haulIt(media('page/none.html'))
    await stateOf(job, 'Failed')
    const said = `${failures.SOURCE_UNSUPPORTED.message} SOURCE_UNSUPPORTED`
    expect(await job.locator('.job-facts').textContent()).toContain(said)
    expect(await news()).toContain(failures.SOURCE_UNSUPPORTED.message)
    await page.reload()
    await page.getByText(said).waitFor()
    await act(page.locator('.job'), 'Again')
    expect(await page.getByLabel('Media URL').inputValue()).toBe(media('page/none.html'))
  })

  test('what the API refuses is said with code and request id, and the order stays to be corrected', async () => {
    await page.getByLabel('Media URL').fill('talk.mp4')
    await page.getByRole('button', { name: 'Haul', exact: true }).click()
    await page.getByText('Enter a web address').waitFor()
    await page.getByLabel('Media URL').fill(media('media/not-there.mp4'))
    await page.getByRole('button', { name: 'Haul', exact: true }).click()
    const alert = page.getByRole('alert').filter({ hasText: refusals.UNREACHABLE_URL.message })
    await alert.waitFor()
    expect(await alert.textContent()).toMatch(/UNREACHABLE_URL · req_\w+$/)
    expect(await page.getByLabel('Media URL').inputValue()).toBe(media('media/not-there.mp4'))
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
    const job = await haulIt(media('generated/12000000.mp4?ratePerSecond=3000000'))
    await job.locator('.job-facts', { hasText: 'Downloading' }).waitFor()
    await haul.killWorker('SIGKILL')
    await haul.ready()
    await stateOf(job, 'Done')
  })

  test('looking tells formats and prices, and a price that is pressed fills in the order', async () => {
    await page.getByLabel('Media URL').fill(media('media/hls-fmp4/master.m3u8'))
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
    const job = await haulIt(media('page/video.html'), 'Words')
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
    const job = await haulIt(media('media/faststart.mp4'), 'Words')
    await stateOf(job, 'Failed')
    expect(await job.textContent()).toContain('TRANSCRIPTION_PROVIDER_REQUIRED')
    await job.getByRole('button', { name: 'Transcribe for $0.03' }).click()
    expect(await page.getByRole('combobox', { name: 'From' }).inputValue()).toBe('builtin')
    expect(await page.getByLabel('Media URL').inputValue()).toBe(media('media/faststart.mp4'))
  })

  test('removing asks first, and is remembered', async () => {
    const job = await haulIt(media('media/faststart.mp4'))
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
    const caller = createCaller(haul.baseUrl, apiKey)
    for (let count = 0; count < 22; count++)
      await caller.ask('DELETE', `/jobs/${await caller.start({ url: media('media/faststart.mp4') })}`)
    await page.getByRole('button', { name: 'Refresh' }).click()
    await page.getByRole('button', { name: 'Show older jobs' }).click()
    await page.locator('.job').nth(21).waitFor()
    expect(await page.getByRole('button', { name: 'Show older jobs' }).isVisible()).toBe(false)

    const job = await haulIt(media('generated/4000000.mp4?ratePerSecond=2000000'))
    await job.locator('.job-facts', { hasText: 'Downloading' }).waitFor()
    const running = await job.boundingBox()
    await stateOf(job, 'Done')
    expect((await job.boundingBox())?.height).toBe(running?.height)
  })
})

describe('on a phone', () => {
  test.each(['/', '/docs'])('%s fits into 320 pixels, in the dark too', async (path) => {
    page = await newTab({ viewport: { width: 320, height: 640 }, colorScheme: 'dark' })
    if (path === '/') await open(page, (await newKey()).apiKey)
    else await page.goto(`${haul.baseUrl}${path}`)
    await page
      .getByText(path === '/' ? 'Nothing hauled yet' : 'Idempotency-Key')
      .first()
      .waitFor()
    const tooWide = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    )
    expect(tooWide).toBeLessThanOrEqual(0)
    const [ground, ink] = await page.evaluate(() => {
      const { backgroundColor, color } = getComputedStyle(document.body)
      return [backgroundColor, color].map((text) => Number(/\d+/.exec(text)?.[0]))
    })
    expect(ground).toBeLessThan(ink ?? 0)
  })
})

test('the reference needs no script, and lists every path, every event and every code', async () => {
  page = await newTab({ javaScriptEnabled: false })
  const response = await page.goto(`${haul.baseUrl}/docs`)
  expect(response?.headers()['content-security-policy']).toMatch(
    /^default-src 'none'; style-src 'self'; img-src 'self';/,
  )
  const { body: document } = await createCaller(haul.baseUrl, '').ask('GET', '/openapi.json')
  const endpoints = Object.entries<object>(document.paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
  )
  expect(endpoints.length).toBeGreaterThan(20)
  const headings = (await page.getByRole('heading', { level: 3 }).allTextContents()).map((text) => text.trim())
  expect(headings.toSorted()).toEqual(endpoints.toSorted())
  const codes = (await page.locator('td code').allTextContents()).toSorted()
  const known = [...Object.keys(refusals), ...Object.keys(failures), ...Object.keys(document.webhooks)]
  expect(codes).toEqual(expect.arrayContaining(known))
})

test('every link of the reference leads somewhere, and no two places share a name', async () => {
  page = await newTab()
  await page.goto(`${haul.baseUrl}/docs`)
  const { lost, repeated } = await page.evaluate(() => {
    const ids = [...document.querySelectorAll('[id]')].map(({ id }) => id)
    const links = [...document.querySelectorAll('a[href^="#"]')].map(
      (link) => link.getAttribute('href')?.slice(1) ?? '',
    )
    return {
      lost: links.filter((id) => !ids.includes(id)),
      repeated: ids.filter((id, index) => ids.indexOf(id) !== index),
    }
  })
  expect([lost, repeated]).toEqual([[], []])
})

test.each(['/', '/assets/main.js', '/assets/base.css', '/docs'])(
  '%s is served so that nothing foreign runs in it',
  async (path) => {
    const { headers, status } = await fetch(`${haul.baseUrl}${path}`)
    expect(status).toBe(200)
    const policy = headers.get('content-security-policy')
    expect(policy).toMatch(/^default-src 'none';/)
    expect(policy).toContain("base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
    expect(policy).not.toMatch(/unsafe|https?:|data:|\*/)
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('referrer-policy')).toBe('no-referrer')
    expect(headers.get('cache-control')).toMatch(/^public, max-age=/)
  },
)

test.each(['/_headers', '/tsconfig.json', '/types.d.ts', '/.assetsignore'])('%s is not for visitors', async (path) => {
  expect((await fetch(`${haul.baseUrl}${path}`)).status).toBe(404)
})
