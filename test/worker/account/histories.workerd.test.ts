import { runInDurableObject } from 'cloudflare:test'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { failure } from '../../../domain/codes/failures.ts'
import type { Step } from '../../../domain/jobs/job.ts'
import { requiredHold } from '../../../domain/money/bill.ts'
import { micros } from '../../../domain/money/money.ts'
import { readJob } from '../../../worker/account/jobs/job-rows.ts'
import type { AccountObject } from '../../../worker/index.ts'
import { admission, fetchedImport, newAccount, transcribeRequest } from '../support/account.ts'

/**
 * Random histories of everything that can happen to an account, in any order, with duplicates and with
 * reports that come too late. They run inside the object, so that there can be thousands of them; after every
 * act the books are read from its own tables.
 */
interface Model {
  account: AccountObject
  sql: SqlStorage
  identity: Awaited<ReturnType<typeof newAccount>>['identity']
  jobs: string[]
  leases: { jobId: string; lease: string; leaseNumber: number }[]
}

type Act = (model: Model) => Promise<unknown>

const pick = <T>(list: T[], index: number): T | undefined => list[index % Math.max(1, list.length)]
const bytes = fc.integer({ min: 0, max: 900_000_000 })
const which = fc.nat({ max: 7 })
/** What a download asks for. */
const wishes = fc.record({ neededBytes: bytes, wantedBytes: bytes }, { requiredKeys: [] })
const steps = fc.constantFrom<Step>('fetch', 'captions', 'audio', 'recognize')

const onLease = (index: number, act: (model: Model, lease: Model['leases'][number]) => Promise<unknown>): Act => {
  return async (model) => {
    const lease = pick(model.leases, index)
    if (lease) await act(model, lease)
  }
}

const transcribeRequests = fc
  .record({
    provider: fc.constantFrom(null, 'builtin' as const, 'provider_a' as const),
    captionsFirst: fc.boolean(),
    maxCostMicros: fc.option(fc.integer({ min: 1, max: 2_000_000 }).map(micros)),
  })
  .map(transcribeRequest)

const transcript = {
  source: 'builtin' as const,
  language: 'en',
  title: 'film',
  chapters: [],
  durationSeconds: 90,
  segments: 3,
  hasWords: false,
  hasSpeakers: false,
  plainBytes: null,
  downloadCostMicros: micros(0),
  attempt: 1,
  step: 'recognize' as const,
}

