import fc from 'fast-check'
import { expect, test } from 'vitest'
import { defaultLimits, limitsOf } from '../../../domain/account-limits.ts'
import { turnsAhead } from '../../../domain/batches/slots.ts'
import { failure } from '../../../domain/codes/failures.ts'
import { LEASE_MS } from '../../../domain/limits.ts'
import { micros } from '../../../domain/money/money.ts'
import { defaultTerms } from '../../../domain/terms.ts'
import type { AccountRow } from '../../../worker/account/account-row.ts'
import { AccountRows } from '../../../worker/account/account-rows.ts'
import type { ItemTask } from '../../../worker/account/calls.ts'
import { batchAdmission, fetchedImport, importRequest } from '../support/account.ts'
import { skip } from '../support/clock.ts'
import { batchFaults, expectNone } from '../support/invariants.ts'
import { type LoneAccount, withLoneAccount } from '../support/lone-account.ts'
import { runs } from '../support/runs.ts'
import { hasOpenBatch, liveJobs } from '../support/tables.ts'

/**
 * Random histories of batches: messages that are lost, come twice or too late, jobs that end in any way, evictions, and a
 * cancellation at any moment. They run inside the object. After every act its tables are checked; at the end everything
 * that is left is done, and each batch has ended once.
 */
interface Model extends LoneAccount {
  batches: string[]
  tasks: ItemTask[]
  leases: { jobId: string; lease: string }[]
}

type Act = (model: Model) => Promise<unknown>

/** One of the newest. */
const pick = <T>(list: T[], index: number): T | undefined => list.at(-1 - (index % Math.max(1, list.length)))
const which = fc.nat({ max: 5 })
const WEBHOOK_URL = 'https://receiver.example/hook'
const { url: _, ...request } = importRequest()

const start = (count: number, ceiling: number | null, isPlaylist: boolean): Act => {
  return async ({ account, identity, batches }) => {
    const source = isPlaylist ? { source: { kind: 'playlist' as const, url: 'https://media.example/', limit: 6 } } : {}
    const maxCostMicros = ceiling === null ? null : micros(ceiling)
    const admission = batchAdmission(count, { webhookUrl: WEBHOOK_URL, maxCostMicros, sealedKey: 'sealed', ...source })
    const { result } = await account.admitBatch(identity, { ...admission, item: { kind: 'import', request } })
    if (result.ok) batches.push(result.value.batchId)
  }
}

const list = (index: number, count: number): Act => {
  return async ({ account, batches }) => {
    const task = await account.claimListing(pick(batches, index) ?? '')
    if (!task) return
    const items = Array.from({ length: count }, (_, item) => ({ url: `https://media.example/${item}`, title: null }))
    if (count === 5) await account.failListing(task, failure('INTERNAL'), { retryAfterMs: 0 })
    else if (count === 6) await account.failListing(task, failure('SOURCE_PRIVATE'))
    else await account.finishListing(task, { title: 'films', items })
  }
}

const claimItems: Act = async ({ account, batches, tasks }) => {
  for (const batchId of batches) {
    for (let index = 0; index < 6; index++) {
      const task = await account.claimItem(batchId, index)
      if (task) tasks.push(task)
    }
  }
}

/** Also of checks that were reported before. */
const reportCheck = (index: number, hold: number | null): Act => {
  return async ({ account, tasks }) => {
    const task = pick(tasks, index)
    if (!task) return
    if (hold !== null) await account.admitItem(task, { hold: micros(hold), diskBytes: null, reuseKey: 'a key' })
    else await account.refuseItem(task, { code: 'UNREACHABLE_URL', message: 'No.', retryable: true })
  }
}

const claimJob = (index: number): Act => {
  return async ({ account, sql, leases }) => {
    const jobId = pick(liveJobs(sql), index)
    const claim = jobId && (await account.claim(jobId, 'fetch'))
    if (jobId && claim) leases.push({ jobId, lease: claim.lease })
  }
}

const complete = (index: number, bytes: number): Act => {
  return async ({ account, leases }) => {
    const lease = pick(leases, index)
    const result = { ...fetchedImport(bytes), bucket: null }
    const done = { finished: { kind: 'import' as const, result }, charge: micros(Math.ceil(bytes / 100)), keys: [] }
    if (lease) await account.complete(lease, done)
  }
}

const starts = fc
  .tuple(fc.integer({ min: 1, max: 6 }), fc.option(fc.nat({ max: 150_000 })), fc.boolean())
  .map(([count, ceiling, isPlaylist]) => start(count, ceiling, isPlaylist))

/** Bytes whose price the ceilings and the balance often allow. */
const bytes = fc.nat({ max: 5_000_000 })

const work: fc.Arbitrary<Act> = fc.oneof(
  fc.tuple(which, fc.nat({ max: 6 })).map(([index, count]) => list(index, count)),
  fc.constant(claimItems),
  fc.constant(claimItems),
  fc.tuple(which, fc.option(fc.nat({ max: 40_000 }), { freq: 3 })).map(([index, hold]) => reportCheck(index, hold)),
  fc.tuple(which, fc.nat({ max: 40_000 })).map(([index, hold]) => reportCheck(index, hold)),
  which.map(claimJob),
  fc.tuple(which, bytes).map(([index, size]) => complete(index, size)),
)

