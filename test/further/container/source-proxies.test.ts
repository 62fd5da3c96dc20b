import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Uploaded } from '../../../domain/protocol/protocol.ts'
import { scratchFolder } from '../../container/audio/recordings.ts'
import { type ContainerProcess, fetchOrder, startContainer } from '../../container/container-process.ts'
import { descendantsOf } from '../../container/processes.ts'
import { type FakeWorker, startFakeWorker } from '../../container/steps/fake-worker.ts'
import { type BrowsersOnly, startBrowsersOnly } from '../../doubles/internet/browsers-only.ts'
import { selfSigned } from '../../doubles/internet/self-signed.ts'
import { startConnectProxy, type TestProxy } from '../../doubles/internet/source-proxies.ts'
import { type Origin, startOrigin } from '../../doubles/origin/origin.ts'
import { listenOnLoopback } from '../../support/loopback.ts'
import { sha256 } from '../../support/sha256.ts'

/** A whole engine behind source proxies, and sites that refuse it. */
const folder = scratchFolder()
const credentials = { username: 'user', password: 'hunter2' }
/** Hosts behind the general proxy, behind one that is called with a wrong password, and behind two of which one is refused. */
const [general, wrong, refusing] = ['93.184.216.34', '93.184.216.35', '93.184.216.36']
const proxies: Record<'general' | 'refused' | 'next', TestProxy> = {} as never
const closing: (() => unknown)[] = []
let origin: Origin
let site: BrowsersOnly
let container: ContainerProcess
let fake: FakeWorker

const opened = async <T extends { close(): unknown }>(starting: Promise<T>): Promise<T> => {
  const started = await starting
  closing.push(started.close)
  return started
}

beforeAll(async () => {
  origin = await opened(startOrigin())
  site = await opened(startBrowsersOnly(origin.url))
  const forbidding = await opened(listenOnLoopback(createServer((_, response) => void response.writeHead(403).end())))
  const port = Number(new URL(origin.url).port)
  proxies.general = await opened(startConnectProxy('http', { port, ...credentials }))
  proxies.refused = await opened(startConnectProxy('http', { port: forbidding.port }))
  proxies.next = await opened(startConnectProxy('http', { port }))
  const byHost = [
    `${wrong}=${proxies.general.url.replace('hunter2', 'wrong-password')}`,
    ...[proxies.refused, proxies.next].map(({ url }) => `${refusing}=${url}`),
  ]
  const ca = join(folder, 'ca.pem')
  writeFileSync(ca, selfSigned.cert)
  container = await startContainer({
    WORK_DIR: join(folder, 'work'),
    ALLOW_PRIVATE_HOSTS: `localhost:${site.port}`,
    SOURCE_PROXY_URL: proxies.general.url,
    SOURCE_PROXIES: byHost.join(' '),
    ...{ NODE_EXTRA_CA_CERTS: ca, SSL_CERT_FILE: ca },
  })
})
beforeEach(async () => {
  fake = await startFakeWorker()
  container.log.length = 0
  proxies.general.targets.length = 0
})
afterEach(() => fake.close())
afterAll(async () => {
  await container.end()
  for (const close of closing) await close()
})

let jobs = 0
const fetched = async (url: string) => {
  const before = fake.outcomes.length
  await container.post('/steps', fetchOrder(`imp_${jobs++}`, fake, url))
  await expect.poll(() => fake.outcomes.length, { timeout: 60_000 }).toBe(before + 1)
  return fake.outcomes[before]
}
const refusals = () => container.log.filter(({ event }) => event === 'source refused')

/** Empty where there is no /proc, or when the process has ended. */
const environmentOf = (pid: number): string => {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1')
  } catch {
    return ''
  }
}

