import { existsSync, readdirSync } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { FetchOrder } from '../../container/protocol.ts'
import { startOrigin } from '../origin/origin.ts'
import { type Engine, startEngine, token } from './engine.ts'
import { startFakeWorker } from './fake-worker.ts'

const held = '/generated/3000000.mp4?noRange&holdAfter=2000000'

/** Everything that containers of one machine put into the file system, and a job that takes as long as we want. */
const machine = async () => {
  const [origin, fake] = await Promise.all([startOrigin(), startFakeWorker()])
  const root = await mkdtemp(join(tmpdir(), 'haul-killed-'))
  const temporary = join(root, 'tmp')
  await mkdir(temporary)
  const engines: Engine[] = []
  onTestFinished(async () => {
    for (const { process } of engines) process.kill('SIGKILL')
    await Promise.all(engines.map(({ exited }) => exited))
    await Promise.all([origin.close(), fake.close(), rm(root, { recursive: true, force: true })])
  })
  const start = async (workDir: string) => {
    const settings = { ALLOW_PRIVATE_HOSTS: origin.host, TMPDIR: temporary, WORK_DIR: join(root, workDir) }
    const engine = await startEngine(settings)
    engines.push(engine)
    return engine
  }
  const give = async ({ url }: Engine, jobId: string) => {
    const order: FetchOrder = {
      ...{ step: 'fetch', jobId, attempt: 1, callback: fake.callback, url: origin.url + held },
      selection: { includeVideo: true, includeAudio: true, videoQuality: 'best', audioQuality: 'best' },
      limits: { maxBytes: 10_000_000, maxDurationSeconds: 3_600, timeoutMs: 600_000 },
    }
    const headers = { authorization: `Bearer ${token}` }
    const asked = origin.requests.length
    await fetch(`${url}/steps`, { method: 'POST', headers, body: JSON.stringify(order) })
    await expect.poll(() => origin.requests.length).toBeGreaterThan(asked)
  }
  const left = (workDir: string) => (existsSync(join(root, workDir)) ? readdirSync(join(root, workDir)) : [])
  return { origin, fake, start, give, left, sockets: () => readdirSync(temporary) }
}

test.each([
  ['short', 'work'],
  ['longer than the path of a socket may be', join('w'.repeat(100), 'o'.repeat(100), 'work')],
])('what a killed container left is gone when it has started again; its work folder is %s', async (_, workDir) => {
  const { start, give, left, sockets } = await machine()
  const killed = await start(workDir)
  await give(killed, 'imp_killed')
  killed.process.kill('SIGKILL')
  await killed.exited
  expect([left(workDir).length, sockets().length]).toEqual([1, 1])
  await start(workDir)
  expect([left(workDir), sockets()]).toEqual([[], []])
})

test('another container beside it goes on with what it has', async () => {
  const { origin, fake, start, give, sockets } = await machine()
  const beside = await start('beside')
  await give(beside, 'imp_beside')
  const killed = await start('killed')
  await give(killed, 'imp_killed')
  killed.process.kill('SIGKILL')
  await killed.exited
  await start('killed')
  expect(sockets()).toHaveLength(1)
  origin.letGo(held)
  expect(await fake.done).toMatchObject({ status: 'done' })
})

test('a container that is stopped leaves nothing', async () => {
  const { start, give, left, sockets } = await machine()
  const engine = await start('work')
  await give(engine, 'imp_stopped')
  engine.process.kill('SIGTERM')
  await engine.exited
  expect([left('work'), sockets()]).toEqual([[], []])
})
