import fc from 'fast-check'
import { expect, test } from 'vitest'
import { batchStatus } from '../../../domain/batches/batch.ts'
import { failure } from '../../../domain/codes/failures.ts'
import { eventNumberOf } from '../../../domain/events/event-ids.ts'
import type { ImportJob } from '../../../domain/jobs/job.ts'
import { importStatus } from '../../../domain/jobs/job-status.ts'
import { micros } from '../../../domain/money/money.ts'
import type { AccountEvent } from '../../../worker/account/calls.ts'
import { admission, batchAdmission, fetchedImport, importRequest } from '../support/account.ts'
import { coarsenClock, skip } from '../support/clock.ts'
import { eventsInTables } from '../support/invariants.ts'
import { type LoneAccount, withLoneAccount } from '../support/lone-account.ts'
import { runs } from '../support/runs.ts'
import { batchOfJobs, unclaimedJobs } from '../support/tables.ts'

/**
 * Random histories of jobs and batches, with evictions of the object and a clock that stands still, jumps and is set back. The
 * expected events follow from the tables after each act. A reader that is always there, and readers that resume after
 * each of the events, receive them once and in one order.
 */
interface Model extends LoneAccount {
  jobs: string[]
  batches: string[]
  leases: { jobId: string; lease: string }[]
}

type Act = (model: Model) => Promise<unknown>

/** One of the newest. */
const pick = <T>(list: T[], index: number): T | undefined => list.at(-1 - (index % Math.max(1, list.length)))
const which = fc.nat({ max: 3 })
const WEBHOOK_URL = 'https://receiver.example/hook'
const { url: _, ...item } = importRequest({ webhookUrl: WEBHOOK_URL })
const finished = { kind: 'import' as const, result: { ...fetchedImport(1_000), bucket: null } }

const onLease = (act: (model: Model, lease: Model['leases'][number]) => Promise<unknown>) =>
  which.map(
    (index): Act =>
      async (model) => {
        const lease = pick(model.leases, index)
        if (lease) await act(model, lease)
      },
  )

const startImport: Act = async ({ account, identity, jobs }) => {
  const request = importRequest({ webhookUrl: WEBHOOK_URL })
  const { result } = await account.admit(identity, admission(micros(10_000), { request }))
  if (result.ok) jobs.push(result.value.jobId)
}

const startBatch = (count: number): Act => {
  return async ({ account, identity, batches }) => {
    const admitted = batchAdmission(count, { webhookUrl: WEBHOOK_URL, item: { kind: 'import', request: item } })
    const { result } = await account.admitBatch(identity, admitted)
    if (result.ok) batches.push(result.value.batchId)
  }
}

const checkItems = (isRefused: boolean): Act => {
  return async ({ account, batches }) => {
    for (const batchId of batches.slice(-2)) {
      for (let index = 0; index < 3; index++) {
        const task = await account.claimItem(batchId, index)
        if (!task) continue
        if (isRefused) await account.refuseItem(task, { code: 'UNREACHABLE_URL', message: 'No.', retryable: true })
        else await account.admitItem(task, { hold: micros(10_000), diskBytes: null, reuseKey: 'a key' })
      }
    }
  }
}

const claimOpenJobs: Act = async ({ account, sql, leases }) => {
  for (const id of unclaimedJobs(sql)) {
    const claim = await account.claim(id, 'fetch')
    if (claim) leases.push({ jobId: id, lease: claim.lease })
  }
}

const evict: Act = async (model) => {
  model.account = await model.evicted()
}

const acts: fc.Arbitrary<Act> = fc.oneof(
  fc.constant(startImport),
  fc.integer({ min: 1, max: 3 }).map(startBatch),
  fc.constantFrom(false, false, true).map(checkItems),
  fc.constant(claimOpenJobs),
  onLease(({ account }, lease) => account.complete(lease, { finished, charge: micros(10), keys: [] })),
  onLease(({ account }, lease) => account.failStep(lease, failure('SOURCE_BLOCKED'))),
  onLease(({ account }, lease) => account.giveBack(lease)),
  which.map(
    (index): Act =>
      async ({ account, identity, jobs }) =>
        account.remove({ ...identity, rateClass: 'general' }, pick(jobs, index) ?? ''),
  ),
  which.map(
    (index): Act =>
      async ({ account, identity, batches }) =>
        account.cancelBatch({ ...identity, rateClass: 'general' }, pick(batches, index) ?? ''),
  ),
  fc.constant(evict),
  fc.constantFrom(500, 60_000, -200, -200).map(
    (ms): Act =>
      async () =>
        skip(ms),
  ),
)

