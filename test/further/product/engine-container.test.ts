import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { createTestHarness, type TestHarness } from 'wrangler'
import type { EngineState, FetchOrder } from '../../../domain/protocol/protocol.ts'
import { startFakeWorker } from '../../container/steps/fake-worker.ts'
import { type Docker, startDocker } from '../../doubles/docker/docker.ts'
import type { EngineCall } from '../../doubles/docker/engine-call.ts'
import { engineProgram } from '../../doubles/docker/started.ts'
import { startOrigin } from '../../doubles/origin/origin.ts'

/** `ctx.container` as workerd implements it, with a double of Docker behind it that runs container/main.ts. */
let docker: Docker
let origin: Awaited<ReturnType<typeof startOrigin>>
let fake: Awaited<ReturnType<typeof startFakeWorker>>
let harness: TestHarness
let folder: string

beforeAll(async () => {
  ;[docker, origin, fake] = await Promise.all([startDocker(), startOrigin(), startFakeWorker()])
  folder = await mkdtemp(join(tmpdir(), 'haul-engines-'))
  vi.stubEnv('WRANGLER_DOCKER_BIN', docker.command)
  vi.stubEnv('CLOUDFLARE_CF_FETCH_ENABLED', 'false')
  vi.stubEnv('WRANGLER_SEND_METRICS', 'false')
  harness = createTestHarness({
    root: folder,
    workers: [
      {
        config: {
          name: 'haul-engines',
          main: join(import.meta.dirname, '../../worker/support/engine-calls.ts'),
          compatibility_date: '2026-10-01',
          rules: [{ type: 'Text', globs: ['**/*.md'] }],
          vars: {
            ...settings,
            ...sourceProxies,
            ENGINE_DISK_BYTES: `${DISK_BYTES}`,
            ENGINE_URLS: '',
            ALLOW_PRIVATE_HOSTS: origin.host,
          },
          durable_objects: { bindings: [{ name: 'ENGINES', class_name: 'EngineObject' }] },
          migrations: [{ tag: 'v1', new_sqlite_classes: ['EngineObject'] }],
          containers: [
            { class_name: 'EngineObject', image: join(import.meta.dirname, '../../../container/Dockerfile') },
          ],
          dev: { enable_containers: true, container_engine: docker.url },
        },
      },
    ],
  })
  await harness.listen()
})

afterAll(async () => {
  await harness?.close()
  await Promise.all([docker?.close(), origin?.close(), fake?.close(), rm(folder, { recursive: true, force: true })])
  vi.unstubAllEnvs()
})

const DISK_BYTES = 500_000_000

const settings = {
  PUBLIC_URL: 'https://haul.test',
  ENGINE_TOKEN: 'engine-token',
  HAUL_SECRET: 'a-secret-for-tests',
  SEAL_KEYS: 'k1:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=',
  ADMIN_TOKEN: 'admin-token',
  MEDIA_S3_ENDPOINT: 'https://s3.test/haul-media',
  MEDIA_S3_ACCESS_KEY_ID: 'test',
  MEDIA_S3_SECRET_ACCESS_KEY: 'test',
}

/** In production they are secrets. The origin is a private host that is allowed, so it is reached without them. */
const sourceProxies = { SOURCE_PROXY_URL: 'http://user:password@10.0.0.5:3128', SOURCE_PROXIES: 'a.example=direct' }

const neverListens = ['-e', 'setInterval(() => {}, 1_000)']

beforeEach(async () => {
  await Promise.all(docker.programs.map((running) => running.kill('SIGKILL')))
  docker.program = engineProgram
  docker.maxInstances = Number.POSITIVE_INFINITY
})

let engines = 0
/** Each test has engines of its own. */
const newEngine = () => {
  const engine = `engine-${engines++}`
  const ask = async <Result>(call: EngineCall['call'], ...args: unknown[]): Promise<Result> => {
    const body = JSON.stringify({ engine, call, args } satisfies EngineCall)
    const response = await harness.fetch('/', { method: 'POST', body })
    if (!response.ok) throw new Error(await response.text())
    return (await response.json()) as Result
  }
  return {
    name: engine,
    launch: () => ask<string>('launch'),
    start: (order: FetchOrder) => ask<string>('start', order),
    state: () => ask<EngineState | 'stopped' | 'drained' | null>('state', 2_000),
    shutDown: () => ask<null>('shutDown'),
    destroy: () => ask<null>('destroy'),
  }
}

const heldPath = (jobId: string) => `/generated/3000000.mp4?noRange&holdAfter=2000000&job=${jobId}`

