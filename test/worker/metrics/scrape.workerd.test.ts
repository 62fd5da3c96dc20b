import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import alerts from '../../../docs/alerts.yml?raw'
import { allFleets } from '../../../worker/fleet/fleet-of.ts'
import { accountMetrics, eventMetrics } from '../../../worker/metrics/metrics-of.ts'
import { asOperator, callApi, newCaller } from '../support/caller.ts'
import { countObject } from '../support/counts.ts'
import { scrape } from '../support/metrics.ts'

test('the metrics are OpenMetrics text, and only for operators', async () => {
  const { status, headers, body } = await asOperator('GET', '/admin/metrics')
  expect([status, headers.get('content-type')]).toEqual([
    200,
    'application/openmetrics-text; version=1.0.0; charset=utf-8',
  ])
  expect(body.endsWith('\n# EOF\n')).toBe(true)
  expect((await callApi('GET', '/admin/metrics')).status).toBe(401)
})

test('the metrics are JSON for those who ask for it, and each sample is a line of the text', async () => {
  const { headers, body } = await callApi('GET', '/admin/metrics', {
    key: 'admin-token',
    headers: { accept: 'application/json' },
  })
  expect(headers.get('content-type')).toBe('application/json')
  const samples: { name: string; labels: Record<string, string> }[] = body.data.samples
  const texts = samples.map(({ name, labels }) => {
    const pairs = Object.entries(labels).map(([label, text]) => `${label}="${text}"`)
    return pairs.length > 0 ? `${name}{${pairs.join()}}` : name
  })
  expect(texts).toEqual([...(await scrape()).series.keys()])
})

test('what alerts name has a series before it first happens, and so have other metrics', async () => {
  const series = [...(await scrape()).series.keys()]
  expect(series).toEqual(
    expect.arrayContaining([
      'haul_jobs_ended_total{kind="import",outcome="canceled",code="CANCELED"}',
      'haul_steps_waiting{step="fetch"}',
      'haul_oldest_step_seconds{step="probe"}',
      'haul_engines{state="running"}',
      'haul_engines{state="draining"}',
      'haul_engine_places{kind="cpu"}',
      'haul_engine_places_taken{kind="network"}',
      'haul_engine_start_seconds_bucket{le="+Inf"}',
      'haul_bytes_total{direction="in"}',
      'haul_bytes_total{direction="out"}',
      'haul_webhook_attempts_total{outcome="failed"}',
      'haul_dead_letters_total{queue="steps-dead"}',
      'haul_dead_letters_total{queue="webhooks-dead"}',
      'haul_charged_dollars_total',
      'haul_held_dollars',
    ]),
  )
  const metrics = [...new Set(alerts.match(/\bhaul_[a-z_]+/g))]
  expect(metrics).toHaveLength(6)
  // Sources have series once they had jobs.
  const without = metrics.filter((metric) => !series.some((each) => each.startsWith(metric)))
  expect(without.filter((metric) => metric !== 'haul_source_jobs')).toEqual([])
  const codes = [...alerts.matchAll(/code=~"(\S+?)"/g)].flatMap(([, each = '']) => each.split('|'))
  expect(codes).not.toEqual([])
  for (const kind of ['import', 'transcription']) {
    const ends = [['completed', ''], ...codes.map((code) => ['failed', code])]
    expect(series).toEqual(
      expect.arrayContaining(
        ends.map(([outcome, code]) => `haul_jobs_ended_total{kind="${kind}",outcome="${outcome}",code="${code}"}`),
      ),
    )
  }
})

test('a scrape is one request of each fleet and at most two of each metrics object, and writes no row', async () => {
  await scrape()
  const fleets = await Promise.all(allFleets(env).map((fleet) => countObject(fleet)))
  const accounts = await Promise.all(accountMetrics(env).map((object) => countObject(object)))
  const events = await countObject(eventMetrics(env))
  for (let turn = 0; turn < 3; turn++) await scrape()
  expect(fleets.map(({ requests }) => requests.report)).toEqual(fleets.map(() => 3))
  expect([...accounts, events].map(({ requests, rows }) => ({ requests, rows }))).toEqual([
    ...accounts.map(() => ({ requests: { sums: 3, outcomes: 3 }, rows: 0 })),
    { requests: { sums: 3 }, rows: 0 },
  ])
})

test('engines are listed with their places and disk, and steps with how long they have waited', async () => {
  const { status, body } = await asOperator('GET', '/admin/engines')
  expect(status).toBe(200)
  const { engines, waiting } = body.data
  // Other tests let time pass, so some may have stopped.
  const names = Array.from({ length: 8 }, (_, index) => `engine-${index}`)
  const listed = engines.map(({ name }: { name: string }) => name)
  expect(listed).toEqual(names.filter((name) => listed.includes(name)))
  expect(listed).not.toEqual([])
  const places = { total: expect.any(Number), taken: expect.any(Number) }
  for (const engine of engines) {
    expect(engine).toEqual({
      name: expect.any(String),
      state: expect.stringMatching(/^(running|starting|draining)$/),
      places: { network: places, cpu: places },
      disk: { totalBytes: expect.any(Number), reservedBytes: expect.any(Number) },
      extractor: { version: null, channel: 'pinned', problem: null },
    })
  }
  expect(waiting.map(({ step }: { step: string }) => step)).toEqual([
    'fetch',
    'captions',
    'audio',
    'recognize',
    'probe',
    'list',
  ])
})

test.each(['/admin/engines', '/admin/outcomes', '/admin/webhooks/dead'])('%s is only for operators', async (path) => {
  expect((await callApi('GET', path)).status).toBe(401)
  expect((await callApi('GET', path, { key: (await newCaller()).apiKey })).status).toBe(401)
})
