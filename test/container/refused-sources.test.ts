import { createHash } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { FetchOrder, Uploaded } from '../../domain/protocol/protocol.ts'
import { startBrowsersOnly } from '../doubles/internet/browsers-only.ts'
import { selfSigned } from '../doubles/internet/self-signed.ts'
import { startConnectProxy } from '../doubles/internet/source-proxies.ts'
import { startOrigin } from '../doubles/origin/origin.ts'
import { listenOnLoopback } from '../support/loopback.ts'
import { startContainer, token } from './container-process.ts'
import { startFakeWorker } from './steps/fake-worker.ts'

/** Whole engines, and sites that refuse them. */
const withEngine = async (settings: (origin: { url: string; host: string }) => Promise<Record<string, string>>) => {
  const [origin, fake] = await Promise.all([startOrigin(), startFakeWorker()])
  const folder = await mkdtemp(join(tmpdir(), 'haul-refused-'))
  const ca = join(folder, 'ca.pem')
  await writeFile(ca, selfSigned.cert)
  const env = {
    WORK_DIR: join(folder, 'work'),
    NODE_EXTRA_CA_CERTS: ca,
    SSL_CERT_FILE: ca,
    ...(await settings(origin)),
  }
  const container = await startContainer(env)
  onTestFinished(async () => {
    container.process.kill('SIGKILL')
    await container.exited
    await Promise.all([origin.close(), fake.close(), rm(folder, { recursive: true, force: true })])
  })
  const post = async (path: string, body: object) => {
    const headers = { authorization: `Bearer ${token}` }
    return await fetch(container.url + path, { method: 'POST', headers, body: JSON.stringify(body) })
  }
  /** Resolves to the outcome of a fetch step. */
  const fetched = async (url: string) => {
    const before = fake.outcomes.length
    const order: FetchOrder = {
      ...{ step: 'fetch', jobId: `imp_${before}`, attempt: 1, callback: fake.callback, url },
      selection: { includeVideo: true, includeAudio: true, videoQuality: 'best', audioQuality: 'best' },
      limits: { maxBytes: 50_000_000, maxDurationSeconds: 3_600, timeoutMs: 60_000 },
    }
    await post('/steps', order)
    await expect.poll(() => fake.outcomes.length, { timeout: 60_000 }).toBe(before + 1)
    return fake.outcomes[before]
  }
  const refusals = () => container.log.filter(({ event }) => event === 'source refused')
  return { origin, fake, container, post, fetched, refusals }
}

const digestOf = (bytes: Uint8Array | null): string =>
  createHash('sha256')
    .update(bytes ?? '')
    .digest('hex')

test('a site that serves only browsers is imported: a file, and a page with HLS; the second time without a refusal', async () => {
  let site: Awaited<ReturnType<typeof startBrowsersOnly>> | undefined
  const { origin, fake, post, fetched, refusals } = await withEngine(async ({ url }) => {
    site = await startBrowsersOnly(url)
    onTestFinished(() => site?.close())
    return { ALLOW_PRIVATE_HOSTS: `localhost:${site.port}` }
  })
  const at = (path: string) => `https://localhost:${site?.port}${path}`
  const refused = () => site?.requests.filter(({ isBrowser }) => !isBrowser).length

  const file = await fetched(at('/media/faststart.mp4'))
  expect(file).toMatchObject({ status: 'done', readBy: { extractor: 'direct', extractorVersion: null } })
  const { media } = (file as { result: { media: Uploaded } }).result
  const original = await (await fetch(`${origin.url}/media/faststart.mp4`)).bytes()
  expect(digestOf(fake.stored(media))).toBe(digestOf(original))
  expect(refusals()).toMatchObject([{ code: 'SOURCE_BLOCKED', route: 0, asBrowser: false, jobId: 'imp_0' }])

  const before = refused()
  expect(await fetched(at('/page/hls.html'))).toMatchObject({ status: 'done', readBy: { extractor: 'html5' } })
  const probed = await post('/probe', { url: at('/media/faststart.mp4'), timeoutMs: 15_000 })
  expect(await probed.json()).toMatchObject({ status: 'done', source: { direct: true } })
  expect(refused()).toBe(before)
  expect(refusals()).toHaveLength(1)
})

const host = '93.184.216.34'

test('a host that refuses the address of one proxy is reached by the next, which is tried first from then on', async () => {
  const serving = await startOrigin()
  const refusing = createServer((_, response) => void response.writeHead(403).end())
  const { url, close } = await listenOnLoopback(refusing)
  const one = await startConnectProxy('http', { port: Number(new URL(url).port) })
  const other = await startConnectProxy('http', { port: Number(new URL(serving.url).port) })
  onTestFinished(async () => {
    await Promise.all([one.close(), other.close(), close(), serving.close()])
  })
  const { fetched, refusals } = await withEngine(async () => ({
    SOURCE_PROXIES: `${host}=${one.url} ${host}=${other.url}`,
  }))
  expect(await fetched(`http://${host}/media/faststart.mp4`)).toMatchObject({ status: 'done' })
  expect(refusals()).toMatchObject([
    { code: 'SOURCE_BLOCKED', route: 0, asBrowser: false },
    { code: 'SOURCE_BLOCKED', route: 0, asBrowser: true },
  ])
  const before = one.targets.length
  expect(await fetched(`http://${host}/media/faststart.mp4`)).toMatchObject({ status: 'done' })
  expect(one.targets).toHaveLength(before)
})

test('a source that refuses all that is tried fails with what would help', async () => {
  const { origin, fetched, refusals } = await withEngine(async (origin) => ({ ALLOW_PRIVATE_HOSTS: origin.host }))
  expect(await fetched(`${origin.url}/media/faststart.mp4?status=403&times=always`)).toMatchObject({
    status: 'failed',
    code: 'SOURCE_BLOCKED',
    message: 'The source refused to serve the media. A source proxy of the service (SOURCE_PROXIES) may help.',
  })
  expect(refusals()).toMatchObject([{ asBrowser: false }, { asBrowser: true }])
})
