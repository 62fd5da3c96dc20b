import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type DrippingSource, startDrippingSource } from '../../doubles/origin/dripping-source.ts'
import { respond } from '../../doubles/webhook-receiver.ts'
import { ownProduct } from '../../support/product/product.ts'
import { parseError, wrongAlerts } from '../rules/prometheus/promtool.ts'
import { minutes, type Scrape, samplesOf } from '../rules/prometheus/time-line.ts'

/**
 * The alerts that are about the programs themselves, with real scrapes from before and after a real cause. The scrapes are
 * placed on a time line of minutes, which Prometheus's own engine evaluates, so nobody waits for these minutes. The causes
 * of the others are counted by accounts and fleets: test/worker/metrics/, test/rules/domain/fleet/engines.test.ts.
 *
 * It takes two starts of the product and 70 s more, because a message reaches the dead-letter queue 62 s after its first
 * attempt.
 */
let films: DrippingSource
/** Before the first job, after some jobs, and after a restart. */
let fresh: string
let quiet: string
let restarted: string
let down: Scrape

const site = ownProduct(async () => {
  films = await startDrippingSource()
  return {}
})

beforeAll(async () => {
  fresh = await scrape()
  const broken = await workQuietly()
  quiet = await scrape()
  await site.restart(async () => {
    down = await requestMetrics()
    await breakDeliveries(broken.jobId)
  })
  restarted = await scrape()
  const jobId = await broken.account.start({ url: film('dead'), webhookUrl: site.receiver.url })
  await broken.account.remove(`/jobs/${jobId}`)
  // The product starts again.
}, 120_000)

afterAll(() => films?.close())

/** As Prometheus requests it. null: the scrape failed. */
const requestMetrics = (): Promise<Scrape> =>
  fetch(`${site.haul.baseUrl}/admin/metrics`, { headers: { authorization: `Bearer ${site.haul.adminToken}` } }).then(
    (response) => (response.ok ? response.text() : null),
    () => null,
  )

const scrape = async (): Promise<string> => {
  const text = await requestMetrics()
  if (text === null) throw new Error('GET /admin/metrics failed')
  return text
}

/** The sum of the samples whose series has all these texts. */
const sumOf = (text: string, ...parts: string[]): number =>
  [...samplesOf(text)]
    .filter(([series]) => parts.every((part) => series.includes(part)))
    .reduce((sum, [, value]) => sum + Number(value), 0)

/** The first scrape in which the sum has grown by so much. Jobs are counted shortly after they have ended. */
const scrapeWith = async (before: string, parts: string[], growth: number): Promise<string> => {
  const hasGrown = async () => {
    const text = await scrape()
    return sumOf(text, ...parts) - sumOf(before, ...parts) >= growth && text
  }
  return vi.waitUntil(hasGrown, { timeout: 90_000, interval: 500 })
}

const film = (name: string) => `${films.url}/${name}.mp4`

/** What happens every day: a completed import, a canceled one, and a receiver that wants no more webhooks. */
const workQuietly = async () => {
  const before = await scrape()
  const account = await site.newClient()
  site.receiver.behave('/gone', respond(410))
  await account.ended(await account.start({ url: `${site.origin.url}/media/faststart.mp4` }))
  const jobId = await account.start({ url: film('canceled'), webhookUrl: `${site.receiver.url}/gone` })
  await account.remove(`/jobs/${jobId}`)
  await scrapeWith(before, ['haul_jobs_ended_total'], 2)
  await scrapeWith(before, ['haul_webhook_attempts_total', 'outcome="failed"'], 1)
  return { account, jobId }
}

/** From now on the database of the account that has this job refuses every attempt of a webhook delivery. */
const breakDeliveries = async (jobId: string) => {
  const objects = join(site.folder, 'state/server/state/storage/do/haul-AccountObject')
  const names = (await readdir(objects)).filter((name) => name.endsWith('.sqlite'))
  const broken = names.filter((name) => {
    const database = new DatabaseSync(join(objects, name))
    const hasJobs = database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'jobs'").get()
    const hasJob = hasJobs && database.prepare('SELECT 1 FROM jobs WHERE id = ?').get(jobId)
    if (hasJob)
      database.exec(`CREATE TRIGGER broken BEFORE UPDATE ON deliveries WHEN NEW.lease IS NOT NULL
        BEGIN SELECT RAISE(ABORT, 'the disk is broken'); END`)
    database.close()
    return hasJob
  })
  expect(broken).toHaveLength(1)
}

test('HaulDown fires three minutes after the Worker has stopped, and nothing else fires for what happens every day', async () => {
  expect(await parseError(fresh)).toBe('')
  expect(down).toBeNull()
  const scrapes = [...minutes(30, fresh), ...minutes(20, quiet), ...minutes(10, down), ...minutes(30, restarted)]
  // It fires for five minutes longer, so that an outage with gaps is one alert.
  expect(await wrongAlerts(scrapes, [{ alert: 'HaulDown', from: 53, to: 64 }])).toBe('')
})

test('HaulDeadLetters fires at once when a message could not be handled', async () => {
  const after = await scrapeWith(restarted, ['haul_dead_letters_total', 'queue="webhooks-dead"'], 1)
  expect(
    await wrongAlerts([...minutes(20, restarted), ...minutes(50, after)], [{ alert: 'HaulDeadLetters', from: 20 }]),
  ).toBe('')
  // 62 s after the first attempt.
}, 120_000)