const fetchOrder = (jobId: string): FetchOrder => ({
  ...{ step: 'fetch', jobId, attempt: 1, callback: fake.callback, url: origin.url + heldPath(jobId) },
  ...{ accountId: 'acc_1', placeId: `place_${jobId}`, diskBytes: 3_000_000, heartbeatMs: 10_000 },
  agreed: { bytes: null, seconds: null },
  selection: { includeVideo: true, includeAudio: true, videoQuality: 'best', audioQuality: 'best' },
  limits: { maxBytes: 10_000_000, maxDiskBytes: 10_000_000, maxDurationSeconds: 3_600, timeoutMs: 60_000 },
})

test('a container is started once for two launches, runs a step, and says in its state what it runs', async () => {
  const engine = newEngine()
  expect(await engine.state()).toBe('stopped')
  expect(await Promise.all([engine.launch(), engine.launch()])).toEqual(['running', 'running'])
  expect(docker.programs).toHaveLength(1)
  expect(await engine.state()).toMatchObject({ status: 'ok', diskBytes: DISK_BYTES, running: [] })

  expect(await engine.start(fetchOrder('imp_1'))).toBe('started')
  const step = { jobId: 'imp_1', step: 'fetch', attempt: 1, accountId: 'acc_1', placeId: 'place_imp_1' }
  expect(await engine.state()).toMatchObject({ running: [{ ...step, diskBytes: 3_000_000 }] })
  await expect.poll(() => origin.requests.length).toBeGreaterThan(0)
  origin.release(heldPath('imp_1'))
  await expect.poll(() => fake.outcomes, { timeout: 20_000 }).toMatchObject([{ status: 'done' }])
  await expect.poll(engine.state).toMatchObject({ running: [] })
  await engine.shutDown()
})

test('a container gets the settings of source proxies', async () => {
  // It exits, and so does not become ready, if they are missing.
  const check = `for (const [name, value] of Object.entries(${JSON.stringify(sourceProxies)}))
    if (process.env[name] !== value) process.exit(1)`
  docker.program = ['-e', `${check}\nimport('./container/main.ts')`]
  const engine = newEngine()
  expect(await engine.launch()).toBe('running')
  await engine.shutDown()
})

test('an order for a container that does not run is not started', async () => {
  expect(await newEngine().start(fetchOrder('imp_none'))).toBe('unreachable')
})

test('a container that exits is noticed, and the next launch starts a new one', async () => {
  const engine = newEngine()
  await engine.launch()
  const [first] = docker.programs
  await first?.kill('SIGKILL')
  await expect.poll(engine.state).toBe('stopped')
  expect(docker.programs).toEqual([])
  expect(await engine.launch()).toBe('running')
  expect(await engine.state()).toMatchObject({ status: 'ok' })
  await engine.shutDown()
})

test('an engine object that is restarted finds its container, and still notices its exit', async () => {
  const engine = newEngine()
  await engine.launch()
  await harness.getWorker().evictDurableObject('ENGINES', { name: engine.name })
  expect(await engine.state()).toMatchObject({ status: 'ok' })
  await docker.programs[0]?.kill('SIGKILL')
  await expect.poll(engine.state).toBe('stopped')
})

test('a platform without a free instance is full, until another container ends', async () => {
  docker.maxInstances = 1
  const [first, second] = [newEngine(), newEngine()]
  expect(await first.launch()).toBe('running')
  expect(await second.launch()).toBe('full')
  expect(await second.state()).toBe('stopped')
  await first.shutDown()
  await expect.poll(() => docker.programs).toEqual([])
  expect(await second.launch()).toBe('running')
  await second.shutDown()
})

test('a container that does not listen yet goes on starting, until it is destroyed and can be replaced', async () => {
  const engine = newEngine()
  docker.program = neverListens
  expect(await Promise.all([engine.launch(), engine.launch()])).toEqual(['starting', 'starting'])
  expect(docker.programs).toHaveLength(1)
  await engine.destroy()
  expect(docker.programs).toEqual([])
  docker.program = engineProgram
  expect(await engine.launch()).toBe('running')
  await engine.shutDown()
})

test('a container whose process exits at once is started again until it answers', async () => {
  const engine = newEngine()
  docker.program = ['-e', 'process.exit(1)']
  const launched = engine.launch()
  await expect.poll(() => docker.starts).toBeGreaterThan(1)
  docker.program = engineProgram
  expect(await launched).toBe('running')
  await engine.shutDown()
})

test('shutDown stops an idle container with SIGTERM', async () => {
  const engine = newEngine()
  await engine.launch()
  const [idle] = docker.programs
  await engine.shutDown()
  expect(await idle?.exited).toBe(0)
  expect(await engine.state()).toBe('drained')
  // It may be stopped already.
  await engine.shutDown()
})
