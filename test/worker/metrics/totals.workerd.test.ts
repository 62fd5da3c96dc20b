import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, onTestFinished, test, vi } from 'vitest'
import { failure } from '../../../domain/codes/failures.ts'
import type { AccountReport } from '../../../domain/metrics/account-report.ts'
import { micros } from '../../../domain/money/money.ts'
import { accountVersions } from '../../../worker/account/schema.ts'
import type { MetricsObject } from '../../../worker/index.ts'
import { MetricsRows } from '../../../worker/metrics/metrics-object.ts'
import { allMetrics, metricsOf } from '../../../worker/metrics/metrics-of.ts'
import { migrate } from '../../../worker/sqlite.ts'
import {
  type Account,
  admission,
  fetchedFile,
  fetchedImport,
  finishImport,
  importRequest,
  newAccount,
  transcribeRequest,
} from '../support/account.ts'
import { asOperator } from '../support/caller.ts'
import { eventually, runAlarm, skip } from '../support/clock.ts'
import { countObject } from '../support/counts.ts'
import { expectLogged } from '../support/expected-log.ts'
import { readBooks } from '../support/invariants.ts'
import { scrape } from '../support/metrics.ts'
import { inTables } from '../support/tables.ts'

type NewAccount = Awaited<ReturnType<typeof newAccount>>

const admitted = async ({ account, identity }: NewAccount, changes: Parameters<typeof admission>[1] = {}) => {
  const { result } = await account.admit(identity, admission(micros(10_000), changes))
  if (!result.ok) throw new Error(result.refusal.code)
  return result.value.jobId
}

const claimed = async ({ account }: NewAccount, jobId: string, step: 'fetch' | 'captions' = 'fetch') => {
  const claim = await account.claim(jobId, step)
  if (!claim) throw new Error(`${jobId} cannot be claimed`)
  return { jobId, lease: claim.lease }
}

const progress = { stage: 'downloading', percent: null, totalBytes: null, bytesPerSecond: null } as const

/** The ways in which a job can end, and what the account then counts. */
const ends: Record<string, (of: NewAccount) => Promise<unknown>> = {
  'import completed ': async (of) => finishImport(of.account, await admitted(of), 1_234_567),
  'import failed SOURCE_NOT_FOUND': async (of) => {
    const lease = await claimed(of, await admitted(of))
    await of.account.reportProgress(lease, { ...progress, downloadedBytes: 5_000 })
    return of.account.failStep(lease, failure('SOURCE_NOT_FOUND'))
  },
  'import canceled CANCELED': async (of) => of.account.remove(of.identity, await admitted(of)),
  'import failed INTERNAL': async (of) => of.account.refuseStep(await admitted(of), 'fetch', 1, failure('INTERNAL')),
  'transcription completed ': async (of) => {
    const lease = await claimed(
      of,
      await admitted(of, { kind: 'transcription', request: transcribeRequest() }),
      'captions',
    )
    const layout = { hasWords: false, hasSpeakers: false, plainBytes: null }
    const facts = { language: 'en', durationSeconds: 90, segments: 3, ...layout }
    const transcript = { key: 'transcript', uploadId: null, parts: null, sizeBytes: 1 }
    const found = { step: 'captions' as const, transcript, facts, durationSeconds: 90, title: 'film', chapters: [] }
    return of.account.finishTranscriptionStep(lease, found, { attempt: 1, secret: 'secret' })
  },
}

/** What the account's own tables say. */
const booksOf = async (account: Account) => {
  const { charges: chargedMicros, held: heldMicros, ended: ends } = await inTables(account, readBooks)
  return { chargedMicros, heldMicros, ends }
}

/** What the metrics object has of the account. */
const reportedOf = (accountId: string) =>
  inTables(metricsOf(env, accountId), (sql) => {
    const reported = new MetricsRows(sql).account(accountId)
    if (!reported) return null
    const { totals, heldMicros, schemaVersion } = reported
    return { ...totals, heldMicros, schemaVersion }
  })

/** The sums over all rows of all metrics objects. */
const sumOfRows = async () => {
  const reports = await Promise.all(
    allMetrics(env).map((metrics) => inTables(metrics, (sql) => [...new MetricsRows(sql).accounts()])),
  )
  const all = reports.flat().map(({ heldMicros, totals, schemaVersion }) => ({
    held: heldMicros,
    isMigrated: schemaVersion === accountVersions.length,
    ...totals,
  }))
  const sum = (value: (each: (typeof all)[number]) => number) => all.reduce((total, each) => total + value(each), 0)
  return {
    charged: sum(({ chargedMicros }) => chargedMicros) / 1_000_000,
    held: sum(({ held }) => held) / 1_000_000,
    bytesIn: sum(({ bytesIn }) => bytesIn),
    ended: sum((each) => each.ends),
    migrated: sum(({ isMigrated }) => Number(isMigrated)),
  }
}

const scraped = async () => {
  const { series, read } = await scrape()
  const ended = [...series].filter(([name]) => name.startsWith('haul_jobs_ended_total'))
  return {
    charged: read('haul_charged_dollars_total'),
    held: read('haul_held_dollars'),
    bytesIn: read('haul_bytes_total{direction="in"}'),
    ended: ended.reduce((sum, [, value]) => sum + value, 0),
    migrated: read(`haul_account_schema_version{version="${accountVersions.length}"}`),
  }
}

