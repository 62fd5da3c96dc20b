import { env } from 'cloudflare:workers'
import { expect, onTestFinished, test, vi } from 'vitest'
import { failure } from '../../../domain/codes/failures.ts'
import { newId } from '../../../domain/ids.ts'
import type { AccountReport, EndedJob } from '../../../domain/metrics/account-report.ts'
import { noTotals } from '../../../domain/metrics/job-totals.ts'
import { logEndedJob, reportAccount } from '../../../worker/metrics/report-account.ts'
import { finishImport } from '../support/account.ts'
import { type Caller, newCaller } from '../support/caller.ts'
import { eventually, skip } from '../support/clock.ts'

/** The lines that are written from now until the end of the test. */
const logged = () => {
  const lines: string[] = []
  const log = console.log
  const spy = vi.spyOn(console, 'log').mockImplementation((...all) => {
    const [line] = all
    if (typeof line === 'string' && line.startsWith('{"event":"job.ended"')) lines.push(line)
    else log(...all)
  })
  onTestFinished(() => spy.mockRestore())
  return {
    lines,
    of: (accountId: string) => lines.filter((line) => line.includes(accountId)).map((line) => JSON.parse(line)),
  }
}

const start = async (caller: Caller) => {
  const { body, headers } = await caller.post('/import', {
    url: 'https://User.example:8080/private/film.mp4?token=secret',
  })
  return { jobId: body.data.jobId as string, requestId: headers.get('x-request-id') }
}

test('an ended job has one log line, with seconds by step and without the path or query of its URL', async () => {
  const { lines, of } = logged()
  const caller = await newCaller()
  const { jobId, requestId } = await start(caller)
  skip(4_000)
  const first = await caller.account.claim(jobId, 'fetch')
  skip(10_000)
  await caller.account.giveBack({ jobId, lease: first?.lease ?? '' })
  skip(5_000)
  const second = await caller.account.claim(jobId, 'fetch')
  skip(20_000)
  await caller.account.failStep({ jobId, lease: second?.lease ?? '' }, failure('SOURCE_PRIVATE'))
  await eventually(async () => expect(of(caller.accountId)).toHaveLength(1))
  const [line] = of(caller.accountId)
  expect(Object.keys(line)[0]).toBe('event')
  expect(line).toEqual({
    ...{ event: 'job.ended', jobId, accountId: caller.accountId, kind: 'import', outcome: 'failed' },
    ...{ code: 'SOURCE_PRIVATE', host: 'user.example', bytesIn: 0, bytesOut: 0, costDollars: 0, requestId },
    seconds: { fetch: expect.closeTo(30, -0.5) },
    waitedSeconds: expect.closeTo(9, -0.5),
  })
  expect(lines.join()).not.toMatch(/secret|private\/|film/)
})

test('a completed job says what it has cost and downloaded', async () => {
  const { of } = logged()
  const caller = await newCaller()
  const { jobId } = await start(caller)
  await finishImport(caller.account, jobId, 1_234_500)
  await eventually(async () =>
    expect(of(caller.accountId)).toMatchObject([
      { outcome: 'completed', code: '', bytesIn: 1_234_500, costDollars: 0.012345 },
    ]),
  )
})

const ended = (changes: Partial<EndedJob> = {}): EndedJob => ({
  ...{ kind: 'import', outcome: 'completed', code: '', jobId: newId('import', Date.now()), number: 1 },
  ...{ host: 'media.example', seconds: { fetch: 3, deliver: 2 }, waitedSeconds: 1.5, bytesIn: 10, bytesOut: 20 },
  ...{ costMicros: 1_500_000, requestId: null, version: '' },
  ...changes,
})

const report = (job: EndedJob): AccountReport => ({
  accountId: newId('account', Date.now()),
  totals: { ...noTotals, version: 1, ends: 1 },
  heldMicros: 0,
  wakeAt: null,
  schemaVersion: 1,
  ended: job,
})

test('JOB_LOG_SAMPLE is the share of completed jobs that is logged, and the others are always logged', () => {
  const { lines } = logged()
  const sampled = { ...env, JOB_LOG_SAMPLE: '0.3' }
  for (let count = 0; count < 300; count++) logEndedJob(sampled, 'acct_a', ended())
  // Six standard deviations.
  expect(lines.length).toBeGreaterThan(90 - 48)
  expect(lines.length).toBeLessThan(90 + 48)
  lines.length = 0
  for (const outcome of ['completed', 'failed', 'canceled'] as const) {
    logEndedJob({ ...env, JOB_LOG_SAMPLE: '0' }, 'acct_a', ended({ outcome }))
  }
  expect(lines.map((line) => JSON.parse(line).outcome)).toEqual(['failed', 'canceled'])
})

test('with Analytics Engine, an ended job is one data point, and a repeated report none', async () => {
  logged()
  const points: unknown[] = []
  const ANALYTICS = { writeDataPoint: (point: unknown) => points.push(point) }
  const given = report(ended({ outcome: 'failed', code: 'TIMED_OUT' }))
  for (let turn = 0; turn < 2; turn++) await reportAccount({ ...env, ANALYTICS } as never, given)
  expect(points).toEqual([
    {
      indexes: [given.accountId],
      blobs: ['import', 'failed', 'TIMED_OUT', 'media.example'],
      doubles: [10, 20, 1.5, 6.5, 3, 2, 0, 0, 0],
    },
  ])
})