const acts: fc.Arbitrary<Act> = fc.oneof(
  fc.tuple(fc.integer({ min: 1, max: 5_000_000 }), which).map(
    ([amount, reference]): Act =>
      ({ account }) =>
        account.credit(micros(amount), `reference ${reference}`),
  ),
  fc.integer({ min: 0, max: 3_000_000 }).map(
    (hold): Act =>
      async ({ account, identity, jobs }) => {
        const { result } = await account.admit(identity, admission(micros(hold)))
        if (result.ok) jobs.push(result.value.jobId)
      },
  ),
  fc.tuple(transcribeRequests, fc.integer({ min: 0, max: 3_000_000 })).map(
    ([request, hold]): Act =>
      async ({ account, identity, jobs }) => {
        const admitted = { kind: 'transcription' as const, request, sealedKey: 'sealed' }
        const { result } = await account.admit(identity, admission(micros(hold), admitted))
        if (result.ok) jobs.push(result.value.jobId)
      },
  ),
  fc.tuple(which, steps).map(
    ([index, step]): Act =>
      async ({ account, jobs, leases }) => {
        const jobId = pick(jobs, index)
        const claim = jobId && (await account.claim(jobId, jobId.startsWith('imp_') ? 'fetch' : step))
        if (!jobId || !claim) return
        const { leaseNumber } = claim.job
        const earlier = leases.filter((lease) => lease.jobId === jobId).map((lease) => lease.leaseNumber)
        expect(leaseNumber).toBeGreaterThan(Math.max(0, ...earlier))
        leases.push({ jobId, lease: claim.lease, leaseNumber })
      },
  ),
  fc
    .tuple(which, bytes, fc.option(bytes), fc.constantFrom(undefined, null, 0, 61.5, 7_200), wishes)
    .map(([index, downloadedBytes, totalBytes, durationSeconds, wish]) =>
      onLease(index, async ({ account, sql }, lease) => {
        const progress = { stage: 'downloading', percent: null, bytesPerSecond: null } as const
        const report = { ...progress, downloadedBytes, totalBytes, durationSeconds, ...wish }
        const { verdict, agreedBytes } = await account.reportProgress(lease, report)
        const job = await account.leasedJob(lease)
        if (verdict !== 'continue' || agreedBytes === null || !job) return
        const needed = Math.max(downloadedBytes, totalBytes ?? 0, wish.neededBytes ?? 0)
        const price = requiredHold(job, { downloadedBytes: agreedBytes, totalBytes: null, durationSeconds })
        expect(agreedBytes).toBeGreaterThanOrEqual(needed)
        expect('holdMicros' in price && price.holdMicros).toBeLessThanOrEqual(readJob(sql, lease.jobId)?.held ?? 0)
      }),
    ),
  fc.tuple(which, bytes, fc.integer({ min: 0, max: 9_000_000 })).map(([index, size, charge]) =>
    onLease(index, ({ account }, lease) =>
      account.complete(lease, {
        finished: lease.jobId.startsWith('imp_')
          ? { kind: 'import', result: { ...fetchedImport(size), bucket: null } }
          : { kind: 'transcription', result: transcript },
        charge: micros(charge),
        keys: [],
      }),
    ),
  ),
  fc
    .tuple(which, bytes, fc.integer({ min: 0, max: 20_000 }), fc.boolean())
    .map(([index, downloadedBytes, durationSeconds, isHeard]) =>
      onLease(index, async ({ account }, lease) => {
        const job = await account.leasedJob(lease)
        if (job?.kind !== 'transcription') return
        const carry = isHeard ? { attempt: 1, durationSeconds, downloadedBytes, pieces: [], waits: 0 } : null
        const verdict = requiredHold({ ...job, carry }, { downloadedBytes, totalBytes: null, durationSeconds })
        if ('failed' in verdict) await account.failStep(lease, verdict.failed)
        else {
          const next = carry ? 'recognize' : 'audio'
          await account.advance(lease, { next, carry, holdMicros: verdict.holdMicros, keys: ['a key', 'another'] })
        }
      }),
    ),
  fc
    .tuple(which, fc.constantFrom(0, 5_000))
    .map(([index, delayMs]) => onLease(index, ({ account }, lease) => account.postpone(lease, { delayMs }))),
  which.map((index) => onLease(index, ({ account }, lease) => account.failStep(lease, failure('SOURCE_BLOCKED')))),
  which.map((index) => onLease(index, ({ account }, lease) => account.giveBack(lease))),
  which.map((index) => onLease(index, ({ account }, lease) => account.postpone(lease, { delayMs: 3_000 }))),
  which.map(
    (index): Act =>
      async ({ account, identity, jobs }) => {
        const jobId = pick(jobs, index)
        if (jobId) await account.remove({ ...identity, rateClass: 'general' }, jobId)
      },
  ),
  fc.tuple(which, steps).map(
    ([index, step]): Act =>
      async ({ account, jobs }) => {
        const jobId = pick(jobs, index)
        if (jobId) await account.failUndeliverable(jobId, step, failure('INTERNAL'))
      },
  ),
  fc.constant<Act>(async ({ account, sql }) => {
    sql.exec('UPDATE jobs SET lease_until = 1 WHERE lease IS NOT NULL')
    await account.alarm()
  }),
)

interface Books {
  balance: number
  held: number
  credits_and_charges: number
  all_but_charges: number
  open_holds: number
  orphaned: number
  unheld: number
  /** Live jobs that the alarm would not look at. */
  forgotten: number
  doubled: number
  overcharged: number
  /** Jobs that were charged more than their caller's ceiling allows. */
  above_ceiling: number
  /** Provider keys that outlived their job. */
  stray_keys: number
  /** Ended jobs that the account's totals lack, or that have no number of their own. */
  uncounted: number
  unnumbered: number
  /** What the totals lack of the charges. */
  missing_charges: number
}

