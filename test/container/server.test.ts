import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import type { z } from 'zod'
import {
  EngineState,
  FollowResponse,
  Health,
  InspectResponse,
  ListResponse,
  ORDER_VERSION,
  ProbeResponse,
  Sites,
} from '../../domain/protocol/protocol.ts'
import { startTokenProvider } from '../doubles/internet/token-provider.ts'
import { type Origin, startOrigin } from '../doubles/origin/origin.ts'
import { scratchFolder } from './audio/recordings.ts'
import { type ContainerProcess, fetchOrder, startContainer, token } from './container-process.ts'
import { type FakeWorker, startFakeWorker } from './steps/fake-worker.ts'

const MiB = 1024 * 1024
/** Two more steps are accepted. */
const places = { ENGINE_NETWORK_PLACES: '1', ENGINE_DISK_BYTES: `${1024 * MiB}` }
const MAX_RUNNING = 4
const workDir = scratchFolder()
let origin: Origin
let provider: Awaited<ReturnType<typeof startTokenProvider>>
let container: ContainerProcess
let fake: FakeWorker

beforeAll(async () => {
  origin = await startOrigin()
  provider = await startTokenProvider()
  const noModel = { STT_PYTHON: join(workDir, 'no-python'), SPEAKER_MODEL_DIR: join(workDir, 'no-speakers') }
  const settings = { WORK_DIR: workDir, ALLOW_PRIVATE_HOSTS: origin.host, POT_PROVIDER_URL: provider.url.href }
  container = await startContainer({ ...settings, ...places, ...noModel })
})
beforeEach(async () => {
  fake = await startFakeWorker()
})
afterEach(() => fake.close())
afterAll(async () => {
  await container.end('SIGTERM')
  await Promise.all([origin.close(), provider.close()])
})

const order = (jobId: string, path: string) => fetchOrder(jobId, fake, origin.url + path)
const healthOf = async () => Health.parse(await (await container.get('/health', '')).json())
const stateOf = async () => EngineState.parse(await (await container.get('/state')).json())
const running = async () => (await healthOf()).running
const slow = `/generated/${50 * MiB}.mp4?ratePerSecond=${2 * MiB}`

describe('without authorization', () => {
  test.each(['/steps', '/stop', '/probe', '/list', '/follow', '/inspect', '/resolve', '/nowhere'])(
    '%s refuses a request without the token or with another one',
    async (path) => {
      const { status } = await container.post(path, order('imp_a', '/media/tone.mp3'), '')
      const other = await container.post(path, order('imp_a', '/media/tone.mp3'), 'Bearer engine-tokem')
      expect([status, other.status]).toEqual([401, 401])
    },
  )

  test('/state and /sites are not public', async () => {
    const responses = await Promise.all(['/state', '/sites'].map((path) => container.get(path, '')))
    expect(responses.map(({ status }) => status)).toEqual([401, 401])
  })

  test('/health is public, and reports why speech, speakers and tokens are unavailable, which does not degrade it', async () => {
    // The extractor may still be starting.
    await expect.poll(async () => (await healthOf()).status).toBe('ok')
    const before = await healthOf()
    expect(before).toMatchObject({ running: 0, capacity: 2, parts: { ffmpeg: true, tokens: true } })
    const version = expect.stringMatching(/^20\d\d\.\d+\.\d+$/)
    expect(before.extractor).toEqual({ version, channel: 'pinned', problem: null })
    provider.answerWith((response) => void response.writeHead(502).end())
    const { status, parts } = await healthOf()
    expect([status, parts.tokens]).toEqual(['ok', 'the token provider does not answer (status 502)'])
    expect(parts.speech).toMatch(/speech engine is not set up: .*no-python/)
    expect(parts.speakers).toMatch(/model for speakers is not set up: .*no-speakers/)
  })
})

test('/sites lists what yt-dlp has extractors for, and which of them are broken', async () => {
  const { version, sites } = Sites.parse(await (await container.get('/sites')).json())
  expect(version).toBe((await healthOf()).extractor?.version)
  expect(sites.length).toBeGreaterThan(1_000)
  expect(sites).toContainEqual({ name: 'youtube', isBroken: false })
  expect(sites.filter(({ isBroken }) => isBroken).length).toBeGreaterThan(10)
})

