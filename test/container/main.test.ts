import { existsSync, readdirSync } from 'node:fs'
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type FetchOrder, Health } from '../../domain/protocol/protocol.ts'
import { startTokenProvider } from '../doubles/internet/token-provider.ts'
import { startOrigin } from '../doubles/origin/origin.ts'
import { type ContainerProcess, startContainer, token } from './container-process.ts'
import { startFakeWorker } from './steps/fake-worker.ts'

const heldPath = '/generated/3000000.mp4?noRange&holdAfter=2000000'
/** Its step has a proxy for yt-dlp, with a socket. */
const heldPage = { path: '/page/held.html', video: '/media/faststart.mp4?holdAfter=300000' }

const fetchOrder = (jobId: string, callback: FetchOrder['callback'], url: string): FetchOrder => ({
  ...{ step: 'fetch', jobId, attempt: 1, callback, url },
  selection: { includeVideo: true, includeAudio: true, videoQuality: 'best', audioQuality: 'best' },
  limits: { maxBytes: 10_000_000, maxDurationSeconds: 3_600, timeoutMs: 60_000 },
})

/** Containers with a shared temporary folder, and steps that run until the origin releases their download. */
const machine = async () => {
  const [origin, fake] = await Promise.all([startOrigin(), startFakeWorker()])
  const root = await mkdtemp(join(tmpdir(), 'haul-killed-'))
  const temporary = join(root, 'tmp')
  await mkdir(temporary)
  const containers: ContainerProcess[] = []
  onTestFinished(async () => {
    for (const { process } of containers) process.kill('SIGKILL')
    await Promise.all(containers.map(({ exited }) => exited))
    await Promise.all([origin.close(), fake.close(), rm(root, { recursive: true, force: true })])
  })
  const start = async (workDir: string, more: Record<string, string> = {}) => {
    const settings = { ALLOW_PRIVATE_HOSTS: origin.host, TMPDIR: temporary, WORK_DIR: join(root, workDir), ...more }
    const container = await startContainer(settings)
    containers.push(container)
    return container
  }
  const startStep = async (
    { url }: ContainerProcess,
    jobId: string,
    { path, video } = { path: heldPath, video: heldPath },
  ) => {
    const order = fetchOrder(jobId, fake.callback, origin.url + path)
    const headers = { authorization: `Bearer ${token}` }
    const requests = () => origin.requests.filter((request) => video.startsWith(`${request.path}?`)).length
    const requestsBefore = requests()
    await fetch(`${url}/steps`, { method: 'POST', headers, body: JSON.stringify(order) })
    await expect.poll(requests).toBeGreaterThan(requestsBefore)
  }
  const filesIn = (workDir: string) => (existsSync(join(root, workDir)) ? readdirSync(join(root, workDir)) : [])
  /** A folder for each proxy, in a folder for each container. */
  const sockets = () =>
    readdirSync(temporary)
      .filter((name) => !name.startsWith('haul-walls-'))
      .flatMap((name) => readdirSync(join(temporary, name)))
  return { origin, fake, start, startStep, filesIn, sockets }
}

test.each([
  ['short', 'work'],
  ['longer than the maximum path of a Unix socket', join('w'.repeat(100), 'o'.repeat(100), 'work')],
])(
  'files of a killed container are deleted when it starts again; the path of its work folder is %s',
  async (_, workDir) => {
    const { start, startStep, filesIn, sockets } = await machine()
    const killed = await start(workDir)
    await startStep(killed, 'imp_killed', heldPage)
    killed.process.kill('SIGKILL')
    await killed.exited
    expect([filesIn(workDir).length, sockets().length]).toEqual([1, 1])
    await start(workDir)
    expect([filesIn(workDir), sockets()]).toEqual([[], []])
  },
)

