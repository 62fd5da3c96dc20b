import { execFile } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { scratchFolder } from '../../container/audio/recordings.ts'
import { type ContainerProcess, fetchOrder, startContainer } from '../../container/container-process.ts'
import { startFakeWorker } from '../../container/steps/fake-worker.ts'
import { startOrigin } from '../../doubles/origin/origin.ts'

/** Its step has a proxy for yt-dlp, with a socket, and runs until the origin releases the download. */
const heldPage = { path: '/page/held.html', video: '/media/faststart.mp4?holdAfter=300000' }

/** Containers with a shared temporary folder. */
const machine = async () => {
  const [origin, fake] = await Promise.all([startOrigin(), startFakeWorker()])
  const root = await mkdtemp(join(tmpdir(), 'haul-killed-'))
  const temporary = join(root, 'tmp')
  await mkdir(temporary)
  const containers: ContainerProcess[] = []
  onTestFinished(async () => {
    await Promise.all(containers.map((container) => container.end()))
    await Promise.all([origin.close(), fake.close(), rm(root, { recursive: true, force: true })])
  })
  const start = async (workDir: string, more: Record<string, string> = {}) => {
    const settings = { ALLOW_PRIVATE_HOSTS: origin.host, TMPDIR: temporary, WORK_DIR: join(root, workDir), ...more }
    const container = await startContainer(settings)
    containers.push(container)
    return container
  }
  const startStep = (container: ContainerProcess, jobId: string) =>
    container.post('/steps', fetchOrder(jobId, fake, origin.url + heldPage.path))
  const filesIn = (workDir: string) => (existsSync(join(root, workDir)) ? readdirSync(join(root, workDir)).length : 0)
  /** A folder for each proxy, in a folder for each container. */
  const sockets = () =>
    readdirSync(temporary)
      .filter((name) => !name.startsWith('haul-walls-'))
      .flatMap((name) => readdirSync(join(temporary, name))).length
  return { origin, fake, start, startStep, filesIn, sockets }
}

test('files of a stopped container are deleted at once, those of a killed one when it starts again, and others are kept', async () => {
  const { origin, fake, start, startStep, filesIn, sockets } = await machine()
  // Longer than the maximum path of a Unix socket.
  const long = join('w'.repeat(100), 'o'.repeat(100), 'work')
  const files = () => ({ own: filesIn(long), others: filesIn('other'), sockets: sockets() })
  const stopped = await start(long)
  await startStep(stopped, 'imp_stopped')
  await expect.poll(files).toEqual({ own: 1, others: 0, sockets: 1 })
  await stopped.end('SIGINT')
  expect(files()).toEqual({ own: 0, others: 0, sockets: 0 })
  const killed = await start(long)
  await startStep(killed, 'imp_killed')
  await expect.poll(files).toEqual({ own: 1, others: 0, sockets: 1 })
  await killed.end('SIGKILL')
  await startStep(await start('other'), 'imp_other')
  await expect.poll(files).toEqual({ own: 1, others: 1, sockets: 2 })
  await start(long)
  expect(files()).toEqual({ own: 0, others: 1, sockets: 1 })
  origin.release(heldPage.video)
  await expect.poll(() => fake.outcomes.map(({ status }) => status)).toEqual(['gaveBack', 'done'])
  // It starts four containers, and yt-dlp in three.
}, 180_000)

test('a container whose model is none ends with a sentence', async () => {
  const folder = scratchFolder()
  const main = join(import.meta.dirname, '../../../container/main.ts')
  const env = { PATH: process.env.PATH, ENGINE_TOKEN: 'x', WORK_DIR: join(folder, 'work'), STT_MODELS: `own=${folder}` }
  const ended = promisify(execFile)(process.execPath, [main], { env })
  await expect(ended).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^STT_MODELS: \S+ is none of the kinds that are read: .*\.\n$/),
  })
})

describe.runIf(process.platform === 'linux')('on a system without bubblewrap', () => {
  const PATH = scratchFolder()
  beforeAll(async () => {
    for (const name of readdirSync('/usr/bin')) {
      if (name !== 'bwrap') await symlink(join('/usr/bin', name), join(PATH, name))
    }
  })
  const healthOf = async (container: ContainerProcess) => (await container.get('/health')).json()

  test('a container does no work, and says what is missing and how to accept it', async () => {
    const { origin, fake, start } = await machine()
    const container = await start('work', { PATH })
    const sandbox =
      'Child processes can do all that this container can (bubblewrap is not installed). ' +
      'Until this is fixed, the container does no work. To accept it, set SANDBOX=weak.'
    expect(await healthOf(container)).toMatchObject({ status: 'degraded', parts: { sandbox } })
    expect(container.errors).toContain(sandbox)
    const order = fetchOrder('imp_unsafe', fake, origin.url)
    const probe = { url: `${origin.url}/page`, timeoutMs: 1_000 }
    expect((await container.post('/steps', order)).status).toBe(503)
    expect((await container.post('/probe', probe)).status).toBe(503)
    expect((await container.post('/steps', order, 'Bearer other')).status).toBe(401)
    expect([origin.requests, fake.outcomes]).toEqual([[], []])
  })

  test('SANDBOX=weak accepts that: the container works, and its health says so', async () => {
    const { origin, fake, start } = await machine()
    const container = await start('work', { PATH, SANDBOX: 'weak' })
    const sandbox =
      'Child processes can do all that this container can (bubblewrap is not installed). SANDBOX=weak accepts this.'
    // The extractor may still be starting.
    await expect.poll(() => healthOf(container)).toMatchObject({ status: 'ok', parts: { sandbox } })
    await container.post('/steps', fetchOrder('imp_weak', fake, `${origin.url}/media/hls-fmp4/master.m3u8`))
    expect(await fake.firstOutcome).toMatchObject({ status: 'done' })
    const probe = await container.post('/probe', { url: `${origin.url}/media/tone.mp3`, timeoutMs: 15_000 })
    expect([probe.status, (await probe.json()).status]).toEqual([200, 'done'])
  })
})