test('a container imports a manifest and its segments through SOURCE_PROXY_URL, and shows the password nowhere', async () => {
  const before = origin.requests.length
  expect(await fetched(`http://${general}/media/hls-fmp4/master.m3u8`)).toMatchObject({ status: 'done' })
  expect(new Set(proxies.general.targets)).toEqual(new Set([`${general}:80`]))
  expect(new Set(origin.requests.slice(before).map(({ headers }) => headers.host))).toEqual(new Set([general]))
  const probed = await container.post('/probe', { url: `http://${general}/media/faststart.mp4`, timeoutMs: 15_000 })
  expect(await probed.json()).toMatchObject({ status: 'done', source: { direct: true } })
  const resolved = await container.post('/resolve', { host: general, port: 80 })
  expect(await resolved.json()).toEqual({ allowed: true, hasSourceProxy: true })
  expect(JSON.stringify([container.log, container.errors])).not.toMatch(/hunter2|user:/)
  const children = descendantsOf(container.process.pid as number)
  expect(children.map(({ command }) => command)).toContain('python')
  for (const { pid, command, args } of children) expect(environmentOf(pid) + args, command).not.toContain('hunter2')
})

test('when a proxy refuses the credentials, the job fails with SOURCE_BLOCKED, and the log names the proxy and the reason', async () => {
  const before = origin.requests.length
  expect(await fetched(`http://${wrong}/media/faststart.mp4`)).toEqual({
    status: 'failed',
    code: 'SOURCE_BLOCKED',
    message: "The service's proxy for this source failed. Try again later.",
    downloadedBytes: 0,
    readBy: { extractor: 'direct', extractorVersion: null },
  })
  const logged = container.log.filter(({ event }) => event === 'source proxy failed')
  expect(logged).toMatchObject([
    { jobId: `imp_${jobs - 1}`, proxy: `127.0.0.1:${proxies.general.port}`, reason: 'status 407' },
  ])
  expect(JSON.stringify([container.log, container.errors, fake.outcomes])).not.toMatch(/password|hunter2/)
  expect([proxies.general.targets, origin.requests.length]).toEqual([[], before])
})

test('a site that serves only browsers is imported: a file, and a page with HLS; the second time without a refusal', async () => {
  const at = (path: string) => `https://localhost:${site.port}${path}`
  const refused = () => site.requests.filter(({ isBrowser }) => !isBrowser).length

  const file = await fetched(at('/media/faststart.mp4'))
  expect(file).toMatchObject({ status: 'done', readBy: { extractor: 'direct', extractorVersion: null } })
  const { media } = (file as { result: { media: Uploaded } }).result
  const original = await (await fetch(`${origin.url}/media/faststart.mp4`)).bytes()
  expect(sha256(fake.stored(media) ?? '')).toBe(sha256(original))
  expect(refusals()).toMatchObject([{ code: 'SOURCE_BLOCKED', route: 0, asBrowser: false, jobId: `imp_${jobs - 1}` }])

  const before = refused()
  expect(await fetched(at('/page/hls.html'))).toMatchObject({ status: 'done', readBy: { extractor: 'html5' } })
  const probed = await container.post('/probe', { url: at('/media/faststart.mp4'), timeoutMs: 15_000 })
  expect(await probed.json()).toMatchObject({ status: 'done', source: { direct: true } })
  expect(refused()).toBe(before)
  expect(refusals()).toHaveLength(1)
})

test('a host that refuses the address of one proxy is reached by the next, which is tried first from then on', async () => {
  expect(await fetched(`http://${refusing}/media/faststart.mp4`)).toMatchObject({ status: 'done' })
  expect(refusals()).toMatchObject([
    { code: 'SOURCE_BLOCKED', route: 0, asBrowser: false },
    { code: 'SOURCE_BLOCKED', route: 0, asBrowser: true },
  ])
  const before = proxies.refused.targets.length
  expect(await fetched(`http://${refusing}/media/faststart.mp4`)).toMatchObject({ status: 'done' })
  expect(proxies.refused.targets).toHaveLength(before)
})
