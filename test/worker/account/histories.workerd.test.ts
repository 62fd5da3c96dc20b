import fc from 'fast-check'
import { expect, test } from 'vitest'
import { failure } from '../../../domain/codes/failures.ts'
import type { Step } from '../../../domain/jobs/job.ts'
import { LEASE_MS } from '../../../domain/limits.ts'
import { requiredHold } from '../../../domain/money/bill.ts'
import { micros } from '../../../domain/money/money.ts'
import { readJob } from '../../../worker/account/jobs/job-rows.ts'
import { admission, fetchedImport, newAccount, transcribeRequest } from '../support/account.ts'
import { skip } from '../support/clock.ts'
import { bookFaults, expectNone, readBooks } from '../support/invariants.ts'
import { type LoneAccount, withLoneAccount } from '../support/lone-account.ts'
import { runs } from '../support/runs.ts'
import { inTables } from '../support/tables.ts'

/**
 * Random histories of everything that can happen to an account, in any order, with duplicates and with
 * reports that come too late. They run inside the object, so that there can be thousands of them; after every
 * act the books are read from its own tables.
 */
interface Model extends LoneAccount {
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
        if (jobId) await account.refuseStep(jobId, step, 0, failure('INTERNAL'))
      },
  ),
  fc.constant<Act>(async ({ account }) => {
    skip(LEASE_MS)
    await account.alarm()
  }),
)

const live = async (lone: LoneAccount, history: Act[]): Promise<void> => {
  const model: Model = { ...lone, jobs: [], leases: [] }
  const { sql } = lone
  for (const act of history) {
    await act(model)
    expectNone(bookFaults(sql))
  }
}

test('whatever happens to an account, in whatever order, its books are right', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(acts, { minLength: 5, maxLength: 40 }), async (history) => {
      await withLoneAccount(micros(4_000_000), (lone) => live(lone, history))
    }),
    { numRuns: runs(400) },
  )
}, 1_200_000)

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
  const books = await inTables(account, readBooks)
  expect(books).toMatchObject({ balance: 9_000_000, held: 0 })
})