const readBooks = (sql: SqlStorage): Books =>
  sql
    .exec<Books & Record<string, number>>(
      `SELECT balance_micros AS balance, held_micros AS held,
           (SELECT coalesce(sum(amount_micros), 0) FROM ledger WHERE kind IN ('credit', 'charge')) AS credits_and_charges,
           (SELECT coalesce(sum(amount_micros), 0) FROM ledger WHERE kind != 'charge') AS all_but_charges,
           (SELECT coalesce(sum(held_micros), 0) FROM jobs) AS open_holds,
           (SELECT count(*) FROM jobs WHERE state IN ('completed', 'failed') AND held_micros IS NOT NULL) AS orphaned,
           (SELECT count(*) FROM jobs WHERE state IN ('queued', 'running') AND held_micros IS NULL) AS unheld,
           (SELECT count(*) FROM jobs WHERE state IN ('queued', 'running')
              AND id NOT IN (SELECT value FROM json_each(open_jobs))) AS forgotten,
           (SELECT count(*) FROM (SELECT job_id FROM ledger WHERE kind = 'charge' GROUP BY job_id HAVING count(*) > 1)) AS doubled,
           (SELECT count(*) FROM (SELECT job_id FROM ledger WHERE job_id IS NOT NULL GROUP BY job_id
              HAVING -sum(iif(kind = 'charge', amount_micros, 0)) > -sum(iif(kind = 'hold', amount_micros, 0)))) AS overcharged,
           (SELECT count(*) FROM ledger JOIN jobs ON jobs.id = job_id WHERE ledger.kind = 'charge'
              AND request ->> 'provider' = 'builtin' AND -amount_micros > request ->> 'maxCostMicros') AS above_ceiling,
           (SELECT count(*) FROM sealed_keys JOIN jobs ON id = job_id WHERE state IN ('completed', 'failed')) AS stray_keys,
           (SELECT count(*) FROM jobs WHERE state IN ('completed', 'failed')) - coalesce(totals ->> 'ends', 0) AS uncounted,
           (SELECT count(*) - count(DISTINCT measured ->> 'endNumber') FROM jobs
              WHERE state IN ('completed', 'failed')) AS unnumbered,
           (SELECT coalesce(sum(-amount_micros), 0) FROM ledger WHERE kind = 'charge')
              - coalesce(totals ->> 'chargedMicros', 0) AS missing_charges
         FROM account`,
    )
    .one()

const live = async (
  account: AccountObject,
  sql: SqlStorage,
  identity: Model['identity'],
  history: Act[],
): Promise<void> => {
  // The first use makes the account, with its credit.
  await account.summary({ ...identity, rateClass: 'general' })
  const model: Model = { account, sql, identity, jobs: [], leases: [] }
  for (const act of history) {
    await act(model)
    const books = readBooks(sql)
    expect(books.balance).toBe(books.credits_and_charges)
    expect(books.held).toBe(books.open_holds)
    expect(books.balance - books.held).toBe(books.all_but_charges)
    expect(books.balance - books.held).toBeGreaterThanOrEqual(0)
    expect(books).toMatchObject({
      orphaned: 0,
      unheld: 0,
      forgotten: 0,
      doubled: 0,
      overcharged: 0,
      above_ceiling: 0,
      stray_keys: 0,
      uncounted: 0,
      unnumbered: 0,
      missing_charges: 0,
    })
  }
}

test('whatever happens to an account, in whatever order, its books are right', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(acts, { minLength: 5, maxLength: 40 }), async (history) => {
      const { account, identity } = await newAccount(micros(4_000_000))
      await runInDurableObject(account, (object, { storage }) => live(object, storage.sql, identity, history))
    }),
    { numRuns: 1_000 },
  )
}, 180_000)

test('reports that come twice, or at once, change the books once', async () => {
  const { account, identity } = await newAccount()
  const { result } = await account.admit(identity, admission(micros(2_000_000)))
  const jobId = result.ok ? result.value.jobId : ''
  const claims = await Promise.all(Array.from({ length: 20 }, () => account.claim(jobId, 'fetch')))
  const won = claims.filter((claim) => claim !== null)
  expect(won).toHaveLength(1)
  const done = {
    finished: { kind: 'import' as const, result: { ...fetchedImport(100_000_000), bucket: null } },
    charge: micros(1_000_000),
    keys: [],
  }
  const reports = await Promise.all(
    Array.from({ length: 20 }, () => account.complete({ jobId, lease: won[0]?.lease ?? '' }, done)),
  )
  expect(reports.filter(Boolean)).toHaveLength(1)
  const books = await runInDurableObject(account, (_, { storage }) => readBooks(storage.sql))
  expect(books).toMatchObject({ balance: 9_000_000, held: 0 })
})
