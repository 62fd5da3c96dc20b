import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import type { AccountReport, EndedJob } from '../../../domain/metrics/account-report.ts'
import { noTotals } from '../../../domain/metrics/job-totals.ts'
import type { MetricsObject } from '../../../worker/index.ts'
import { skip } from '../support/clock.ts'

/** An object of the test's own. */
const newMetrics = () => env.METRICS.getByName(`metrics of a test ${crypto.randomUUID()}`)

const endedJob = (number: number, host = 'media.example'): EndedJob => ({
  ...{ kind: 'import', outcome: 'completed', code: '', jobId: `imp_${number}`, number, host },
  ...{ seconds: {}, waitedSeconds: 0, bytesIn: 0, bytesOut: 0, costMicros: 0, requestId: null, version: '' },
})

/** An account whose version is the number of its charged micro-dollars. */
const report = (version: number, ended: EndedJob | null = null, accountId = 'acct_a'): AccountReport => ({
  accountId,
  totals: { ...noTotals, version, ends: ended?.number ?? 0, chargedMicros: version },
  heldMicros: version,
  wakeAt: null,
  schemaVersion: 20,
  ended,
})

test('a report that is late or comes twice changes nothing', async () => {
  const metrics = newMetrics()
  await metrics.report(report(7))
  const { chargedMicros, heldMicros } = await metrics.sums()
  expect([chargedMicros, heldMicros]).toEqual([7, 7])
  for (const version of [7, 3]) await metrics.report(report(version))
  expect(await metrics.sums()).toMatchObject({ chargedMicros: 7, heldMicros: 7 })
  await metrics.report(report(8))
  await metrics.report(report(5, null, 'acct_b'))
  expect(await metrics.sums()).toMatchObject({ chargedMicros: 13, heldMicros: 13 })
})

test('each account counts for the version of its schema that it reported last', async () => {
  const metrics = newMetrics()
  const versions = async () => (await metrics.sums()).schemaVersions
  await metrics.report({ ...report(7), schemaVersion: 19 })
  await metrics.report({ ...report(7, null, 'acct_b'), schemaVersion: 19 })
  expect(await versions()).toEqual({ 19: 2 })
  await metrics.report(report(7))
  await metrics.report(report(8, null, 'acct_b'))
  // It is late.
  await metrics.report({ ...report(6, endedJob(1)), schemaVersion: 19 })
  expect(await versions()).toEqual({ 19: 0, 20: 2 })
  await evictDurableObject(metrics)
  expect(await versions()).toEqual({ 20: 2 })
})

test('an end is counted once, in whatever order ends arrive, also by an object that was evicted', async () => {
  const metrics = newMetrics()
  const answers: boolean[] = []
  for (const number of [2, 1, 2, 4, 1, 3, 4]) {
    answers.push((await metrics.report(report(9, endedJob(number)))).isNewEnd)
    await evictDurableObject(metrics)
  }
  expect(answers).toEqual([true, true, false, true, false, true, false])
  expect(await metrics.outcomes(0)).toMatchObject([{ source: 'media.example', count: 4 }])
})

test('a host after the 50th of an account and an hour is counted as other', async () => {
  const metrics = newMetrics()
  await runInDurableObject(metrics, (object: MetricsObject) => {
    for (let number = 1; number <= 50; number++) object.report(report(1, endedJob(number, `${number}.example`)))
  })
  for (const [number, host] of [
    [51, 'new.example'],
    [52, '7.example'],
    [53, 'newer.example'],
  ] as const) {
    await metrics.report(report(1, endedJob(number, host)))
  }
  const counted = await metrics.outcomes(0)
  const countOf = (host: string) => counted.find(({ source }) => source === host)?.count
  expect([countOf('other'), countOf('7.example'), countOf('new.example')]).toEqual([2, 2, undefined])
})

test('outcomes are counted by hour for a day, then by day for a week, and then deleted', async () => {
  const metrics = newMetrics()
  // Not at the end of a day, which would be another one in an hour.
  skip(24 * 3_600_000 - (Date.now() % (24 * 3_600_000)) + 3_600_000)
  const startOfDay = Math.floor(Date.now() / 86_400_000) * 86_400_000
  await metrics.report(report(1, endedJob(1)))
  skip(3_600_000)
  await metrics.report(report(1, { ...endedJob(2), version: '2026.11.1' }))
  const hours = async () => (await metrics.outcomes(0)).map(({ hour, count, version }) => [hour, count, version])
  expect(await hours()).toHaveLength(2)
  skip(27 * 3_600_000)
  await metrics.report(report(1, endedJob(3)))
  expect((await hours()).slice(1).sort()).toEqual([
    [startOfDay, 1, ''],
    [startOfDay, 1, '2026.11.1'],
  ])
  skip(7 * 24 * 3_600_000)
  await metrics.report(report(1, endedJob(4)))
  expect(await hours()).toHaveLength(2)
})

test('events are counted, and an eviction loses none', async () => {
  const metrics = newMetrics()
  const counters = async () => (await metrics.sums()).counters
  await metrics.count('bytes served', 700, null)
  await metrics.count('bytes served', 300, null)
  await metrics.count('webhook attempts retried', 1, null)
  const written = { 'bytes served': 1_000, 'webhook attempts retried': 1 }
  expect(await counters()).toEqual(written)
  await evictDurableObject(metrics)
  expect(await counters()).toEqual(written)
  await metrics.count('dead letters steps-dead', 1, null)
  expect(await counters()).toEqual({ ...written, 'dead letters steps-dead': 1 })
})

test('the last 100 webhooks that were given up are kept', async () => {
  const metrics = newMetrics()
  const facts = {
    accountId: 'acct_a',
    jobId: 'imp_1',
    type: 'import.completed',
    host: 'receiver.example',
    attempts: 10,
  }
  await runInDurableObject(metrics, (object: MetricsObject) => {
    for (let at = 1; at <= 105; at++) {
      const dead = { ...facts, deliveryId: `evt_${at}`, status: 500, failedAt: at }
      object.count('webhook attempts failed', 1, dead)
    }
  })
  const kept = await metrics.deadWebhooks()
  expect(kept.map(({ failedAt }) => failedAt)).toEqual(Array.from({ length: 100 }, (_, index) => 105 - index))
})
