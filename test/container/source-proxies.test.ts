import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { FetchOrder } from '../../domain/protocol/protocol.ts'
import { startConnectProxy } from '../doubles/internet/source-proxies.ts'
import { startOrigin } from '../doubles/origin/origin.ts'
import { startContainer, token } from './container-process.ts'
import { descendantsOf } from './processes.ts'
import { startFakeWorker } from './steps/fake-worker.ts'

const publicHost = '93.184.216.34'
const credentials = { username: 'user', password: 'hunter2' }

/** Empty where there is no /proc, or when the process has ended. */
const environmentOf = (pid: number): string => {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1')
  } catch {
    return ''
  }
}

/** A container whose sources all lie behind a proxy, which leads to the test origin. */
const containerBehindProxy = async (settings: (proxyUrl: string) => Record<string, string>) => {
  const [origin, fake] = await Promise.all([startOrigin(), startFakeWorker()])
  const folder = await mkdtemp(join(tmpdir(), 'haul-proxied-'))
  const proxy = await startConnectProxy('http', { port: Number(new URL(origin.url).port), ...credentials })
  const container = await startContainer({ WORK_DIR: join(folder, 'work'), ...settings(proxy.url) })
  onTestFinished(async () => {
    container.process.kill('SIGKILL')
    await container.exited
    await Promise.all([proxy.close(), origin.close(), fake.close(), rm(folder, { recursive: true, force: true })])
  })
  const headers = { authorization: `Bearer ${token}` }
  const post = async (path: string, body: object) =>
    await fetch(container.url + path, { method: 'POST', headers, body: JSON.stringify(body) })
  const order = (url: string): FetchOrder => ({
    ...{ step: 'fetch', jobId: 'imp_proxied', attempt: 1, callback: fake.callback, url },
    selection: { includeVideo: true, includeAudio: true, videoQuality: 'best', audioQuality: 'best' },
    limits: { maxBytes: 10_000_000, maxDurationSeconds: 3_600, timeoutMs: 60_000 },
  })
  return { origin, fake, proxy, container, post, order }
}

test('a container imports a manifest and its segments through SOURCE_PROXY_URL, and shows the password nowhere', async () => {
  const { origin, fake, proxy, container, post, order } = await containerBehindProxy((url) => ({
    SOURCE_PROXY_URL: url,
  }))
  await post('/steps', order(`http://${publicHost}/media/hls-fmp4/master.m3u8`))
  expect(await fake.firstOutcome).toMatchObject({ status: 'done' })
  expect(new Set(proxy.targets)).toEqual(new Set([`${publicHost}:80`]))
  expect(new Set(origin.requests.map(({ headers }) => headers.host))).toEqual(new Set([publicHost]))
  const probed = await post('/probe', { url: `http://${publicHost}/media/faststart.mp4`, timeoutMs: 15_000 })
  expect(await probed.json()).toMatchObject({ status: 'done', source: { direct: true } })
  const resolved = await post('/resolve', { host: publicHost, port: 80 })
  expect(await resolved.json()).toEqual({ allowed: true, hasSourceProxy: true })
  expect(JSON.stringify([container.log, container.errors])).not.toMatch(/hunter2|user:/)
  const children = descendantsOf(container.process.pid as number)
  expect(children.map(({ command }) => command)).toContain('python')
  for (const { pid, command, args } of children) expect(environmentOf(pid) + args, command).not.toContain('hunter2')
})

test('when a proxy refuses the credentials, the job fails with SOURCE_BLOCKED, and the log names the proxy and the reason', async () => {
  const { origin, fake, proxy, container, post, order } = await containerBehindProxy((url) => ({
    SOURCE_PROXIES: `${publicHost}=${url.replace('hunter2', 'wrong-password')}`,
  }))
  await post('/steps', order(`http://${publicHost}/media/faststart.mp4`))
  expect(await fake.firstOutcome).toEqual({
    status: 'failed',
    code: 'SOURCE_BLOCKED',
    message: "The service's proxy for this source failed. Try again later.",
    downloadedBytes: 0,
    readBy: { extractor: 'direct', extractorVersion: null },
  })
  const logged = container.log.filter(({ event }) => event === 'source proxy failed')
  expect(logged).toMatchObject([{ jobId: 'imp_proxied', proxy: `127.0.0.1:${proxy.port}`, reason: 'status 407' }])
  expect(JSON.stringify([container.log, container.errors, fake.outcomes])).not.toMatch(/password|hunter2/)
  expect([proxy.targets, origin.requests]).toEqual([[], []])
})

test('a container with an invalid proxy does not start, and says which entry is wrong without its password', () => {
  const env = {
    PATH: process.env.PATH,
    ENGINE_TOKEN: token,
    SOURCE_PROXIES: 'a.example=ftp://user:hunter2@proxy.example',
  }
  const main = join(import.meta.dirname, '../../container/main.ts')
  const { status, stdout, stderr } = spawnSync(process.execPath, [main], { env, encoding: 'utf8' })
  expect(status).toBe(1)
  expect(stderr).toContain('SOURCE_PROXIES: entry 1 must begin with http://, https:// or socks5://.')
  expect(stdout + stderr).not.toContain('hunter2')
})
