import { readdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { pythonAt } from '../../../../../container/config.ts'
import { createGuard } from '../../../../../container/egress/guard.ts'
import { SourceTooSlow } from '../../../../../container/egress/least-speed.ts'
import { ForbiddenDestination } from '../../../../../container/egress/requests.ts'
import { SourceProxyFailed } from '../../../../../container/egress/tunnel.ts'
import { createBrowser } from '../../../../../container/source/browser/browser.ts'
import { download } from '../../../../../container/source/download.ts'
import { readSourceProxies } from '../../../../../domain/network/source-proxies.ts'
import { scratchFolder } from '../../../../container/audio/recordings.ts'
import { egress } from '../../../../container/egress/open-egress.ts'
import { descendantsOf } from '../../../../container/processes.ts'
import { never, sha256OfGenerated } from '../../../../container/source/downloading.ts'
import { type BrowsersOnly, startBrowsersOnly } from '../../../../doubles/internet/browsers-only.ts'
import { selfSigned } from '../../../../doubles/internet/self-signed.ts'
import { startConnectProxy } from '../../../../doubles/internet/source-proxies.ts'
import { type Origin, startOrigin } from '../../../../doubles/origin/origin.ts'
import { listenOnLoopback } from '../../../../support/loopback.ts'
import { sha256 } from '../../../../support/sha256.ts'

/** What a site sees of the engine's own requests when it serves only browsers. */
const python = pythonAt(null)
const folder = scratchFolder()
let origin: Origin
let site: BrowsersOnly

beforeAll(async () => {
  origin = await startOrigin()
  site = await startBrowsersOnly(origin.url)
  writeFileSync(join(folder, 'ca.pem'), selfSigned.cert)
  vi.stubEnv('SSL_CERT_FILE', join(folder, 'ca.pem'))
  setDefaultCACertificates([...getCACertificates('default'), selfSigned.cert])
})

afterAll(async () => {
  vi.unstubAllEnvs()
  await Promise.all([site.close(), origin.close()])
})

const asBrowser = (options: Parameters<typeof egress>[1] = {}) =>
  egress([`localhost:${site.port}`], {
    access: { route: 0, asBrowser: true },
    createBrowser: (needs) => createBrowser(python, needs),
    socketFolder: join(folder, 'sockets'),
    ...options,
  })

const at = (path: string) => `https://localhost:${site.port}${path}`

test('a site that refuses our handshake serves that of a browser', async () => {
  const plain = await egress([`localhost:${site.port}`])
  expect((await plain.fetch(at('/media/faststart.mp4'))).status).toBe(403)
  const response = await (await asBrowser()).fetch(at('/media/faststart.mp4'), { headers: { range: 'bytes=0-99' } })
  expect([response.status, response.headers.get('content-range')?.split('/')[0]]).toEqual([206, 'bytes 0-99'])
  expect((await response.bytes()).length).toBe(100)
  expect(site.requests.at(-1)).toMatchObject({ isBrowser: true, userAgent: expect.stringMatching(/Chrome\/\d+/) })
})

const BYTES = 12_000_000

/** The digest of a file that was downloaded as a step does it. `onWrite` is called with what has arrived. */
const downloaded = async (query: string, onWrite: (bytes: number) => void = () => {}): Promise<string> => {
  const whole = Buffer.alloc(BYTES)
  let written = 0
  const write = async (chunk: Uint8Array, offset: number) => {
    whole.set(chunk, offset)
    written += chunk.length
    onWrite(written)
  }
  const transport = { kind: 'file' as const, url: at(`/generated/${BYTES}.mp4${query}`), headers: { cookie: 'a=b' } }
  const options = { retryPolicy: { backoffMs: () => 0 } }
  await download({ transport }, { announce: () => {}, write }, { egress: await asBrowser(), signal: never, ...options })
  return sha256(whole)
}

test.each(['', '?cutAfter=3000000&times=2', '?noRange', '?chunked&cutAfter=3000000', '?gzip', '?redirect=2'])(
  'a file is downloaded whole, also with %s',
  async (query) => {
    expect(await downloaded(query)).toBe(await sha256OfGenerated(BYTES))
    expect(site.requests.every(({ isBrowser, path }) => isBrowser || !path.startsWith('/generated/'))).toBe(true)
  },
)

test('when its process is killed in the middle of a download, another one continues', async () => {
  const killed = new Set<number>()
  const kill = (bytes: number) => {
    if (killed.size > 0 || bytes < 3_000_000) return
    for (const { pid, args } of descendantsOf(process.pid)) {
      if (!args.includes('browser.py') || args.startsWith('bwrap')) continue
      killed.add(pid)
      process.kill(pid, 'SIGKILL')
    }
  }
  expect(await downloaded('?noRange', kill)).toBe(await sha256OfGenerated(BYTES))
  expect(killed.size).toBeGreaterThan(0)
})

test.each([
  [
    'a length that is not that of its chunks',
    'Content-Length: 2\r\nTransfer-Encoding: chunked',
    '5\r\nwhole\r\n0\r\n\r\n',
    'whole',
  ],
  ['a length beside no chunks', 'Transfer-Encoding: chunked\r\nContent-Length: 2', '0\r\n\r\n', ''],
  ['a length that is stated twice', 'Content-Length: 5\r\nContent-Length: 5', 'whole', 'whole'],
])('a response with %s is read whole, and the next after it', async (_, headers, body, text) => {
  // No response of Node's has such headers.
  const server = createServer(({ socket }) => socket.write(`HTTP/1.1 200 OK\r\n${headers}\r\n\r\n${body}`))
  const { url, host, close } = await listenOnLoopback(server)
  onTestFinished(close)
  const out = await asBrowser({ guard: createGuard({ allow: host, lookup: async () => [] }) })
  for (let requests = 0; requests < 2; requests++) {
    const response = await out.fetch(url)
    expect([await response.text(), response.headers.get('transfer-encoding')]).toEqual([text, 'chunked'])
  }
})

test('addresses that the guard forbids are refused, in redirects too', async () => {
  const out = await asBrowser()
  for (const url of [
    'https://10.0.0.1/',
    'http://127.0.0.1:1/',
    'https://localhost:1/',
    at('/page/x?redirectTo=http://10.0.0.1/'),
  ]) {
    await expect(out.fetch(url), url).rejects.toBeInstanceOf(ForbiddenDestination)
  }
})

test('a response that stalls is given up, and one that is abandoned does not disturb the next', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const out = await asBrowser()
  const stalled = (await out.fetch(at('/generated/20000000.mp4?stallAfter=100000&times=always'))).body?.getReader()
  for (let bytes = 0; bytes < 100_000; ) bytes += (await stalled?.read())?.value?.length ?? 0
  const next = expect(stalled?.read()).rejects.toThrow(SourceTooSlow)
  await vi.advanceTimersByTimeAsync(31_000)
  await next
  const abandoned = await out.fetch(at('/generated/20000000.mp4'))
  await abandoned.body?.cancel()
  expect((await out.fetch(at('/media/faststart.mp4'))).status).toBe(200)
})

