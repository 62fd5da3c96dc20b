import type { Locator, Page } from 'playwright-core'
import { beforeEach, expect, test } from 'vitest'
import { sizeOfFixture } from '../../doubles/origin/fixtures.ts'
import type { ApiClient } from '../../support/product/api-client.ts'
import { browserFor, isTooWide } from '../../support/product/browser.ts'
import { ownProduct } from '../../support/product/product.ts'

/**
 * The page for operators, with a fleet of three engines that each do one import at a time. The first test counts the
 * jobs of all accounts, so no other test has started one before.
 */
const ENGINES = 3
const site = ownProduct(() => ({ engines: ENGINES, env: { ENGINE_NETWORK_PLACES: '1' } }))
const browser = browserFor(site)
const NAME = `<img src="x" onerror="window.fault('a script in a name ran')">`

let page: Page

const signIn = async (token: string): Promise<void> => {
  await page.goto(`${site.haul.baseUrl}/ops`)
  await page.getByLabel('Operator token').fill(token)
  await page.keyboard.press('Enter')
}

const open = async (): Promise<void> => {
  await signIn(site.haul.adminToken)
  await page.getByText('Numbers from').waitFor()
}

const rowOf = (table: string, text: string): Locator =>
  page.getByRole('table', { name: table, exact: true }).locator('tbody tr', { hasText: text })

/** Refreshes the page until it has these numbers, by their metric. What it makes of samples, metrics.js says. */
const expectNumbers = (expected: Record<string, unknown>): Promise<void> =>
  expect
    .poll(async () => {
      const round = page.waitForResponse((response) => response.url().endsWith('/admin/metrics'))
      await Promise.all([round, page.getByRole('button', { name: 'Refresh' }).click()])
      const numbers = page.locator('data[data-metric]')
      return Object.fromEntries(
        await numbers.evaluateAll((all) =>
          all.map((each) => [each.dataset.metric, Number(each.getAttribute('value'))]),
        ),
      )
    })
    .toMatchObject(expected)

/** Takes longer than the test. */
const slow = (index: number): string => site.media(`generated/${60_000_000 + index}.mp4?ratePerSecond=200000`)

beforeEach(async () => {
  page = await browser.newTab()
})

test('the page shows three engines, the numbers of GET /admin/metrics, failures, dead webhooks and accounts', {
  timeout: 120_000,
}, async () => {
  const first = await site.newClient({ name: NAME })
  const second = await site.newClient({ name: 'Grace Hopper' })
  await first.ended(await first.start({ url: site.media('media/faststart.mp4') }))
  const webhookUrl = site.media('hook?status=410')
  const failed = await first.ended(await first.start({ url: site.media('page/none.html'), webhookUrl }))
  expect(failed.code).toBe('SOURCE_UNSUPPORTED')
  const canceled = await first.start({ url: slow(0) })
  await first.request('DELETE', `/jobs/${canceled}`)

  // An account reports what it holds when one of its jobs ends, and otherwise only after a minute. So each account has
  // a job that is canceled once the imports below have started.
  const others: [ApiClient, string][] = []
  for (const [index, client] of [first, second].entries()) {
    const limits = { concurrentJobs: { import: 3 } }
    await site.operator().request('PATCH', `/admin/accounts/${client.accountId}`, { limits })
    const jobId = await client.start({ url: slow(4 + index) })
    // If a job is canceled while its step waits, the step is counted as waiting until a place is free.
    await client.until(jobId, ({ progress }) => (progress?.downloadedBytes ?? 0) > 0)
    others.push([client, jobId])
  }
  // Three of four imports have the three places.
  const running: [ApiClient, string][] = []
  for (const [index, client] of [first, second, first, second].entries())
    running.push([client, await client.start({ url: slow(index) })])
  for (const [client, jobId] of others) await client.request('DELETE', `/jobs/${jobId}`)
  await open()
  await expectNumbers({
    'haul_engines{state="running"}': ENGINES,
    'haul_engine_places{kind="network"}': ENGINES,
    'haul_engine_places_taken{kind="network"}': ENGINES,
    haul_steps_waiting: 1,
    'haul_steps_waiting{step="fetch"}': 1,
    'haul_jobs_ended_total{outcome="completed"}': 1,
    'haul_jobs_ended_total{outcome="failed"}': 1,
    'haul_jobs_ended_total{outcome="canceled"}': 3,
    'haul_webhook_attempts_total{outcome="failed"}': 1,
    haul_dead_letters_total: 0,
    haul_held_dollars: 2.400003,
    // $0.01 for each MB.
    haul_charged_dollars_total: Math.ceil(sizeOfFixture('faststart.mp4') / 100) / 1_000_000,
  })
  expect(await page.locator('#engines tbody tr').count()).toBe(ENGINES)
  expect(await page.locator('#engines .state').allTextContents()).toEqual(Array(ENGINES).fill('running'))
  await rowOf('Failures by source and code', 'SOURCE_UNSUPPORTED').filter({ hasText: '127.0.0.1' }).waitFor()
  await rowOf('Dead webhooks', 'import.failed').filter({ hasText: '410' }).waitFor()
  await rowOf('Accounts', NAME).getByText('2', { exact: true }).waitFor()
  await page.getByText('In the last day: 1 failed, 3 canceled, 1 completed').waitFor()
  // An outcome of the last hour is a bar, and one that nothing had is as high as none.
  const bars = page.locator('#outcomes-plot rect')
  expect(await bars.evaluateAll((all) => all.filter((bar) => Number(bar.getAttribute('height')) > 0).length)).toBe(3)
  await page.locator('#causes-plot rect').last().hover()
  await page.getByText(/^\d\d:00–\d\d:00: 1 SOURCE_UNSUPPORTED \(127\.0\.0\.1\)$/).waitFor()

  for (const [client, jobId] of running) await client.request('DELETE', `/jobs/${jobId}`)
  await expectNumbers({ 'haul_jobs_ended_total{outcome="canceled"}': 7, haul_steps_waiting: 0, haul_held_dollars: 0 })
  await page.getByText('No step waits for a place.').waitFor()
})