/** The runtime may have evicted it already. */
const evict = (object: Parameters<typeof evictDurableObject>[0]): Promise<void> =>
  evictDurableObject(object).catch((cause) => expect(`${cause}`).toContain('not currently running'))

test('the metrics say what the accounts say, under load and after every object was evicted', async () => {
  const accounts = await Promise.all(Array.from({ length: 8 }, () => newAccount()))
  await Promise.all(
    accounts.map(async (account, index) => {
      const ways = Object.values(ends)
      // One way more for each account, and two at once.
      for (let turn = 0; turn <= index % 4; turn++) {
        await Promise.all([0, 1].map((offset) => ways[(index + turn + offset) % ways.length]?.(account)))
      }
      if (index % 3 === 0) await admitted(account)
    }),
  )
  // What is held is reported a minute later, if the job still runs then.
  skip(60_000)
  for (const { account } of accounts) await runAlarm(account)
  for (const { account, accountId } of accounts) {
    await eventually(async () => {
      const { chargedMicros, heldMicros, ends: ended } = await booksOf(account)
      expect(await reportedOf(accountId)).toMatchObject({ chargedMicros, heldMicros, ends: ended })
    })
  }
  await eventually(async () => expect(await scraped()).toEqual(await sumOfRows()))

  for (const object of [...accounts.map(({ account }) => account), ...allMetrics(env)]) await evict(object)
  await eventually(async () => expect(await scraped()).toEqual(await sumOfRows()))
  for (const { account, accountId } of accounts) {
    const { chargedMicros, heldMicros, ends: ended } = await booksOf(account)
    expect(await reportedOf(accountId)).toMatchObject({ chargedMicros, heldMicros, ends: ended })
  }
})

test.each(Object.entries(ends))('a job that ends as "%s" is counted so', async (name, end) => {
  const account = await newAccount()
  await end(account)
  await eventually(async () => expect((await reportedOf(account.accountId))?.ended).toEqual({ [name]: 1 }))
})

test('an account reports the version of its schema, also one that a later release has migrated', async () => {
  const of = await newAccount()
  const expectReported = async (schemaVersion: number) => {
    await finishImport(of.account, await admitted(of), 1_000)
    await eventually(async () => expect(await reportedOf(of.accountId)).toMatchObject({ schemaVersion }))
  }
  const current = accountVersions.length
  await expectReported(current)
  const before = await scraped()
  await inTables(of.account, (sql) => migrate(sql, [...accountVersions, 'CREATE TABLE later (name TEXT)']))
  await expectReported(current + 1)
  expect((await scraped()).migrated).toBe(before.migrated - 1)
  expect((await scrape()).read(`haul_account_schema_version{version="${current + 1}"}`)).toBe(1)
})

test('bytes that a failed attempt downloaded are counted as of its last report, and those of a finished one exactly', async () => {
  const of = await newAccount()
  const jobId = await admitted(of, { request: importRequest({ store: true }) })
  const first = await claimed(of, jobId)
  await of.account.reportProgress(first, { ...progress, downloadedBytes: 300_000 })
  await of.account.giveBack(first)
  const second = await claimed(of, jobId)
  await of.account.reportProgress(second, { ...progress, downloadedBytes: 400_000 })
  await of.account.finishFetch(second, fetchedFile(fetchedImport(1_000_000, 2)))
  const task = await of.account.claimCopy(jobId)
  const bucket = { url: 'https://bucket.example/film.mp4', bucket: 'films', key: 'film.mp4' }
  await of.account.finishDelivery({ jobId, lease: task?.lease ?? '' }, bucket)
  await eventually(async () =>
    expect(await reportedOf(of.accountId)).toMatchObject({ bytesIn: 1_300_000, bytesOut: 1_000_000 }),
  )
})

test('held money is reported when a job has run for a minute', async () => {
  const of = await newAccount()
  const lease = await claimed(of, await admitted(of))
  skip(50_000)
  await of.account.reportProgress(lease, { ...progress, downloadedBytes: 25_000_000 })
  const { heldMicros } = await booksOf(of.account)
  expect(heldMicros).toBeGreaterThanOrEqual(250_000)
  expect(await reportedOf(of.accountId)).toBeNull()
  skip(10_000)
  await runAlarm(of.account)
  await eventually(async () => expect(await reportedOf(of.accountId)).toMatchObject({ heldMicros }))
})

/** What is held for all accounts of the same metrics object. No other test of this file runs meanwhile. */
const heldWith = async (accountId: string): Promise<number> => (await metricsOf(env, accountId).sums()).heldMicros