test.each([
  ['/steps', 'a body that is not JSON', '{', 400],
  ['/steps', 'an order without required fields', { step: 'fetch', jobId: 'imp_a' }, 400],
  ['/steps', 'a body above 1 MiB', 'x'.repeat(2 * MiB), 413],
  ['/list', 'a limit of 0', { url: 'http://a.example/', limit: 0, timeoutMs: 20_000 }, 400],
  ['/list', 'no limit', { url: 'http://a.example/', timeoutMs: 20_000 }, 400],
  ['/list', 'what is no URL', { url: 'nothing', limit: 1, timeoutMs: 20_000 }, 400],
  ['/follow', 'no feedUrl', { url: 'http://a.example/', limit: 1, withPage: false, timeoutMs: 20_000 }, 400],
  ['/nowhere', 'everything, because it does not exist', {}, 404],
])('POST %s refuses %s', async (path, _what, body, status) => {
  expect((await container.post(path, body)).status).toBe(status)
})

test.each([
  ['a step that this image does not have', { step: 'dance' }],
  ['a version that this image does not know', { v: ORDER_VERSION + 1 }],
])('an order of a later Worker is answered with a code of its own: %s', async (_title, changes) => {
  const response = await container.post('/steps', { ...order('imp_later', '/media/faststart.mp4'), ...changes })
  expect([response.status, await response.json()]).toEqual([422, { error: 'UNKNOWN_STEP' }])
  expect(await running()).toBe(0)
})

test('an order, also one of a later Worker with a field that may be ignored, is accepted at once and its outcome is reported later', async () => {
  const later = { v: 1, later: { than: 'this' } }
  const response = await container.post('/steps', { ...order('imp_taken', '/media/faststart.mp4'), ...later })
  expect(response.status).toBe(202)
  expect(await fake.firstOutcome).toMatchObject({ status: 'done', result: { facts: { videoCodec: 'h264' } } })
})

test('a recognize step without a speech engine is given back with SPEECH_UNAVAILABLE', async () => {
  const { selection: _, ...task } = order('trn_test', '')
  const url = fake.storeObject(Buffer.alloc(32_000))
  const piece = { url, offsetSeconds: 0, durationSeconds: 1, sizeBytes: 32_000 }
  await container.post('/steps', { ...task, step: 'recognize', language: null, pieces: [piece] })
  expect(await fake.firstOutcome).toMatchObject({ status: 'gaveBack', code: 'SPEECH_UNAVAILABLE' })
})

test('/resolve reports whether the egress guard allows a host, and whether it has a source proxy', async () => {
  const [host = '', port = ''] = origin.host.split(':')
  const allowed = async (about: object) => (await container.post('/resolve', about)).json()
  expect(await allowed({ host, port: Number(port) })).toEqual({ allowed: true, hasSourceProxy: false })
  expect(await allowed({ host: '127.0.0.1', port: 1 })).toEqual({ allowed: false, hasSourceProxy: false })
  expect(await allowed({ host: '169.254.169.254', port: 80 })).toEqual({ allowed: false, hasSourceProxy: false })
})

const followed = { limit: 1, feedUrl: null, withPage: false }

/** What they answer in every case is tested in lookups/, source/list/ and source/follow/. */
test.each<[lookup: string, path: string, fields: object, schema: z.ZodType, answer: object]>([
  ['/probe', '/media/tone.mp3', {}, ProbeResponse, { status: 'done', source: { direct: true } }],
  ['/list', '/page/feed.xml', { limit: 1 }, ListResponse, { status: 'done', title: 'A podcast', count: 2 }],
  ['/follow', '/page/feed.xml', followed, FollowResponse, { status: 'done', source: 'feed', isWhole: false }],
  ['/inspect', '/media/tone.mp3', { sizeBytes: 1_000 }, InspectResponse, { contentType: 'audio/mpeg' }],
  ['/probe', '/media/nowhere.mp4', {}, ProbeResponse, { status: 'failed', code: 'SOURCE_NOT_FOUND' }],
  ['/list', '/page/nowhere.xml', { limit: 1 }, ListResponse, { status: 'failed', code: 'SOURCE_NOT_FOUND' }],
  ['/follow', '/page/nowhere.xml', followed, FollowResponse, { status: 'failed', code: 'SOURCE_NOT_FOUND' }],
  ['/inspect', '/page/video.html', { sizeBytes: 1_000 }, InspectResponse, { code: 'SOURCE_UNSUPPORTED' }],
  ['/probe', '/media/tone.mp3?slowFirstByteMs=5000', { timeoutMs: 300 }, ProbeResponse, { code: 'TIMED_OUT' }],
  ['/list', '/page/feed.xml?slowFirstByteMs=5000', { limit: 1, timeoutMs: 300 }, ListResponse, { code: 'TIMED_OUT' }],
])('POST %s of %s with %j answers', async (lookup, path, fields, schema, answer) => {
  const response = await container.post(lookup, { url: origin.url + path, timeoutMs: 20_000, ...fields })
  expect([response.status, schema.parse(await response.json())]).toMatchObject([200, answer])
})