interface Told {
  type: string
  subject: string
}

const told = ({ type, job, batch }: AccountEvent): Told => ({ type, subject: job?.id ?? batch?.id ?? '' })
const nameOf = ({ type, subject }: Told): string => `${subject} ${type}`

/** What callers see of an event. That the media of a job was removed may be told too early: it is not an event. */
const seen = ({ id, type, at, job, batch }: AccountEvent) => {
  const status = job ? importStatus(job as ImportJob, null) : batch && batchStatus(batch)
  return { id, type, at, status: { ...status, removedAt: null } }
}

/** What a reader receives that has everything up to this number. */
const readAfter = async ({ account, identity }: Model, after: number): Promise<AccountEvent[]> => {
  const events: AccountEvent[] = []
  for (let last = after; ; ) {
    const page = await account.eventsAfter(identity.keyHash, 'reader', last)
    if (!page || page.last === last) return events
    events.push(...structuredClone(page.events))
    last = page.last
  }
}

/** Within one act, a job starts before it ends, and its end is told before that of its batch. */
const expectOrder = (events: AccountEvent[], batchOf: Map<string, string>): void => {
  const positions = new Map(events.map((event, position) => [nameOf(told(event)), position]))
  for (const [position, { type, job }] of events.entries()) {
    if (!job) continue
    if (type !== 'job.started' && job.startedAt !== null) {
      expect(positions.get(`${job.id} job.started`)).toBeLessThan(position)
    }
    const batchId = batchOf.get(job.id)
    const batchEnd = batchId && events.findIndex(({ batch }) => batch?.id === batchId)
    if (batchEnd !== undefined && batchEnd !== '' && batchEnd >= 0) expect(position).toBeLessThan(batchEnd)
  }
}

const live = async (model: Model, history: Act[]): Promise<void> => {
  const { sql } = model
  const received: AccountEvent[] = []
  let last = 0
  for (const act of history) {
    await act(model)
    const events = await readAfter(model, last)
    last = eventNumberOf(events.at(-1)?.id ?? received.at(-1)?.id ?? 'evt_00000000000000000000000000')
    received.push(...events)
    // Each event is told after the act in which it happened, and once.
    expect(received.map(told).map(nameOf).sort()).toEqual(eventsInTables(sql).map(nameOf).sort())
  }
  const ids = received.map(({ id }) => id)
  expect(ids).toEqual([...new Set(ids)].sort())
  expectOrder(received, batchOfJobs(sql))
  for (const [position, { id }] of received.entries()) {
    if (position % 3 === 0) await evict(model)
    const resumed = await readAfter(model, eventNumberOf(id))
    expect(resumed.map(seen)).toEqual(received.slice(position + 1).map(seen))
  }
  expect((await readAfter(model, 0)).map(seen)).toEqual(received.map(seen))
  await expectDeliveries(model, received)
}

/** Every ended job and batch has a webhook here. */
const expectDeliveries = async ({ account, identity }: Model, events: AccountEvent[]): Promise<void> => {
  const { result } = await account.deliveries(identity, { jobId: null, state: null }, { before: null, limit: 1_000 })
  const deliveries = result.ok ? result.value.map(({ id, type }) => ({ id, type })) : []
  const ends = events.filter(({ type }) => type !== 'job.started').map(({ id, type }) => ({ id, type }))
  expect(deliveries.reverse()).toEqual(ends)
}

const histories = fc.array(acts, { minLength: 10, maxLength: 40, size: 'max' })

test('whatever happens to an account, each event is told once, in one order, to readers who resume anywhere', async () => {
  // So that several acts have the same millisecond.
  coarsenClock(50)
  await fc.assert(
    fc.asyncProperty(histories, async (history) => {
      await withLoneAccount(micros(10_000_000), (lone) =>
        live({ ...lone, jobs: [], batches: [], leases: [] }, [
          startImport,
          startBatch(3),
          checkItems(false),
          claimOpenJobs,
          ...history,
        ]),
      )
    }),
    { numRuns: runs(30) },
  )
}, 1_200_000)
