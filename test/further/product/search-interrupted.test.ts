import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, expect, test, vi } from 'vitest'
import { type Origin, startOrigin } from '../../doubles/origin/origin.ts'
import type { AccountClient } from '../../support/product/api-client.ts'
import { captionedPages, search, searchAll } from '../../support/product/captioned-pages.ts'
import { ownProduct } from '../../support/product/product.ts'

/** A transcript of twelve hours is found whole or not at all, whatever happens while it is indexed. */
let sites: Origin

const site = ownProduct(async () => {
  sites = await startOrigin({ root: site.folder })
  return {}
})

afterAll(() => sites?.close())

const pageOf = captionedPages(() => ({ folder: site.folder, originUrl: sites.url, filmUrl: site.media() }))

const HOURS = 12
const EVERY_SECONDS = 4
/** As many lines as take at most 30 seconds: the last has three. */
const LINES_A_PASSAGE = 7
const LINES = (HOURS * 3_600) / EVERY_SECONDS
const PASSAGES = Math.ceil(LINES / LINES_A_PASSAGE)
const WITHIN_MS = 60_000
const RESTART_TIMEOUT_MS = 240_000

const longTalk = (): Promise<string> => {
  const lines = Array.from(
    { length: LINES },
    (_, line) =>
      `Line ${line} of the marathon, which goes on about the sea, the wind, the islands and those who live there.`,
  )
  return pageOf({ lines, everySeconds: EVERY_SECONDS })
}

const talked = async (account: AccountClient): Promise<string> => {
  const { jobId } = await account.post<{ jobId: string }>('/transcribe', { url: await longTalk() })
  expect((await account.ended(jobId)).status).toBe('completed')
  return jobId
}

const firstPage = async (account: AccountClient, jobId: string): Promise<number> =>
  (await search(account, 'marathon', { jobId, limit: '50' })).results.length

/** Resolves when the transcript is found. Until then no part of it is. */
const foundAtOnce = (account: AccountClient, jobId: string) =>
  vi.waitUntil(
    async () => {
      const count = await firstPage(account, jobId)
      expect([0, 50]).toContain(count)
      return count === 50
    },
    { timeout: WITHIN_MS, interval: 20 },
  )

const expectWhole = async (account: AccountClient, ...jobIds: string[]): Promise<void> => {
  for (const jobId of jobIds) {
    const results = await searchAll(account, 'marathon', { jobId, sort: 'newest' })
    const starts = results.map(({ start }) => start).sort((a, b) => a - b)
    expect(starts).toEqual(Array.from({ length: PASSAGES }, (_, index) => index * LINES_A_PASSAGE * EVERY_SECONDS))
  }
  const { search: size } = await account.account()
  // Each job has a title, too.
  expect(size).toMatchObject({ passages: jobIds.length * (PASSAGES + 1), full: false })
}

test('twelve hours are found at once, and every passage', async () => {
  const account = await site.newClient()
  const jobId = await talked(account)
  await foundAtOnce(account, jobId)
  await expectWhole(account, jobId)
})

test('what is removed while it is indexed is never found, and nothing of it is kept', async () => {
  const account = await site.newClient()
  const jobId = await talked(account)
  await account.remove(`/jobs/${jobId}`)
  expect(await firstPage(account, jobId)).toBe(0)
  // The index is emptied by deleting its database.
  await vi.waitFor(
    async () => {
      expect(await firstPage(account, jobId)).toBe(0)
      expect((await account.account()).search).toEqual({ bytes: 0, passages: 0, full: false })
    },
    { timeout: WITHIN_MS, interval: 100 },
  )
})

/** What is written at once, at least. */
const A_PAGE_BYTES = 500_000

/** What the databases of all indexes weigh. */
const bytesOfIndexes = async (): Promise<number> => {
  const names = await readdir(site.folder, { recursive: true })
  const files = names.filter((name) => name.includes('WordsObject') && name.includes('.sqlite'))
  const sizes = await Promise.all(files.map((name) => stat(join(site.folder, name)).catch(() => ({ size: 0 }))))
  return sizes.reduce((sum, { size }) => sum + size, 0)
}

test('a Worker that is killed while it indexes finds the transcripts after its restart: once, and whole', {
  timeout: RESTART_TIMEOUT_MS,
}, async () => {
  const account = await site.newClient()
  const jobIds = [await talked(account), await talked(account), await talked(account)]
  // All of them are indexed again, in a row.
  await account.request('PATCH', '/account', { index: false })
  await vi.waitUntil(async () => (await account.account()).search.bytes === 0, WITHIN_MS)
  await account.request('PATCH', '/account', { index: true })
  const before = await bytesOfIndexes()
  await account.post('/search/rebuild')
  await vi.waitUntil(async () => (await bytesOfIndexes()) > before + A_PAGE_BYTES, { timeout: WITHIN_MS, interval: 5 })
  await site.haul.killWorker('SIGKILL')
  await site.haul.ready()
  for (const jobId of jobIds) await foundAtOnce(account, jobId)
  await vi.waitFor(() => expectWhole(account, ...jobIds), WITHIN_MS)
  await site.restart()
  await expectWhole(account, ...jobIds)
})