describe('probes', () => {
  const held = (name: string) => `/media/tone.mp3?holdAfter=100&name=${name}`
  const probe = (path: string) => ({ url: origin.url + path, timeoutMs: 20_000 })

  test('count towards the limit of the container, which answers one more with 503, and an order with 429', async () => {
    const paths = ['one', 'two', 'three', 'four'].map(held)
    const all = Promise.all(paths.map((path) => container.post('/probe', probe(path))))
    await expect.poll(running).toBe(MAX_RUNNING)
    expect((await container.post('/probe', probe('/media/tone.mp3'))).status).toBe(503)
    expect((await container.post('/steps', order('imp_while_probing', '/media/tone.mp3'))).status).toBe(429)
    for (const path of paths) origin.release(path)
    expect((await all).map(({ status }) => status)).toEqual([200, 200, 200, 200])
    expect(await running()).toBe(0)
  })

  test('stop when their caller disconnects', async () => {
    const left = new AbortController()
    const authorization = `Bearer ${token}`
    const probes = ['five', 'six'].map((name) => {
      const body = JSON.stringify(probe(held(name)))
      return fetch(`${container.url}/probe`, { method: 'POST', headers: { authorization }, body, signal: left.signal })
    })
    const settled = Promise.allSettled(probes)
    await expect.poll(running).toBe(2)
    left.abort()
    await settled
    await expect.poll(running).toBe(0)
  })
})

test('GET /state lists places, disk space and running steps until they end', async () => {
  const place = { accountId: 'acct_a', placeId: 'place_1', diskBytes: 100 * MiB }
  await container.post('/steps', { ...order('imp_listed', slow), ...place })
  await expect.poll(async () => (await stateOf()).speakers).toBe(false)
  expect(await stateOf()).toEqual({
    status: 'ok',
    uptimeMs: expect.any(Number),
    extractor: expect.objectContaining({ channel: 'pinned', problem: null }),
    places: { network: 1, cpu: 1 },
    diskBytes: 1024 * MiB,
    speakers: false,
    models: [],
    running: [{ jobId: 'imp_listed', step: 'fetch', attempt: 1, ...place }],
  })
  await container.post('/stop', { jobId: 'imp_listed', attempt: 1 })
  await expect.poll(async () => (await stateOf()).running).toEqual([])
  expect(fake.outcomes).toEqual([])
})

describe('a container that is told to stop', () => {
  /** One with a step that runs. */
  const busy = async (path: string, env: Record<string, string> = {}) => {
    const folder = join(workDir, 'second')
    const started = await startContainer({ ALLOW_PRIVATE_HOSTS: origin.host, WORK_DIR: folder, ...env })
    onTestFinished(() => void started.end())
    expect((await started.post('/steps', order('imp_running', path))).status).toBe(202)
    await expect.poll(() => fake.progress.length).toBeGreaterThan(0)
    const status = async () => (await (await started.get('/state')).json()).status
    /** Waits for the exit. A shutdown that takes more than five seconds exits with 1. */
    const ended = async () => {
      await started.exited
      return { exitCode: started.process.exitCode, filesLeft: existsSync(folder) && readdirSync(folder) }
    }
    return { started, status, ended }
  }
  const clean = { exitCode: 0, filesLeft: false }

  test('with SIGTERM completes its running steps, takes no others, and exits', async () => {
    const held = '/media/faststart.mp4?holdAfter=1000&name=draining'
    const { started, status, ended } = await busy(held)
    started.process.kill('SIGTERM')
    await expect.poll(status).toBe('draining')
    expect((await started.post('/steps', order('imp_late', '/media/tone.mp3'))).status).toBe(503)
    origin.release(held)
    expect(await fake.firstOutcome).toMatchObject({ status: 'done' })
    expect(await ended()).toEqual(clean)
  })

  test.each([
    ['SIGINT', ['SIGINT'], {}],
    ['a second SIGTERM', ['SIGTERM', 'SIGTERM'], {}],
    ['SIGTERM, after DRAIN_MS,', ['SIGTERM'], { DRAIN_MS: '300' }],
  ] as const)(
    'with %s gives running steps back at once, without using an attempt, and exits',
    async (_, signals, env) => {
      const { started, status, ended } = await busy(slow, env)
      for (const [index, signal] of signals.entries()) {
        if (index > 0) await expect.poll(status).toBe('draining')
        started.process.kill(signal)
      }
      expect(await fake.firstOutcome).toMatchObject({ status: 'gaveBack', usesAttempt: false })
      expect(await ended()).toEqual(clean)
    },
  )
})

test('the log contains no token, no signature and no query', async () => {
  const logged = JSON.stringify(container.log)
  expect(container.log.length).toBeGreaterThan(3)
  for (const secret of [token, 'secret-signature', 'ratePerSecond']) expect(logged).not.toContain(secret)
})
