import { runInDurableObject } from 'cloudflare:test'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { limitsOf } from '../../../domain/account-limits.ts'
import { turnsAhead } from '../../../domain/batches/places.ts'
import { failure } from '../../../domain/codes/failures.ts'
import { micros } from '../../../domain/money/money.ts'
import { type AccountRow, AccountRows } from '../../../worker/account/account-rows.ts'
import type { ItemTask } from '../../../worker/account/calls.ts'
import type { AccountObject } from '../../../worker/index.ts'
import { batchAdmission, fetchedImport, importRequest, newAccount } from '../support/account.ts'

/**
 * Random histories of batches: messages that are lost, come twice or too late, jobs that end in any way, evictions, and a
 * cancellation at any moment. They run inside the object. After every act its tables are checked; at the end everything
 * that is left is done, and each batch has ended once.
 */
interface Model {
  account: AccountObject
  sql: SqlStorage
  identity: Awaited<ReturnType<typeof newAccount>>['identity']
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

const openJobs = (sql: SqlStorage): string[] =>
  sql
    .exec<{ id: string }>("SELECT id FROM jobs WHERE state IN ('queued', 'running')")
    .toArray()
    .map(({ id }) => id)

const claimJob = (index: number): Act => {
  return async ({ account, sql, leases }) => {
    const jobId = pick(openJobs(sql), index)
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
        const jobId = pick(openJobs(sql), index)
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
  fc.constant<Act>(async ({ account, sql }) => {
    sql.exec('UPDATE jobs SET lease_until = 1 WHERE lease IS NOT NULL')
    await account.alarm()
  }),
)

const acts = fc.oneof(
  { weight: 1, arbitrary: starts },
  { weight: 8, arbitrary: work },
  { weight: 2, arbitrary: mishaps },
)

interface Memory {
  state: { rows: { checks: Map<string, unknown>; forget(): void } }
}

const forget = (account: AccountObject): void => {
  const { rows } = (account as unknown as Memory).state
  rows.checks.clear()
  rows.forget()
}

/** Each is the number of rows that are not as they have to be. */
const faults = (sql: SqlStorage): Record<string, number> =>
  sql
    .exec<Record<string, number>>(
      `WITH live AS (SELECT * FROM jobs WHERE state IN ('queued', 'running')),
         ended AS (SELECT batch_id, sum(state = 'completed') AS completed, sum(state = 'failed') AS failed,
             sum(state IN ('skipped', 'canceled')) AS skipped, sum(coalesce(cost_micros, 0)) AS cost, count(*) AS total
           FROM batch_items GROUP BY batch_id)
       SELECT
         (SELECT count(*) FROM batches LEFT JOIN ended ON batch_id = id WHERE batches.total IS NOT NULL AND
            (batches.completed, batches.failed, batches.skipped, batches.cost_micros, batches.total) IS NOT
              (coalesce(ended.completed, 0), coalesce(ended.failed, 0), coalesce(ended.skipped, 0), coalesce(cost, 0),
               coalesce(ended.total, 0))) AS miscounted,
         (SELECT count(*) FROM batches WHERE cost_micros + (SELECT coalesce(sum(held_micros), 0) FROM live
            WHERE batch_id = batches.id) > request ->> 'maxCostMicros') AS above_ceiling,
         (SELECT count(*) FROM batches WHERE cost_micros IS NOT (SELECT coalesce(sum(-amount_micros), 0) FROM ledger
            JOIN jobs ON jobs.id = job_id WHERE ledger.kind = 'charge' AND batch_id = batches.id)) AS mischarged,
         (SELECT count(*) FROM (SELECT 1 FROM jobs WHERE batch_id IS NOT NULL GROUP BY batch_id, batch_item
            HAVING count(*) > 1)) AS doubled,
         (SELECT count(*) FROM live JOIN batches ON batches.id = batch_id WHERE batches.completed_at IS NOT NULL) AS outlived,
         (SELECT count(*) FROM batches WHERE (completed_at IS NULL) IS NOT (state IN ('queued', 'running'))) AS misstated,
         (SELECT count(*) FROM batches WHERE (completed_at IS NULL) IS NOT
            (id IN (SELECT value ->> 'id' FROM account, json_each(open_batches)))) AS misfiled,
         (SELECT count(*) FROM account, json_each(batch_turns) WHERE value ->> 'batchId' IN
            (SELECT id FROM batches WHERE completed_at IS NOT NULL)) AS stray_turns,
         (SELECT count(*) FROM batches WHERE (completed_at IS NOT NULL) IS NOT
            ((SELECT count(*) FROM deliveries WHERE job_id = batches.id AND type = 'batch.' || batches.state) = 1)) AS mistold,
         (SELECT count(*) FROM deliveries WHERE type LIKE 'batch.%') -
            (SELECT count(*) FROM batches WHERE completed_at IS NOT NULL) AS told_twice,
         (SELECT count(*) FROM sealed_keys JOIN batches ON id = job_id WHERE completed_at IS NOT NULL) AS stray_keys,
         (SELECT held_micros - (SELECT coalesce(sum(held_micros), 0) FROM jobs) FROM account) AS misheld`,
    )
    .one()

const expectNoFault = (sql: SqlStorage): void => {
  const found = Object.entries(faults(sql)).filter(([, count]) => count !== 0)
  expect(found).toEqual([])
  expectTurns(new AccountRows(sql).account)
}

/** As many items are checked ahead as may be, so that no batch waits for nothing. */
const expectTurns = ({ isSuspended, limits, openBatches, turns }: AccountRow): void => {
  if (isSuspended) return
  const [listings, items] = [turns.filter(({ index }) => index === null), turns.filter(({ index }) => index !== null)]
  const unlisted = openBatches.filter((batch) => batch.items === 0)
  expect(listings).toHaveLength(Math.min(2, unlisted.length))
  const left = openBatches.filter((batch) => batch.next < batch.items)
  if (left.length > 0) {
    expect(items.length).toBeGreaterThanOrEqual(turnsAhead(limitsOf(limits).concurrentJobs.import))
  }
}

/** Does everything that is left, as queues and engines that work would. */
const doTheRest = async (model: Model): Promise<void> => {
  const { account, sql, batches, tasks, leases } = model
  await account.change({ isSuspended: false })
  const isOpen = () => sql.exec('SELECT 1 FROM batches WHERE completed_at IS NULL').toArray().length > 0
  for (let rounds = 0; isOpen(); rounds++) {
    expect(rounds, 'rounds until all batches have ended').toBeLessThan(100)
    forget(account)
    sql.exec('UPDATE jobs SET lease_until = 1 WHERE lease IS NOT NULL')
    await account.alarm()
    for (const index of batches.keys()) await list(index, 2)(model)
    await claimItems(model)
    for (let index = tasks.length - 1; index >= 0; index--) await reportCheck(index, 10_000)(model)
    for (const jobId of openJobs(sql)) {
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
      const { account, identity } = await newAccount(micros(200_000))
      await runInDurableObject(account, async (object, { storage: { sql } }) => {
        await object.summary({ ...identity, rateClass: 'general' })
        const model: Model = { account: object, sql, identity, batches: [], tasks: [], leases: [] }
        for (const act of [first, ...history]) {
          await act(model)
          expectNoFault(sql)
        }
        await doTheRest(model)
      })
    }),
    { numRuns: 25 },
  )
}, 60_000)
