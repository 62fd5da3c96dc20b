import { expect, onTestFinished, test, vi } from 'vitest'
import { createEgress } from '../../../../container/egress/egress.ts'
import { createGuard } from '../../../../container/egress/guard.ts'
import { SourceProxyFailed } from '../../../../container/egress/tunnel.ts'
import { resolve } from '../../../../container/source/resolve.ts'
import { readSourceProxies } from '../../../../domain/network/source-proxies.ts'
import {
  startConnectProxy,
  startSocksProxy,
  type TestProxy,
  type TestProxyOptions,
} from '../../../doubles/internet/source-proxies.ts'
import { extractorSite, never } from './site.ts'

const site = extractorSite()

const httpProxy = (options: TestProxyOptions) => startConnectProxy('http', options)

/** Every name has a public address, which the proxy leads to the site. */
const behind = async (
  start: (options: TestProxyOptions) => Promise<TestProxy>,
  refuseWith: () => number | null = () => null,
) => {
  const proxy = await start({
    port: Number(new URL(site.origin).port),
    ...{ username: 'user', password: 'hunter2', refuseWith },
  })
  const egress = createEgress({
    guard: createGuard({ lookup: async () => [{ address: '93.184.216.34', family: 4 }] }),
    sourceProxies: readSourceProxies({ url: proxy.url }),
  })
  onTestFinished(async () => {
    await egress.close()
    await proxy.close()
  })
  return { proxy, egress }
}

test.each([
  ['an http proxy', httpProxy],
  ['a SOCKS5 proxy', startSocksProxy],
])('yt-dlp reads a page, and the manifest that it links to, through %s', async (_, start) => {
  const { proxy, egress } = await behind(start)
  const source = await site.extractor.extract('http://media.example/page-of-hls', egress, never)
  expect(source.renditions.map(({ height }) => height)).toEqual([null, 360, 720])
  expect(new Set(proxy.targets)).toEqual(new Set(['93.184.216.34:80']))
})

test('a proxy that fails for yt-dlp is SOURCE_BLOCKED, whatever yt-dlp makes of the 502', async () => {
  const { proxy, egress } = await behind(startSocksProxy, () => 1)
  const tunneled = site.extractor.extract('https://media.example/one', egress, never)
  await expect(tunneled).rejects.toBeInstanceOf(SourceProxyFailed)
  const plain = site.extractor.extract('http://media.example/one', egress, never)
  await expect(plain).rejects.toMatchObject({ code: 'SOURCE_BLOCKED' })
  expect(proxy.targets.length).toBeGreaterThan(1)
})

test('an earlier failure of the proxy is not the reason why a page has no media', async () => {
  const { egress } = await behind(httpProxy, refusesFirst())
  await expect(egress.fetch('http://media.example/none')).rejects.toBeInstanceOf(SourceProxyFailed)
  const extracted = site.extractor.extract('http://media.example/none', egress, never)
  await expect(extracted).rejects.toMatchObject({ code: 'SOURCE_UNSUPPORTED' })
})

test('a URL is opened again after its proxy failed, and not given to yt-dlp', async () => {
  const { proxy, egress } = await behind(startSocksProxy, () => 1)
  const extractor = { extract: vi.fn() }
  await expect(resolve('http://media.example/one', { egress, extractor, signal: never })).rejects.toMatchObject({
    code: 'SOURCE_BLOCKED',
    message: "The service's proxy for this source failed. Try again later.",
  })
  expect([proxy.targets.length, extractor.extract.mock.calls]).toEqual([3, []])
})

const refusesFirst = () => {
  let requests = 0
  return () => (++requests === 1 ? 503 : null)
}
