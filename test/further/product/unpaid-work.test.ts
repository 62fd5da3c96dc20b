import { readFile } from 'node:fs/promises'
import { createServer, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { afterAll, expect, test } from 'vitest'
import { fixture } from '../../doubles/origin/fixtures.ts'
import { listenOnLoopback } from '../../support/loopback.ts'
import { ownProduct } from '../../support/product/product.ts'

/** What an account can make Haul do without paying for it, and how much of it runs at once. */
let source: Awaited<ReturnType<typeof startSource>>

const site = ownProduct(async () => {
  source = await startSource()
  return { env: { ENGINE_NETWORK_PLACES: '4' } }
})

afterAll(() => source?.close())

const SEGMENTS = 600
const segment = Buffer.alloc(1_000_000, 'x')
const extendedBy = (tag: string) =>
  `#EXTM3U\n#EXT-X-TARGETDURATION:1\n${`#EXTINF:1,\n${tag}segment.ts\n`.repeat(SEGMENTS)}#EXT-X-ENDLIST\n`
const files: Record<string, { contentType: string; body: string | Buffer }> = {
  '/600-segments.m3u8': { contentType: 'application/vnd.apple.mpegurl', body: extendedBy('') },
  '/negative-ranges.m3u8': {
    contentType: 'application/vnd.apple.mpegurl',
    body: extendedBy('#EXT-X-BYTERANGE:-5@0\n'),
  },
  '/segment.ts': { contentType: 'video/mp2t', body: segment },
}

/** A server that counts the bytes it sends. Requests below /held are answered with a page when they are released. */
const startSource = async () => {
  const video = await readFile(fixture('faststart.mp4'))
  const held: ServerResponse[] = []
  const sockets = new Set<Socket>()
  const server = createServer((request, response) => {
    const path = request.url ?? '/'
    // The Worker requests 1 KiB to check that a URL can be reached.
    const isCheck = request.headers.range === 'bytes=0-1023'
    if (path.startsWith('/held')) return void (isCheck ? response.end() : held.push(response))
    const { contentType, body } = files[path] ?? { contentType: 'video/mp4', body: video }
    response.writeHead(200, { 'content-type': contentType, 'content-length': body.length }).end(body)
  })
  server.on('connection', (socket) => sockets.add(socket))
  const listening = await listenOnLoopback(server)
  return {
    ...listening,
    /** Held requests whose client has not gone. */
    waiting: () => held.filter((response) => !response.closed && !response.writableEnded).length,
    release: () => {
      for (const response of held.splice(0)) response.writeHead(200, { 'content-type': 'text/html' }).end('<p>none</p>')
    },
    sentBytes: () => [...sockets].reduce((sum, { bytesWritten }) => sum + bytesWritten, 0),
  }
}

test('an import reads no further than the account can pay for', async () => {
  const account = await site.newClient({ creditDollars: 0.05 })
  const before = source.sentBytes()
  const job = await account.ended(await account.start({ url: `${source.url}/600-segments.m3u8` }))
  expect(job).toMatchObject({ status: 'failed', code: 'INSUFFICIENT_BALANCE' })
  // Five cents are 5 MB. The rest was in the buffers of six connections.
  expect(source.sentBytes() - before).toBeLessThan(40_000_000)
  expect(await account.account()).toMatchObject({ balanceDollars: 0.05, heldDollars: 0 })
})

test('a playlist of negative byte ranges is refused at once, and nothing is fetched', async () => {
  const account = await site.newClient({ creditDollars: 0.01 })
  const before = source.sentBytes()
  const job = await account.ended(await account.start({ url: `${source.url}/negative-ranges.m3u8` }))
  expect(job).toMatchObject({ status: 'failed', code: 'SOURCE_UNSUPPORTED' })
  expect(source.sentBytes() - before).toBeLessThan(1_000_000)
})

test('sixteen metadata requests of one account run two at a time, and another account is served meanwhile', async () => {
  const greedy = await site.newClient()
  const other = await site.newClient()
  const metadata = (account: typeof greedy, path: string) =>
    account.request('GET', `/metadata?url=${encodeURIComponent(source.url + path)}`)
  let most = 0
  const watching = setInterval(() => {
    most = Math.max(most, source.waiting())
  }, 5)
  const requests = Array.from({ length: 16 }, (_, i) => metadata(greedy, `/held-${i}`))
  await expect.poll(source.waiting).toBe(2)
  expect(await metadata(other, '/small.mp4')).toMatchObject({ status: 200 })
  const releasing = setInterval(source.release, 500)
  const responses = await Promise.all(requests)
  clearInterval(releasing)
  clearInterval(watching)
  expect(most).toBe(2)
  const refused = responses.filter(({ status }) => status === 503)
  expect(refused.length).toBeGreaterThan(0)
  for (const { headers, body } of refused) {
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    expect(body).toMatchObject({ success: false, code: 'SERVICE_BUSY' })
  }
})

test('an account that fills the container with slow jobs leaves a place for another account', async () => {
  const greedy = await site.newClient()
  const other = await site.newClient()
  const slow = [
    ...['/held/a', '/held/b'].map((path) => ['/import', path] as const),
    ...['/held/c', '/held/d', '/held/e', '/held/f', '/held/g'].map((path) => ['/transcribe', path] as const),
  ]
  for (const [route, path] of slow) await greedy.post(route, { url: source.url + path })
  // One less than the four places.
  await expect.poll(source.waiting, { timeout: 20_000 }).toBe(3)
  const job = await other.ended(await other.start({ url: `${source.url}/small.mp4` }))
  expect(job).toMatchObject({ status: 'completed' })
  expect(source.waiting()).toBe(3)
})
