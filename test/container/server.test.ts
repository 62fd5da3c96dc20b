import { existsSync, readdirSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import {
  EngineState,
  type FetchOrder,
  Health,
  InspectResponse,
  ListResponse,
  ORDER_VERSION,
  ProbeResponse,
  Sites,
} from '../../domain/protocol/protocol.ts'
import { type Origin, startOrigin } from '../doubles/origin/origin.ts'
import { type ContainerProcess, startContainer, token } from './container-process.ts'
import { type FakeWorker, startFakeWorker } from './steps/fake-worker.ts'

const MiB = 1024 * 1024
/** Two more steps are accepted. */
const places = { ENGINE_NETWORK_PLACES: '1', ENGINE_DISK_BYTES: `${1024 * MiB}` }
const MAX_RUNNING = 4
let origin: Origin
let workDir: string
let container: ContainerProcess
let fake: FakeWorker

beforeAll(async () => {
  origin = await startOrigin()
  workDir = await mkdtemp(join(tmpdir(), 'haul-server-'))
  const noModel = { STT_MODEL_DIR: join(workDir, 'no-model'), SPEAKER_MODEL_DIR: join(workDir, 'no-speakers') }
  const settings = { WORK_DIR: workDir, ALLOW_PRIVATE_HOSTS: origin.host, ...places }
  container = await startContainer({ ...settings, ...noModel })
})
beforeEach(async () => {
  fake = await startFakeWorker()
})
afterEach(() => fake.close())
afterAll(async () => {
  container.process.kill('SIGTERM')
  await container.exited
  await origin.close()
  await rm(workDir, { recursive: true, force: true })
})

const order = (jobId: string, path: string): FetchOrder => ({
  step: 'fetch',
  jobId,
  attempt: 1,
  callback: fake.callback,
  url: `${origin.url}${path}`,
  selection: { includeVideo: true, includeAudio: true, videoQuality: '1080p', audioQuality: 'best' },
  limits: { maxBytes: 100 * MiB, maxDurationSeconds: 3_600, timeoutMs: 60_000 },
})
const post = (path: string, body: unknown, headers: Record<string, string> = { authorization: `Bearer ${token}` }) =>
  fetch(`${container.url}${path}`, {
    method: 'POST',
    headers,
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
const healthOf = async () => Health.parse(await (await fetch(`${container.url}/health`)).json())
const slow = `/generated/${50 * MiB}.mp4?ratePerSecond=${2 * MiB}`

describe('without authorization', () => {
  test.each(['/steps', '/stop', '/probe', '/list', '/inspect', '/resolve', '/nowhere'])(
    '%s refuses a request without the token or with another one',
    async (path) => {
      const { status } = await post(path, order('imp_a', '/media/tone.mp3'), {})
      const other = await post(path, order('imp_a', '/media/tone.mp3'), { authorization: 'Bearer engine-tokem' })
      expect([status, other.status]).toEqual([401, 401])
    },
  )

  test('/state and /sites are not public', async () => {
    const responses = await Promise.all(['/state', '/sites'].map((path) => fetch(container.url + path)))
    expect(responses.map(({ status }) => status)).toEqual([401, 401])
  })

  test('/health is public', async () => {
    expect(await healthOf()).toMatchObject({ running: 0, capacity: 2, parts: { ffmpeg: true } })
  })

  test('/health reports why speech recognition and speakers are unavailable, which does not degrade the status', async () => {
    // The extractor may still be starting.
    await expect.poll(async () => (await healthOf()).status).toBe('ok')
    const version = expect.stringMatching(/^20\d\d\.\d+\.\d+$/)
    expect((await healthOf()).extractor).toEqual({ version, channel: 'pinned', problem: null })
    const { parts } = await healthOf()
    expect(parts.speech).toMatch(/speech model is not set up: .*no-model/)
    expect(parts.speakers).toMatch(/model for speakers is not set up: .*no-speakers/)
  })
})

test('/sites lists what yt-dlp has extractors for, and which of them are broken', async () => {
  const headers = { authorization: `Bearer ${token}` }
  const { version, sites } = Sites.parse(await (await fetch(`${container.url}/sites`, { headers })).json())
  expect(version).toBe((await healthOf()).extractor?.version)
  expect(sites.length).toBeGreaterThan(1_000)
  expect(sites).toContainEqual({ name: 'youtube', isBroken: false })
  expect(sites.filter(({ isBroken }) => isBroken).length).toBeGreaterThan(10)
})

describe('POST /steps refuses', () => {
  test.each([
    ['a body that is not JSON', '{'],
    ['an order without required fields', { step: 'fetch', jobId: 'imp_a' }],
  ])('%s', async (_title, body) => expect((await post('/steps', body)).status).toBe(400))

  test('a body above 1 MiB', async () => {
    expect((await post('/steps', 'x'.repeat(2 * MiB))).status).toBe(413)
  })
})

test.each([
  ['a step that this image does not have', { step: 'dance' }],
  ['a version that this image does not know', { v: ORDER_VERSION + 1 }],
])('an order of a later Worker is answered with a code of its own: %s', async (_title, changes) => {
  const response = await post('/steps', { ...order('imp_later', '/media/faststart.mp4'), ...changes })
  expect([response.status, await response.json()]).toEqual([422, { error: 'UNKNOWN_STEP' }])
  expect(await healthOf()).toMatchObject({ running: 0 })
})

test('an order of a later Worker with a field that may be ignored is accepted', async () => {
  const response = await post('/steps', { ...order('imp_more', '/media/tone.mp3'), v: 1, later: { than: 'this' } })
  expect(response.status).toBe(202)
  expect(await fake.firstOutcome).toMatchObject({ status: 'done' })
})

test('an unknown path is a 404', async () => expect((await post('/nowhere', {})).status).toBe(404))

test('an order is accepted at once and its outcome is reported later', async () => {
  const response = await post('/steps', order('imp_taken', '/media/faststart.mp4'))
  expect(response.status).toBe(202)
  expect(await fake.firstOutcome).toMatchObject({ status: 'done', result: { facts: { videoCodec: 'h264' } } })
})

test('an order that is delivered again runs once, also after its end', async () => {
  const twice = order('imp_twice', '/media/tone.mp3')
  const responses = await Promise.all([post('/steps', twice), post('/steps', twice)])
  await fake.firstOutcome
  const late = await post('/steps', twice)
  expect([...responses, late].map(({ status }) => status)).toEqual([202, 202, 202])
  expect(fake.uploads.filter(({ kind }) => kind === 'media')).toHaveLength(1)
})

test('when the container is full, the next order gets a 429', async () => {
  fake.behaviour.stopWhen = ({ downloadedBytes }) => full.done && downloadedBytes >= 0
  const full = { done: false }
  const jobIds = Array.from({ length: MAX_RUNNING }, (_, index) => `imp_${index}`)
  const first = await Promise.all(jobIds.map((jobId) => post('/steps', order(jobId, slow))))
  const next = await post('/steps', order('imp_next', slow))
  expect([...first, next].map(({ status }) => status)).toEqual([202, 202, 202, 202, 429])
  full.done = true
  await expect.poll(async () => (await healthOf()).running).toBe(0)
})

test('a recognize step without a speech engine is given back with SPEECH_UNAVAILABLE', async () => {
  const { selection: _, ...task } = order('trn_test', '')
  const url = fake.storeObject(Buffer.alloc(32_000))
  const piece = { url, offsetSeconds: 0, durationSeconds: 1, sizeBytes: 32_000 }
  await post('/steps', { ...task, step: 'recognize', language: null, pieces: [piece] })
  expect(await fake.firstOutcome).toMatchObject({ status: 'gaveBack', code: 'SPEECH_UNAVAILABLE' })
})

test('/resolve reports whether the egress guard allows a host, and whether it has a source proxy', async () => {
  const [host = '', port = ''] = origin.host.split(':')
  const allowed = async (about: object) => (await post('/resolve', about)).json()
  expect(await allowed({ host, port: Number(port) })).toEqual({ allowed: true, hasSourceProxy: false })
  expect(await allowed({ host: '127.0.0.1', port: 1 })).toEqual({ allowed: false, hasSourceProxy: false })
  expect(await allowed({ host: '169.254.169.254', port: 80 })).toEqual({ allowed: false, hasSourceProxy: false })
})

test('/inspect says what a stored file is', async () => {
  const inspect = async (path: string) => {
    const request = { url: `${origin.url}${path}`, sizeBytes: 1_000, timeoutMs: 20_000 }
    return InspectResponse.parse(await (await post('/inspect', request)).json())
  }
  expect(await inspect('/media/tone.mp3')).toMatchObject({ status: 'done', contentType: 'audio/mpeg' })
  expect(await inspect('/page/video.html')).toMatchObject({ status: 'failed', code: 'SOURCE_UNSUPPORTED' })
})

describe('/probe', () => {
  const probed = async (path: string, timeoutMs = 20_000) =>
    ProbeResponse.parse(await (await post('/probe', { url: `${origin.url}${path}`, timeoutMs })).json())
  const source = async (path: string) => {
    const response = await probed(path)
    if (response.status !== 'done') throw new Error(`the response is ${response.status}`)
    return response.source
  }

  test.each([
    ['faststart.mp4', 'video/mp4', '360p'],
    ['tail-index.mp4', 'video/mp4', '360p'],
    ['clip.webm', 'video/webm', '180p'],
    ['tone.mp3', 'audio/mpeg', 'audio'],
    ['tone.ogg', 'audio/ogg', 'audio'],
    ['tone.flac', 'audio/flac', 'audio'],
  ])('of the direct file %s gives its size, duration and streams', async (name, contentType, quality) => {
    const { sizeBytes } = (await source(`/media/${name}`)).formats[0] ?? {}
    const found = await source(`/media/${name}`)
    expect(found).toMatchObject({ direct: true, platform: 'direct', contentType, fileSizeBytes: sizeBytes })
    expect(Math.abs((found.durationSeconds ?? 0) - 6)).toBeLessThan(0.2)
    expect(found.formats).toMatchObject([{ quality, sizeIsEstimate: false }])
    expect(found.downloads.every(({ bytes }) => bytes === sizeBytes)).toBe(true)
  })

  test('of a large video with its index near the end does not download the video', async () => {
    const found = await source(`/generated/${80 * MiB}.mp4?ratePerSecond=${20 * MiB}`)
    expect(found).toMatchObject({ fileSizeBytes: 80 * MiB })
    expect(Math.abs((found.durationSeconds ?? 0) - 6)).toBeLessThan(0.2)
  })

  test('of a master playlist estimates what each quality would download', async () => {
    const found = await source('/media/hls-fmp4/master.m3u8')
    expect(found).toMatchObject({ direct: false, isLive: false })
    expect(found.formats.length).toBeGreaterThan(1)
    const lines = (quality: string) => found.downloads.find(({ selection }) => selection.videoQuality === quality)
    expect(found.downloads[0]?.selection.includeVideo).toBe(false)
    expect(lines('lowest')?.bytes).toBeGreaterThan(50_000)
    expect(lines('1080p')?.bytes).toBeGreaterThan(lines('lowest')?.bytes ?? 0)
  })

  test('of a missing file fails with SOURCE_NOT_FOUND', async () => {
    expect(await probed('/media/nowhere.mp4')).toMatchObject({ status: 'failed', code: 'SOURCE_NOT_FOUND' })
  })

  test('that exceeds its time limit fails with TIMED_OUT', async () => {
    const response = await probed('/media/faststart.mp4?slowFirstByteMs=5000', 300)
    expect(response).toMatchObject({ status: 'failed', code: 'TIMED_OUT' })
  })
})

describe('/list', () => {
  const listed = async (path: string, fields: object = {}) => {
    const response = await post('/list', { url: `${origin.url}${path}`, limit: 1, timeoutMs: 20_000, ...fields })
    return { status: response.status, body: await response.json() }
  }

  test('lists what is at a URL, up to the limit', async () => {
    const item = { url: `${origin.url}/media/tone.mp3`, title: 'The first', durationSeconds: 6 }
    const readBytes = expect.any(Number)
    const list = { status: 'done', title: 'A podcast', count: 2, items: [item], readBytes }
    expect(await listed('/page/feed.xml')).toEqual({ status: 200, body: list })
  })

  test('says with which code a job for the URL would fail', async () => {
    const { body } = await listed('/page/nowhere.xml')
    expect(ListResponse.parse(body)).toMatchObject({ status: 'failed', code: 'SOURCE_NOT_FOUND' })
  })

  test('gives up when its time is over', async () => {
    const { body } = await listed('/page/feed.xml?slowFirstByteMs=5000', { timeoutMs: 300 })
    expect(body).toMatchObject({ status: 'failed', code: 'TIMED_OUT' })
  })

  test.each([{ limit: 0 }, { limit: undefined }, { url: 'nothing' }])('refuses %o', async (fields) => {
    expect((await listed('/page/feed.xml', fields)).status).toBe(400)
  })
})

describe('probes', () => {
  const held = (name: string) => `/media/tone.mp3?holdAfter=100&name=${name}`
  const probe = (path: string, fields: object = {}, signal?: AbortSignal) =>
    fetch(`${container.url}/probe`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      body: JSON.stringify({ url: `${origin.url}${path}`, timeoutMs: 20_000, ...fields }),
      ...(signal && { signal }),
    })
  const running = async () => (await healthOf()).running

  test('count towards the limit of the container, which answers one more with 503', async () => {
    const paths = ['one', 'two', 'three', 'four'].map(held)
    const all = Promise.all(paths.map((path) => probe(path)))
    await expect.poll(running).toBe(MAX_RUNNING)
    expect((await probe('/media/tone.mp3')).status).toBe(503)
    expect((await post('/steps', order('imp_while_probing', '/media/tone.mp3'))).status).toBe(429)
    for (const path of paths) origin.release(path)
    expect((await all).map(({ status }) => status)).toEqual([200, 200, 200, 200])
    expect(await running()).toBe(0)
  })

  test('stop when their caller disconnects', async () => {
    const left = new AbortController()
    const probes = Promise.allSettled(['five', 'six'].map((name) => probe(held(name), {}, left.signal)))
    await expect.poll(running).toBe(2)
    left.abort()
    await probes
    await expect.poll(running).toBe(0)
  })
})

describe('GET /state', () => {
  const stateOf = async ({ url }: ContainerProcess = container) =>
    EngineState.parse(await (await fetch(`${url}/state`, { headers: { authorization: `Bearer ${token}` } })).json())

  test('needs the token', async () => {
    expect((await fetch(`${container.url}/state`)).status).toBe(401)
  })

  test('lists places, disk space and running steps until they end', async () => {
    const place = { accountId: 'acct_a', placeId: 'place_1', diskBytes: 100 * MiB }
    await post('/steps', { ...order('imp_listed', slow), ...place })
    await expect.poll(async () => (await stateOf()).speakers).toBe(false)
    expect(await stateOf()).toEqual({
      status: 'ok',
      uptimeMs: expect.any(Number),
      extractor: expect.objectContaining({ channel: 'pinned', problem: null }),
      places: { network: 1, cpu: 1 },
      diskBytes: 1024 * MiB,
      speakers: false,
      running: [{ jobId: 'imp_listed', step: 'fetch', attempt: 1, ...place }],
    })
    await post('/stop', { jobId: 'imp_listed', attempt: 1 })
    await expect.poll(async () => (await stateOf()).running).toEqual([])
    expect(fake.outcomes).toEqual([])
  })
})

describe('a container that is told to stop', () => {
  const second = async () => {
    const folder = join(workDir, 'second')
    const started = await startContainer({ ALLOW_PRIVATE_HOSTS: origin.host, WORK_DIR: folder })
    onTestFinished(() => void started.process.kill('SIGKILL'))
    const headers = { authorization: `Bearer ${token}` }
    const send = async (jobId: string, path: string) => {
      const body = JSON.stringify(order(jobId, path))
      return (await fetch(`${started.url}/steps`, { method: 'POST', headers, body })).status
    }
    const status = async () => (await (await fetch(`${started.url}/state`, { headers })).json()).status
    /** Waits for the exit. A shutdown that takes more than five seconds exits with 1. */
    const ended = async () => {
      await started.exited
      return { exitCode: started.process.exitCode, filesLeft: existsSync(folder) && readdirSync(folder) }
    }
    return { started, send, status, ended }
  }
  const clean = { exitCode: 0, filesLeft: false }

  test('with SIGTERM completes its running steps, takes no others, and exits', async () => {
    const { started, send, status, ended } = await second()
    const held = '/media/faststart.mp4?holdAfter=1000&name=draining'
    expect(await send('imp_running', held)).toBe(202)
    await expect.poll(() => fake.progress.length).toBeGreaterThan(0)
    started.process.kill('SIGTERM')
    await expect.poll(status).toBe('draining')
    expect(await send('imp_late', '/media/tone.mp3')).toBe(503)
    origin.release(held)
    expect(await fake.firstOutcome).toMatchObject({ status: 'done' })
    expect(await ended()).toEqual(clean)
  })

  test.each([
    ['SIGINT', ['SIGINT']],
    ['a second SIGTERM', ['SIGTERM', 'SIGTERM']],
  ] as const)('with %s gives running steps back at once, without using an attempt, and exits', async (_, signals) => {
    const { started, send, status, ended } = await second()
    expect(await send('imp_running', slow)).toBe(202)
    await expect.poll(() => fake.progress.length).toBeGreaterThan(0)
    for (const [index, signal] of signals.entries()) {
      if (index > 0) await expect.poll(status).toBe('draining')
      started.process.kill(signal)
    }
    expect(await fake.firstOutcome).toMatchObject({ status: 'gaveBack', usesAttempt: false })
    expect(await ended()).toEqual(clean)
  })

  test('with SIGTERM gives back what runs longer than DRAIN_MS', async () => {
    const folder = join(workDir, 'third')
    const third = await startContainer({ ALLOW_PRIVATE_HOSTS: origin.host, WORK_DIR: folder, DRAIN_MS: '300' })
    onTestFinished(() => void third.process.kill('SIGKILL'))
    const headers = { authorization: `Bearer ${token}` }
    await fetch(`${third.url}/steps`, { method: 'POST', headers, body: JSON.stringify(order('imp_long', slow)) })
    await expect.poll(() => fake.progress.length).toBeGreaterThan(0)
    third.process.kill('SIGTERM')
    expect(await fake.firstOutcome).toMatchObject({ status: 'gaveBack', usesAttempt: false })
    await third.exited
    expect(third.process.exitCode).toBe(0)
  })
})

test('the log contains no token, no signature and no query', async () => {
  const logged = JSON.stringify(container.log)
  expect(container.log.length).toBeGreaterThan(3)
  for (const secret of [token, 'secret-signature', 'ratePerSecond']) expect(logged).not.toContain(secret)
})