const mishaps: fc.Arbitrary<Act> = fc.oneof(
  fc.tuple(which, bytes).map(([index, totalBytes]): Act => {
    const report = { stage: 'downloading', percent: null, bytesPerSecond: null, downloadedBytes: 0 } as const
    return async ({ account, leases }) => {
      const lease = pick(leases, index)
      if (lease) await account.reportProgress(lease, { ...report, totalBytes, wantedBytes: 2 * totalBytes })
    }
  }),
  which.map(
    (index): Act =>
      async ({ account, leases }) => {
        const lease = pick(leases, index)
        if (lease) await account.failStep(lease, failure('SOURCE_BLOCKED'))
      },
  ),
  which.map(
    (index): Act =>
      async ({ account, identity, sql }) => {
        const jobId = pick(liveJobs(sql), index)
        if (jobId) await account.remove({ ...identity, rateClass: 'general' }, jobId)
      },
  ),
  which.map(
    (index): Act =>
      async ({ account, identity, batches }) => {
        const id = pick(batches, index)
        if (id) await account.cancelBatch({ ...identity, rateClass: 'general' }, id)
      },
  ),
  which.map(
    (index): Act =>
      async ({ account, identity, batches }) => {
        const id = pick(batches, index)
        const { result } = await account.retryBatch(identity, id ?? '', { idempotency: null, origin: null })
        if (result.ok) batches.push(result.value.batchId)
      },
  ),
  fc.constantFrom(true, false, false, false).map(
    (isSuspended): Act =>
      ({ account }) =>
        account.change({ isSuspended }),
  ),
  fc.constantFrom(1, 2, 3, 5).map(
    (limit): Act =>
      ({ account }) =>
        account.change({ limits: { concurrentJobs: { import: limit } } }),
  ),
  // What an eviction forgets, and what the alarm does when leases have expired.
  fc.constant<Act>(async ({ account }) => forget(account)),
  fc.constant<Act>(async ({ account }) => {
    skip(LEASE_MS)
    await account.alarm()
  }),
)

const acts = fc.oneof(
  { weight: 1, arbitrary: starts },
  { weight: 8, arbitrary: work },
  { weight: 2, arbitrary: mishaps },
)

interface Memory {
  state: { rows: { claimedTurns: Map<string, unknown>; forget(): void } }
}

const forget = (account: LoneAccount['account']): void => {
  const { rows } = (account as unknown as Memory).state
  rows.claimedTurns.clear()
  rows.forget()
}

const expectNoFault = (sql: SqlStorage): void => {
  expectNone(batchFaults(sql))
  expectTurns(new AccountRows(sql, defaultTerms).account)
}

/** As many items are checked ahead as may be, so that no batch waits for nothing. */
const expectTurns = ({ isSuspended, limits, openBatches, turns }: AccountRow): void => {
  if (isSuspended) return
  const [listings, items] = [turns.filter(({ index }) => index === null), turns.filter(({ index }) => index !== null)]
  const unlisted = openBatches.filter((batch) => batch.items === 0)
  expect(listings).toHaveLength(Math.min(2, unlisted.length))
  const left = openBatches.filter((batch) => batch.next < batch.items)
  if (left.length > 0) {
    expect(items.length).toBeGreaterThanOrEqual(turnsAhead(limitsOf(limits, defaultLimits).concurrentJobs.import))
  }
}

/** Does everything that is left, as queues and engines that work would. */
const doTheRest = async (model: Model): Promise<void> => {
  const { account, sql, batches, tasks, leases } = model
  await account.change({ isSuspended: false })
  for (let rounds = 0; hasOpenBatch(sql); rounds++) {
    expect(rounds, 'rounds until all batches have ended').toBeLessThan(100)
    forget(account)
    skip(LEASE_MS)
    await account.alarm()
    for (const index of batches.keys()) await list(index, 2)(model)
    await claimItems(model)
    for (let index = tasks.length - 1; index >= 0; index--) await reportCheck(index, 10_000)(model)
    for (const jobId of liveJobs(sql)) {
      const claim = await account.claim(jobId, 'fetch')
      if (claim) leases.push({ jobId, lease: claim.lease })
    }
    for (const index of leases.keys()) await complete(index, 500_000)(model)
    expectNoFault(sql)
  }
}

/** Not shorter, because a job takes four acts to its end. */
const histories = fc.tuple(starts, fc.array(acts, { minLength: 25, maxLength: 50, size: 'max' }))

test('whatever happens to batches, each item ends once, within the ceiling, and each batch tells of its end once', async () => {
  await fc.assert(
    fc.asyncProperty(histories, async ([first, history]) => {
      await withLoneAccount(micros(200_000), async (lone) => {
        const model: Model = { ...lone, batches: [], tasks: [], leases: [] }
        for (const act of [first, ...history]) {
          await act(model)
          expectNoFault(lone.sql)
        }
        await doTheRest(model)
      })
    }),
    { numRuns: runs(25) },
  )
}, 1_200_000)
