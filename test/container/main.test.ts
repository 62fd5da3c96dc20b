import { existsSync, readdirSync } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { FetchOrder } from '../../domain/protocol/protocol.ts'
import { startOrigin } from '../origin/origin.ts'
import { type ContainerProcess, startContainer, token } from './container-process.ts'
import { startFakeWorker } from './steps/fake-worker.ts'

const heldPath = '/generated/3000000.mp4?noRange&holdAfter=2000000'

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
  const start = async (workDir: string) => {
    const settings = { ALLOW_PRIVATE_HOSTS: origin.host, TMPDIR: temporary, WORK_DIR: join(root, workDir) }
    const container = await startContainer(settings)
    containers.push(container)
    return container
  }
  const startStep = async ({ url }: ContainerProcess, jobId: string) => {
    const order: FetchOrder = {
      ...{ step: 'fetch', jobId, attempt: 1, callback: fake.callback, url: origin.url + heldPath },
      selection: { includeVideo: true, includeAudio: true, videoQuality: 'best', audioQuality: 'best' },
      limits: { maxBytes: 10_000_000, maxDurationSeconds: 3_600, timeoutMs: 60_000 },
    }
    const headers = { authorization: `Bearer ${token}` }
    const requestsBefore = origin.requests.length
    await fetch(`${url}/steps`, { method: 'POST', headers, body: JSON.stringify(order) })
    await expect.poll(() => origin.requests.length).toBeGreaterThan(requestsBefore)
  }
  const filesIn = (workDir: string) => (existsSync(join(root, workDir)) ? readdirSync(join(root, workDir)) : [])
  return { origin, fake, start, startStep, filesIn, sockets: () => readdirSync(temporary) }
}

test.each([
  ['short', 'work'],
  ['longer than the maximum path of a Unix socket', join('w'.repeat(100), 'o'.repeat(100), 'work')],
])(
  'files of a killed container are deleted when it starts again; the path of its work folder is %s',
  async (_, workDir) => {
    const { start, startStep, filesIn, sockets } = await machine()
    const killed = await start(workDir)
    await startStep(killed, 'imp_killed')
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
  await startStep(other, 'imp_other')
  const killed = await start('killed')
  await startStep(killed, 'imp_killed')
  killed.process.kill('SIGKILL')
  await killed.exited
  await start('killed')
  expect(sockets()).toHaveLength(1)
  origin.release(heldPath)
  expect(await fake.firstOutcome).toMatchObject({ status: 'done' })
})

test('a container that is stopped deletes its files', async () => {
  const { start, startStep, filesIn, sockets } = await machine()
  const container = await start('work')
  await startStep(container, 'imp_stopped')
  container.process.kill('SIGTERM')
  await container.exited
  expect([filesIn('work'), sockets()]).toEqual([[], []])
})
