import type { Locator, Page } from 'playwright-core'
import { beforeEach, expect, test } from 'vitest'
import type { AccountClient } from '../../support/product/api-client.ts'
import { browserFor } from '../../support/product/browser.ts'
import { ownProduct } from '../../support/product/product.ts'

/** What the console shows of jobs and batches that another program starts, without a refresh. */
const site = ownProduct()
const browser = browserFor(site)
let page: Page
let client: AccountClient

const slow = (): string => site.media('generated/4000000.mp4?ratePerSecond=2000000')

const jobCard = (jobId: string): Locator => page.locator(`.job[data-job="${jobId}"]`)
const stateOf = (card: Locator, state: string): Promise<void> =>
  card.locator('.job-state, .batch-state', { hasText: new RegExp(`^${state}$`) }).waitFor()

beforeEach(async () => {
  client = await site.newClient()
  page = await browser.newTab()
  await browser.openConsole(page, client.apiKey)
  await page.getByText('No jobs yet').waitFor()
})

test('a job that another program starts appears, shows its progress and ends', async () => {
  const jobId = await client.start({ url: slow() })
  await jobCard(jobId).locator('.job-facts', { hasText: 'Downloading' }).waitFor()
  expect(await page.locator('.job').count()).toBe(1)
  await page.locator('#held', { hasText: '$0.04' }).waitFor()
  await stateOf(jobCard(jobId), 'Completed')
  expect(await page.getByRole('status').textContent()).toContain('is done.')
  await jobCard(jobId).getByRole('button', { name: 'Play: ' }).click()
  await jobCard(jobId).locator('video').waitFor()
  await page.locator('#held', { hasText: '$0.00' }).waitFor()
  // One that ends before it starts appears too.
  const second = await client.start({ url: site.media('page/none.html') })
  await client.request('DELETE', `/jobs/${second}`)
  await stateOf(jobCard(second), '(Canceled|Failed)')
})

test('a batch that another program starts appears, and its counts change as its items end', async () => {
  const film = site.media('media/faststart.mp4')
  // The last one takes four seconds.
  const urls = [`${film}?item=1`, `${film}?item=2`, site.media('generated/4000000.mp4?ratePerSecond=1000000')]
  const { body } = await client.request('POST', '/batches', { urls, import: {} })
  const batch = page.locator(`.batch[data-batch="${body.data.batchId}"]`)
  await batch.locator('.batch-facts', { hasText: /[12] done/ }).waitFor()
  await stateOf(batch, 'Completed')
  expect(await batch.locator('.batch-facts').textContent()).toContain('3 done')
  await page.locator('.job').nth(2).waitFor()
  expect(await page.locator('.job').count()).toBe(3)
})

test('after a restart of the Worker the console shows what has ended meanwhile, what goes on, and what starts then', async () => {
  const startDownload = async (file: string): Promise<string> => {
    const jobId = await client.start({ url: site.media(`generated/${file}`) })
    await jobCard(jobId).locator('.job-facts', { hasText: 'Downloading' }).waitFor()
    return jobId
  }
  const canceled = await startDownload('30000000.mp4?ratePerSecond=500000')
  const running = await startDownload('12000000.mp4?ratePerSecond=3000000')
  await client.request('DELETE', `/jobs/${canceled}`)
  await site.haul.killWorker('SIGKILL')
  await site.haul.ready()
  await stateOf(jobCard(canceled), 'Canceled')
  const after = await client.start({ url: site.media('media/faststart.mp4') })
  await stateOf(jobCard(after), 'Completed')
  await stateOf(jobCard(running), 'Completed')
})

test('of six jobs that run, three have a stream for their progress, and the others are polled every ten seconds', async () => {
  const { accountId } = (await client.request('GET', '/account')).body.data
  await site.operator().request('PATCH', `/admin/accounts/${accountId}`, { limits: { concurrentJobs: { import: 8 } } })
  const requests: string[] = []
  const from = Date.now()
  page.on('request', (request) => requests.push(`${request.method()} ${new URL(request.url()).pathname}`))
  const jobIds = await Promise.all(
    [1, 2, 3, 4, 5, 6].map((number) => client.start({ url: `${slow()}&item=${number}` })),
  )
  for (const jobId of jobIds) await stateOf(jobCard(jobId), 'Completed')
  const ofEach = jobIds.map((jobId) => requests.filter((request) => request === `GET /jobs/${jobId}`).length)
  expect(Math.max(...ofEach)).toBeLessThanOrEqual(Math.ceil((Date.now() - from) / 10_000))
})