test('another container on the same machine keeps its files and continues', async () => {
  const { origin, fake, start, startStep, sockets } = await machine()
  const other = await start('other')
  await startStep(other, 'imp_other', heldPage)
  const killed = await start('killed')
  await startStep(killed, 'imp_killed', heldPage)
  killed.process.kill('SIGKILL')
  await killed.exited
  await start('killed')
  expect(sockets()).toHaveLength(1)
  origin.release(heldPage.video)
  expect(await fake.firstOutcome).toMatchObject({ status: 'done' })
})

test('a container that is stopped deletes its files', async () => {
  const { start, startStep, filesIn, sockets } = await machine()
  const container = await start('work')
  await startStep(container, 'imp_stopped', heldPage)
  container.process.kill('SIGINT')
  await container.exited
  expect([filesIn('work'), sockets()]).toEqual([[], []])
})

const healthOf = async ({ url }: ContainerProcess) => Health.parse(await (await fetch(`${url}/health`)).json())

test('an engine says when its token provider does not answer, and works without it', async () => {
  const provider = await startTokenProvider()
  const { start } = await machine()
  const container = await start('work', { POT_PROVIDER_URL: provider.url.href })
  await expect.poll(() => healthOf(container), { timeout: 25_000 }).toMatchObject({ status: 'ok' })
  expect((await healthOf(container)).parts.tokens).toBe(true)
  await provider.close()
  const { status, parts } = await healthOf(container)
  expect([status, parts.tokens]).toEqual(['ok', expect.stringMatching(/^the token provider does not answer \(/)])
})

/** A PATH without bubblewrap, as on a system where it is not installed. */
const pathWithout = async (program: string): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'haul-path-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  for (const name of readdirSync('/usr/bin')) {
    if (name !== program) await symlink(join('/usr/bin', name), join(folder, name))
  }
  return folder
}

describe.runIf(process.platform === 'linux')('on a system without bubblewrap', () => {
  test('a container does no work, and says what is missing and how to accept it', async () => {
    const { origin, fake, start } = await machine()
    const container = await start('work', { PATH: await pathWithout('bwrap') })
    const sandbox =
      'Child processes can do all that this container can (bubblewrap is not installed). ' +
      'Until this is fixed, the container does no work. To accept it, set SANDBOX=weak.'
    expect(await healthOf(container)).toMatchObject({ status: 'degraded', parts: { sandbox } })
    expect(container.errors).toContain(sandbox)
    const post = (path: string, body: object, headers = { authorization: `Bearer ${token}` }) =>
      fetch(container.url + path, { method: 'POST', headers, body: JSON.stringify(body) })
    const order = fetchOrder('imp_unsafe', fake.callback, origin.url)
    expect((await post('/steps', order)).status).toBe(503)
    expect((await post('/probe', { url: `${origin.url}/page`, timeoutMs: 1_000 })).status).toBe(503)
    expect((await post('/steps', order, { authorization: 'Bearer other' })).status).toBe(401)
    expect([origin.requests, fake.outcomes]).toEqual([[], []])
  })

  test('SANDBOX=weak accepts that: the container works, and its health says so', async () => {
    const { origin, fake, start, startStep } = await machine()
    const container = await start('work', { PATH: await pathWithout('bwrap'), SANDBOX: 'weak' })
    const sandbox =
      'Child processes can do all that this container can (bubblewrap is not installed). SANDBOX=weak accepts this.'
    // The extractor may still be starting.
    await expect
      .poll(() => healthOf(container), { timeout: 25_000 })
      .toMatchObject({ status: 'ok', parts: { sandbox } })
    await startStep(container, 'imp_weak')
    origin.release(heldPath)
    expect(await fake.firstOutcome).toMatchObject({ status: 'done' })
    const probe = await fetch(`${container.url}/probe`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      body: JSON.stringify({ url: `${origin.url}/media/hls-fmp4/master.m3u8`, timeoutMs: 15_000 }),
    })
    expect([probe.status, (await probe.json()).status]).toEqual([200, 'done'])
  })
})