test('a token opens the page, also after a reload, until it is forgotten or withdrawn: then the page asks again and sends no more requests', async () => {
  await page.clock.install()
  await open()
  expect(await page.evaluate(() => Object.values(sessionStorage))).toEqual([site.haul.adminToken])
  await page.reload()
  await page.getByText('Numbers from').waitFor()
  await page.getByRole('button', { name: 'Forget token' }).click()
  await page.getByLabel('Operator token').waitFor()
  expect(await page.evaluate(() => Object.values(sessionStorage))).toEqual([])
  await open()
  // The server's answer to a request without a token, which is the same.
  await page.route('**/admin/**', (route) => {
    const { authorization: _, ...headers } = route.request().headers()
    return route.continue({ headers })
  })
  await page.clock.runFor(15_000)
  await page.getByRole('alert').filter({ hasText: 'UNAUTHORIZED' }).waitFor()
  expect(await page.evaluate(() => Object.values(sessionStorage))).toEqual([])
  expect(await page.getByRole('heading', { name: 'Engines' }).isVisible()).toBe(false)
  const rounds = countRounds()
  await page.clock.runFor(300_000)
  expect(rounds()).toBe(0)
  await signIn('wrong')
  await page.getByRole('alert').filter({ hasText: 'UNAUTHORIZED' }).waitFor()
})

/** Rounds of requests from now on. */
const countRounds = (): (() => number) => {
  let count = 0
  page.on('request', (request) => {
    if (request.url().endsWith('/admin/metrics')) count++
  })
  return () => count
}

const setHidden = (isHidden: boolean): Promise<void> =>
  page.evaluate((hidden) => {
    Object.defineProperty(document, 'hidden', { get: () => hidden, configurable: true })
    document.dispatchEvent(new Event('visibilitychange'))
  }, isHidden)

test('the page refreshes every 15 seconds while it is visible', async () => {
  await page.clock.install()
  await open()
  const rounds = countRounds()
  await page.clock.runFor(15_000)
  await expect.poll(rounds).toBe(1)
  await setHidden(true)
  await page.clock.runFor(300_000)
  expect(rounds()).toBe(1)
  await setHidden(false)
  await page.clock.runFor(100)
  await expect.poll(rounds).toBe(2)
})

test('without a connection the page keeps its numbers, says from when they are, and recovers', async () => {
  await page.clock.install()
  await open()
  const from = await page.getByText('Numbers from').textContent()
  await page.context().setOffline(true)
  await page.clock.runFor(15_100)
  await page.locator('#round-problem', { hasText: 'The server does not respond.' }).waitFor()
  expect(await page.getByText('Numbers from').textContent()).toBe(from)
  expect(await page.locator('#engines tbody tr').count()).toBe(ENGINES)
  expect(await page.title()).toMatch(/^\(\d\) Haul operators$/)
  await page.context().setOffline(false)
  await page.clock.runFor(30_000)
  await page.locator('#round-problem').waitFor({ state: 'hidden' })
  expect(await page.getByText('Numbers from').textContent()).not.toBe(from)
})

test('an account is found by its name, suspended after a confirmation, and unsuspended', async () => {
  const client = await site.newClient({ name: 'Kurt of the suspended' })
  await open()
  await page.getByLabel('Name contains').fill('KURT OF')
  await page.keyboard.press('Enter')
  const row = page.locator(`tr[data-account="${client.accountId}"]`)
  await row.getByText('$10.00').waitFor()
  await expect.poll(() => page.locator('tr[data-account]').count()).toBe(1)

  await row.getByRole('button', { name: 'Suspend' }).click()
  await page.getByRole('button', { name: 'Cancel' }).click()
  expect(await row.locator('.state').textContent()).toBe('active')
  await row.getByRole('button', { name: 'Suspend' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Suspend' }).click()
  await row.getByText('suspended', { exact: true }).waitFor()
  expect(await row.locator('.line').allTextContents()).toEqual(
    expect.arrayContaining(['Free work 1,200 s/h, 20 GB/h', 'Uploads 50 GB']),
  )
  const refused = await client.request('POST', '/import', { url: site.media('media/faststart.mp4') })
  expect([refused.status, refused.body.code]).toEqual([403, 'ACCOUNT_SUSPENDED'])

  await row.getByRole('button', { name: 'Unsuspend' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Unsuspend' }).click()
  await row.getByText('active', { exact: true }).waitFor()
  const accepted = await client.request('POST', '/import', { url: site.media('media/faststart.mp4') })
  expect(accepted.status).toBe(202)
  await page.setViewportSize({ width: 320, height: 640 })
  expect(await isTooWide(page)).toBe(false)
})