test('all its requests go through the source proxy of the host, and a proxy that fails is named', async () => {
  const proxy = await startConnectProxy('http', {
    port: site.port,
    refuseWith: (target) => (target.endsWith(':81') ? 403 : null),
  })
  onTestFinished(() => proxy.close())
  const guard = createGuard({ lookup: async () => [{ address: '93.184.216.34', family: 4 }] })
  const out = await asBrowser({ guard, sourceProxies: readSourceProxies({ url: proxy.url }) })
  expect((await out.fetch('https://media.example/media/faststart.mp4')).status).toBe(200)
  await expect(out.fetch('https://media.example:81/')).rejects.toBeInstanceOf(SourceProxyFailed)
  await expect(out.fetch('http://media.example:81/')).rejects.toBeInstanceOf(SourceProxyFailed)
  expect(new Set(proxy.targets)).toEqual(new Set(['93.184.216.34:443', '93.184.216.34:81']))
})

test('its process, and its sockets, end with the egress', async () => {
  const out = await asBrowser()
  await (await out.fetch(at('/media/faststart.mp4'))).bytes()
  await out.close()
  expect(readdirSync(join(folder, 'sockets'))).toEqual([])
  await vi.waitFor(() =>
    expect(descendantsOf(process.pid).filter(({ args }) => args.includes(`${folder}/sockets`))).toEqual([]),
  )
})