test('held money shows when a step reports its progress after ten seconds, and no row is written for that', async () => {
  const of = await newAccount()
  const before = await heldWith(of.accountId)
  const lease = await claimed(of, await admitted(of))
  for (const downloadedBytes of [25_000_000, 50_000_000]) {
    skip(10_000)
    await of.account.reportProgress(lease, { ...progress, downloadedBytes })
    const { heldMicros } = await booksOf(of.account)
    expect(heldMicros).toBeGreaterThanOrEqual(downloadedBytes / 100)
    await eventually(async () => expect(await heldWith(of.accountId)).toBe(before + heldMicros))
  }
  expect(await reportedOf(of.accountId)).toBeNull()
  await of.account.failStep(lease, failure('SOURCE_NOT_FOUND'))
  await eventually(async () => expect(await reportedOf(of.accountId)).toMatchObject({ ends: 1 }))
  expect(await heldWith(of.accountId)).toBe(before)
})

test('a job that ends within nine seconds tells the metrics object nothing but its end', async () => {
  const of = await newAccount()
  const object = await countObject(metricsOf(env, of.accountId), ([given]) =>
    JSON.stringify(given ?? null).includes(of.accountId),
  )
  const lease = await claimed(of, await admitted(of))
  skip(8_000)
  await of.account.reportProgress(lease, { ...progress, downloadedBytes: 25_000_000 })
  await of.account.failStep(lease, failure('SOURCE_NOT_FOUND'))
  await eventually(async () => expect(object.requests).toEqual({ report: 1 }))
})

test('held money of a step that has to wait for a place shows at once', async () => {
  const of = await newAccount()
  const before = await heldWith(of.accountId)
  await admitted(of)
  await of.account.noteWaiting()
  const { heldMicros } = await booksOf(of.account)
  await eventually(async () => expect(await heldWith(of.accountId)).toBe(before + heldMicros))
})

/** Until the end of the test, `wrap` decides about the reports of this account. */
const wrapReports = async (
  accountId: string,
  wrap: (report: () => { isNewEnd: boolean }, given: AccountReport) => { isNewEnd: boolean },
) => {
  await runInDurableObject(metricsOf(env, accountId), (object: MetricsObject) => {
    const prototype = Object.getPrototypeOf(object) as MetricsObject
    const { report } = prototype
    const spy = vi.spyOn(prototype, 'report').mockImplementation(function (this: MetricsObject, given) {
      const act = () => report.call(this, given)
      return given.accountId === accountId ? wrap(act, given) : act()
    })
    onTestFinished(() => spy.mockRestore())
  })
}

test('a report that is lost is repeated until it arrives', async () => {
  expectLogged('error', /the metrics object is not there/)
  const of = await newAccount()
  let failures = 0
  await wrapReports(of.accountId, (report, { ended }) => {
    if (!ended || failures >= 3) return report()
    failures += 1
    throw new Error('the metrics object is not there')
  })
  await finishImport(of.account, await admitted(of), 1_000)
  for (let turn = 1; turn <= 3; turn++) {
    await eventually(async () => expect(failures).toBe(turn))
    skip(400_000)
    await runAlarm(of.account)
  }
  await eventually(async () => expect(await reportedOf(of.accountId)).toMatchObject({ ends: 1, heldMicros: 0 }))
})

test('a report whose answer is lost is repeated, and its job is counted once', async () => {
  expectLogged('error', /the answer was lost/)
  const of = await newAccount()
  const host = `${of.accountId.replace('_', '-')}.example`
  const request = importRequest({ url: `https://${host}/film.mp4` })
  const answers: boolean[] = []
  await wrapReports(of.accountId, (report, { ended }) => {
    const answer = report()
    if (!ended) return answer
    answers.push(answer.isNewEnd)
    if (answers.length === 1) throw new Error('the answer was lost')
    return answer
  })
  await finishImport(of.account, await admitted(of, { request }), 1_000)
  await eventually(async () => expect(answers).toHaveLength(1))
  skip(400_000)
  await runAlarm(of.account)
  await eventually(async () => expect(answers).toEqual([true, false]))
  expect(await outcomesOf(host)).toEqual([{ kind: 'import', outcome: 'completed', code: '', version: '', count: 1 }])
})

const outcomesOf = async (host: string) => {
  const { status, body } = await asOperator('GET', '/admin/outcomes')
  expect(status).toBe(200)
  return (body.data.outcomes as { source: string; hour: string }[])
    .filter(({ source }) => source === host)
    .map(({ source: _source, hour: _hour, ...outcome }) => outcome)
}

test('outcomes are counted by hour and host of the source, without its port, path and query', async () => {
  const of = await newAccount()
  const host = `${of.accountId.replace('_', '-')}.example`
  const request = importRequest({ url: `https://${host.toUpperCase()}:8443/a?secret=1` })
  for (let count = 0; count < 2; count++) await finishImport(of.account, await admitted(of, { request }), 1_000)
  const lease = await claimed(of, await admitted(of, { request }))
  await of.account.failStep(lease, failure('SOURCE_TRUNCATED'))
  await eventually(async () => {
    const counted = await outcomesOf(host)
    expect(counted).toHaveLength(2)
    expect(counted).toEqual(
      expect.arrayContaining([
        { kind: 'import', outcome: 'completed', code: '', version: '', count: 2 },
        { kind: 'import', outcome: 'failed', code: 'SOURCE_TRUNCATED', version: '', count: 1 },
      ]),
    )
  })
})
