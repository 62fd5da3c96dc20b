import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type DrippingSource, startDrippingSource } from '../../doubles/origin/dripping-source.ts'
import { respond } from '../../doubles/webhook-receiver.ts'
import type { AccountClient } from '../../support/product/api-client.ts'
import { ownProduct } from '../../support/product/product.ts'
import { parseError, rulesFile, wrongAlerts } from '../rules/prometheus/promtool.ts'
import { minutes, type Scrape, samplesOf, withLongerWaits } from '../rules/prometheus/time-line.ts'

/**
 * Each alert of docs/alerts.yml, with a real cause and real scrapes from before and after it. The scrapes are placed on a
 * time line of minutes, which Prometheus's own engine evaluates, so nobody waits for these minutes.
 *
 * It takes two starts of the product and 70 s more, because a message reaches the dead-letter queue 62 s after its first
 * attempt. The other causes happen meanwhile.
 */
let films: DrippingSource
/** Before the first job, after some jobs, and after a restart. */
let fresh: string
let quiet: string
let restarted: string
let down: Scrape

const site = ownProduct(async () => {
  films = await startDrippingSource()
  return { env: { ENGINE_NETWORK_PLACES: '16' } }
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

const media = (query = '') => `${site.origin.url}/media/faststart.mp4${query}`
const film = (name: string) => `${films.url}/${name}.mp4`

const newAccounts = (count: number): Promise<AccountClient[]> =>
  Promise.all(Array.from({ length: count }, () => site.newClient()))

/** What happens every day: a completed import, a canceled one, and a receiver that wants no more webhooks. */
const workQuietly = async () => {
  const before = await scrape()
  const account = await site.newClient()
  site.receiver.behave('/gone', respond(410))
  await account.ended(await account.start({ url: media() }))
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

test('Prometheus reads the metrics of a new product, and they have every series that the alerts name', async () => {
  expect(await parseError(fresh)).toBe('')
  const rules = await readFile(rulesFile, 'utf8')
  const metrics = new Set(rules.match(/\bhaul_[a-z_]+/g))
  const codes = [...rules.matchAll(/code=~"(\S+?)"/g)].flatMap(([, each = '']) => each.split('|'))
  const series = [...samplesOf(fresh).keys()]
  const has = (...parts: string[]) => series.some((each) => parts.every((part) => each.includes(part)))
  expect(metrics.size).toBe(6)
  // Sources have series once they had jobs.
  for (const metric of metrics) expect([metric, has(`${metric}{`)]).toEqual([metric, metric !== 'haul_source_jobs'])
  for (const code of codes) {
    for (const kind of ['import', 'transcription']) {
      const isThere = has('haul_jobs_ended_total{', `kind="${kind}"`, 'outcome="failed"', `code="${code}"`)
      expect([kind, code, isThere]).toEqual([kind, code, true])
    }
  }
  for (const outcome of ['completed', 'failed'])
    expect(has('haul_jobs_ended_total{', `outcome="${outcome}"`)).toBe(true)
  expect(has('haul_engines{', 'state="running"')).toBe(true)
  for (const queue of ['steps-dead', 'webhooks-dead'])
    expect([queue, has('haul_dead_letters_total{', `queue="${queue}"`)]).toEqual([queue, true])
})

test('nothing fires while jobs complete, are canceled, and a webhook is given up', async () => {
  expect(await wrongAlerts([...minutes(30, fresh), ...minutes(60, quiet)], [])).toBe('')
})

test('HaulDown fires three minutes after the Worker has stopped, and a restart fires nothing else', async () => {
  expect(down).toBeNull()
  const scrapes = [...minutes(20, quiet), ...minutes(10, down), ...minutes(30, restarted)]
  // It fires for five minutes longer, so that an outage with gaps is one alert.
  expect(await wrongAlerts(scrapes, [{ alert: 'HaulDown', from: 23, to: 34 }])).toBe('')
})

/** The other alerts have causes of their own. */
const wrongAlert = (alert: string, scrapes: Scrape[], from: number) => wrongAlerts(scrapes, [{ alert, from }], [alert])

test('HaulSourcesFail fires when sources block and limit our imports for 15 minutes', async () => {
  const before = await scrape()
  const imports = (await newAccounts(6)).flatMap((account) =>
    ['?status=403', '?status=429'].map(async (query) => account.ended(await account.start({ url: media(query) }))),
  )
  expect(new Set((await Promise.all(imports)).map(({ code }) => code))).toEqual(
    new Set(['SOURCE_BLOCKED', 'SOURCE_RATE_LIMITED']),
  )
  const after = await scrapeWith(before, ['haul_jobs_ended_total', 'code="SOURCE_'], 12)
  expect(await wrongAlert('HaulSourcesFail', [...minutes(20, before), ...minutes(20, after)], 35)).toBe('')
}, 90_000)

test('HaulJobsFail fires when an engine dies in every attempt of six jobs', async () => {
  const before = await scrape()
  const jobs = await Promise.all(
    (await newAccounts(3)).flatMap((account, index) =>
      ['one', 'two'].map(async (name) => {
        const path = `killed/${index}/${name}`
        return { account, path: `/${path}.mp4`, jobId: await account.start({ url: film(path) }) }
      }),
    ),
  )
  for (const attempt of [1, 2, 3]) {
    const attempts = () => Math.min(...jobs.map(({ path }) => films.startsOf(path)))
    await expect.poll(attempts, { timeout: 60_000 }).toBe(attempt)
    await site.haul.killContainer('SIGKILL')
  }
  const after = await scrapeWith(before, ['haul_jobs_ended_total', 'code="INTERNAL"'], 6)
  expect(await wrongAlert('HaulJobsFail', [...minutes(20, before), ...minutes(20, after)], 25)).toBe('')
  // Each killed engine starts again.
}, 120_000)

const datedScrape = async () => {
  const requestedAt = performance.now()
  return { requestedAt, text: await scrape(), answeredAt: performance.now() }
}

/** workerd's clock stands still while it computes. */
const CLOCK_ERROR_MS = 200

test('HaulStepsWait fires when a step has waited for five minutes for an engine that hangs', async () => {
  await site.haul.ready()
  const before = await scrape()
  const [account] = (await newAccounts(1)) as [AccountClient]
  const oldest = ['haul_oldest_step_seconds']
  process.kill(site.haul.containerPid, 'SIGSTOP')
  try {
    const jobId = await account.start({ url: media() })
    await scrapeWith(before, oldest, 0.1)
    const first = await datedScrape()
    await expect.poll(async () => sumOf(await scrape(), 'haul_engines', 'running'), { timeout: 30_000 }).toBe(0)
    const second = await datedScrape()
    // The step gets a second older in each second, and the time line goes on like that from the second scrape.
    const growthMs = (sumOf(second.text, ...oldest) - sumOf(first.text, ...oldest)) * 1_000
    expect(growthMs).toBeGreaterThan(second.requestedAt - first.answeredAt - CLOCK_ERROR_MS)
    expect(growthMs).toBeLessThan(second.answeredAt - first.requestedAt + CLOCK_ERROR_MS)
    const after = Array.from({ length: 12 }, (_, minute) => withLongerWaits(second.text, minute * 60))
    const above = after.findIndex((text) => sumOf(text, ...oldest) > 300)
    expect(await wrongAlert('HaulStepsWait', [...minutes(20, before), ...after], 20 + above + 1)).toBe('')
    process.kill(site.haul.containerPid, 'SIGCONT')
    expect(await account.ended(jobId)).toMatchObject({ status: 'completed' })
  } finally {
    process.kill(site.haul.containerPid, 'SIGCONT')
  }
}, 90_000)

test('HaulDeadLetters fires at once when a message could not be handled', async () => {
  const after = await scrapeWith(restarted, ['haul_dead_letters_total', 'queue="webhooks-dead"'], 1)
  expect(await wrongAlert('HaulDeadLetters', [...minutes(20, restarted), ...minutes(50, after)], 20)).toBe('')
  // 62 s after the first attempt.
}, 120_000)
