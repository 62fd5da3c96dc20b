import { createServer as createHttpsServer } from 'node:https'
import { createServer as createTcpServer, type Socket } from 'node:net'
import { getCACertificates, setDefaultCACertificates, type TLSSocket } from 'node:tls'
import { inspect } from 'node:util'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { EgressOptions } from '../../../container/egress/egress.ts'
import { type Address, createGuard } from '../../../container/egress/guard.ts'
import { SourceProxyFailed } from '../../../container/egress/tunnel.ts'
import { failedOutcome } from '../../../container/failures.ts'
import { errorFields } from '../../../container/log.ts'
import { failure } from '../../../domain/codes/failures.ts'
import { readSourceProxies } from '../../../domain/network/source-proxies.ts'
import { selfSigned } from '../../doubles/internet/self-signed.ts'
import {
  proxiesAddress,
  startConnectProxy,
  startSocksProxy,
  type TestProxy,
  type TestProxyOptions,
} from '../../doubles/internet/source-proxies.ts'
import { egress, listen, origin, unreachable } from './open-egress.ts'

const credentials = { username: 'haul-country-de', password: 'hunter2:/@' }
const protocols = ['http', 'https', 'socks5'] as const
const publicAddress = '93.184.216.34'

beforeAll(() => setDefaultCACertificates([...getCACertificates('default'), selfSigned.cert]))

const startProxy = async (protocol: (typeof protocols)[number], options: TestProxyOptions): Promise<TestProxy> => {
  const started = protocol === 'socks5' ? startSocksProxy(options) : startConnectProxy(protocol, options)
  onTestFinished(async () => (await started).close())
  return await started
}

/** An egress for which every name has these public addresses. */
const proxied = async (url: string, addresses: string[] = [publicAddress], options: Partial<EgressOptions> = {}) => {
  const lookup = async () => addresses.map((address): Address => ({ address, family: address.includes(':') ? 6 : 4 }))
  const failures: SourceProxyFailed[] = []
  const out = await egress([], {
    guard: createGuard({ lookup }),
    sourceProxies: readSourceProxies({ url }),
    onProxyFailure: (failed) => failures.push(failed),
    ...options,
  })
  return { out, failures }
}

interface Seen {
  from: string | undefined
  host: string | undefined
  /** The server name of TLS. */
  name: string | false | null | undefined
}

const secureOrigin = async (seen: Seen[]): Promise<number> => {
  const server = createHttpsServer(selfSigned, ({ socket, headers }, outgoing) => {
    const { remoteAddress: from, servername: name } = socket as TLSSocket
    seen.push({ from, host: headers.host, name })
    outgoing.end('x'.repeat(100_000))
  })
  onTestFinished(() => server.closeAllConnections())
  return await listen(server)
}

describe.each(protocols)('through an %s proxy', (protocol) => {
  test('an https source is reached at the checked address, and its certificate is that of the name', async () => {
    const seen: Seen[] = []
    const proxy = await startProxy(protocol, { port: await secureOrigin(seen), ...credentials })
    const { out } = await proxied(proxy.url)
    const response = await out.fetch('https://media.example/film')
    expect(await response.text()).toHaveLength(100_000)
    expect(seen).toEqual([{ from: proxiesAddress, host: 'media.example', name: 'media.example' }])
    expect(proxy.targets).toEqual([`${publicAddress}:443`])
    await expect(out.fetch('https://not-in-the-certificate.example/')).rejects.toMatchObject(unreachable)
  })

  test('a plain http source is reached at the checked address too', async () => {
    const port = await origin(({ socket, headers }, outgoing) =>
      outgoing.end(`${socket.remoteAddress} ${headers.host}`),
    )
    const proxy = await startProxy(protocol, { port, ...credentials })
    const { out } = await proxied(proxy.url)
    const response = await out.fetch('http://media.example:8080/film')
    expect(await response.text()).toBe(`${proxiesAddress} media.example:8080`)
    expect(proxy.targets).toEqual([`${publicAddress}:8080`])
  })

  test('an IPv6 address is sent as one', async () => {
    const port = await origin((_, outgoing) => outgoing.end('six'))
    const proxy = await startProxy(protocol, { port, ...credentials })
    const { out } = await proxied(proxy.url, ['2606:2800:220:1:248:1893:25c8:1946'])
    expect(await (await out.fetch('http://media.example/')).text()).toBe('six')
    expect(proxy.targets.map((target) => target.replaceAll(/\b0+(?=\w)/g, ''))).toEqual([
      '[2606:2800:220:1:248:1893:25c8:1946]:80',
    ])
  })

  test('requests to one origin share a connection, and other origins at the same address do not', async () => {
    const port = await origin((_, outgoing) => outgoing.end('x'))
    const proxy = await startProxy(protocol, { port, ...credentials })
    const { out } = await proxied(proxy.url)
    const newConnections = async (host: string, from = out) => {
      const before = proxy.targets.length
      await (await from.fetch(`http://${host}/`)).text()
      return proxy.targets.length - before
    }
    expect(await newConnections('media.example')).toBe(1)
    // undici may not have taken the first connection back yet.
    await expect.poll(() => newConnections('media.example')).toBe(0)
    expect(await newConnections('other.example')).toBe(1)
    const { out: ofAnotherStep } = await proxied(proxy.url)
    expect(await newConnections('media.example', ofAnotherStep)).toBe(1)
  })

  test('wrong credentials are a failure of the proxy, which shows them nowhere', async () => {
    const port = await origin((_, outgoing) => outgoing.end('x'))
    const proxy = await startProxy(protocol, { port, ...credentials })
    const url = proxy.url.replace(encodeURIComponent(credentials.password), 'other-password')
    const { out, failures } = await proxied(url)
    const error = await out.fetch('http://media.example/').catch((cause) => cause)
    expect(error).toBeInstanceOf(SourceProxyFailed)
    expect(failures).toMatchObject([{ proxy: `127.0.0.1:${proxy.port}` }])
    const shown = inspect(error, { depth: 20, showHidden: true }) + JSON.stringify(errorFields(error))
    expect(shown).not.toMatch(/other-password|hunter2|haul-country-de|b3RoZXItcGFzc3dvcmQ/)
    expect(proxy.targets).toEqual([])
  })

  test('a private target is refused before the proxy sees anything, like without one', async () => {
    const proxy = await startProxy(protocol, { port: 1 })
    const { out } = await proxied(proxy.url, ['10.0.0.7', publicAddress])
    for (const url of ['http://media.example/', 'http://169.254.169.254/', `http://127.0.0.1:${proxy.port}/`]) {
      const error = await out.fetch(url).catch((cause) => cause)
      expect(failedOutcome(error), url).toEqual({
        status: 'failed',
        code: 'SOURCE_UNREACHABLE',
        message: failure('SOURCE_UNREACHABLE').message,
      })
    }
    expect(proxy.targets).toEqual([])
  })
})

test('a redirect to a private address is refused before the proxy sees it', async () => {
  const port = await origin((_, outgoing) => outgoing.writeHead(302, { location: 'http://10.0.0.7/' }).end())
  const proxy = await startProxy('http', { port })
  const { out } = await proxied(proxy.url)
  await expect(out.fetch('http://media.example/')).rejects.toMatchObject(unreachable)
  expect(proxy.targets).toEqual([`${publicAddress}:80`])
})

test('a private host that is allowed is in our network, and connected directly', async () => {
  const port = await origin(({ socket }, outgoing) => outgoing.end(socket.remoteAddress))
  const proxy = await startProxy('http', { port })
  const out = await egress([`media.example:${port}`], { sourceProxies: readSourceProxies({ url: proxy.url }) })
  expect(await (await out.fetch(`http://media.example:${port}/`)).text()).toBe('127.0.0.1')
  expect(proxy.targets).toEqual([])
})

test('each host is reached through its own proxy', async () => {
  const port = await origin((_, outgoing) => outgoing.end('x'))
  const [general, special] = [await startProxy('http', { port }), await startProxy('socks5', { port })]
  const byHost = `a.example=${special.url}`
  const { out } = await proxied('', undefined, { sourceProxies: readSourceProxies({ url: general.url, byHost }) })
  for (const host of ['a.example', 'cdn.a.example', 'b.example']) await (await out.fetch(`http://${host}/`)).text()
  expect([special.targets.length, general.targets.length]).toEqual([2, 1])
})

describe('a proxy that fails', () => {
  const silent = () => listen(createTcpServer((socket) => closeAfterwards(socket)))
  const saying = (text: string) => () => listen(createTcpServer((socket) => socket.end(text)))
  const closed = async () => 1

  test.each([
    ['http', 'refuses connections', closed, 'ECONNREFUSED'],
    ['https', 'refuses connections', closed, 'ECONNREFUSED'],
    ['socks5', 'refuses connections', closed, 'connect ECONNREFUSED 127.0.0.1:1'],
    ['http', 'does not answer', silent, 'no answer in time'],
    ['https', 'does not answer', silent, 'no answer in time'],
    ['socks5', 'does not answer', silent, 'Proxy connection timed out'],
    ['http', 'is not one', saying('SSH-2.0-OpenSSH_9.6\r\n'), 'HPE_INVALID_CONSTANT'],
    ['https', 'has no TLS', saying('HTTP/1.1 200 OK\r\n\r\n'), 'EPROTO'],
    [
      'socks5',
      'is not one',
      saying('HTTP/1.1 400 Bad Request\r\n\r\n'),
      'Received invalid Socks5 initial handshake (invalid socks version)',
    ],
    ['http', 'closes the connection', saying(''), 'ECONNRESET'],
    ['socks5', 'closes the connection', saying(''), 'Socket closed'],
  ])('%s, and %s: SOURCE_BLOCKED, retryable', async (protocol, _, start, reason) => {
    const url = `${protocol}://user:hunter2@127.0.0.1:${await start()}`
    const { out, failures } = await proxied(url, undefined, {
      timeouts: { proxyMs: reason.includes('time') ? 150 : 9_000 },
    })
    const error = await out.fetch('https://media.example/').catch((cause) => cause)
    expect(error).toBeInstanceOf(SourceProxyFailed)
    const outcome = failedOutcome(error)
    expect(outcome).toEqual({
      status: 'failed',
      code: 'SOURCE_BLOCKED',
      message: "The service's proxy for this source failed. Try again later.",
    })
    expect(failure(outcome.code, outcome.message).retryable).toBe(true)
    expect(failures).toEqual([error])
    expect(error.reason).toBe(reason)
    expect(out.lastProxyFailure).toBe(error)
  })

  test('with a certificate that is not trusted is not used', async () => {
    const trusted = getCACertificates('default')
    setDefaultCACertificates(trusted.filter((each) => each.trim() !== selfSigned.cert.trim()))
    onTestFinished(() => setDefaultCACertificates(trusted))
    const proxy = await startProxy('https', { port: 1, ...credentials })
    const { out, failures } = await proxied(proxy.url)
    await expect(out.fetch('http://media.example/')).rejects.toBeInstanceOf(SourceProxyFailed)
    expect(failures).toMatchObject([{ reason: 'DEPTH_ZERO_SELF_SIGNED_CERT' }])
    expect(proxy.targets).toEqual([])
  })

  test.each([
    ['http', 403, 'SOURCE_BLOCKED'],
    ['http', 429, 'SOURCE_BLOCKED'],
    ['https', 502, 'SOURCE_BLOCKED'],
    ['http', 504, 'SOURCE_BLOCKED'],
    // RFC 1928: failure, not allowed, address type not supported.
    ['socks5', 1, 'SOURCE_BLOCKED'],
    ['socks5', 2, 'SOURCE_BLOCKED'],
    ['socks5', 8, 'SOURCE_BLOCKED'],
    // Network unreachable, host unreachable, connection refused, TTL expired: the proxy works.
    ['socks5', 3, 'SOURCE_UNREACHABLE'],
    ['socks5', 4, 'SOURCE_UNREACHABLE'],
    ['socks5', 5, 'SOURCE_UNREACHABLE'],
    ['socks5', 6, 'SOURCE_UNREACHABLE'],
  ] as const)('%s answers %i: %s', async (protocol, answer, code) => {
    const proxy = await startProxy(protocol, { port: 1, refuseWith: () => answer })
    const { out, failures } = await proxied(proxy.url)
    await expect(out.fetch('http://media.example/')).rejects.toMatchObject({ code })
    expect(failures).toHaveLength(code === 'SOURCE_BLOCKED' ? 1 : 0)
  })

  test.each([
    ['http', 502],
    ['socks5', 4],
    ['socks5', 8],
  ] as const)('%s answers %i to one address: the next one is tried, IPv4 first', async (protocol, answer) => {
    const port = await origin((_, outgoing) => outgoing.end('second'))
    const refuseWith = (target: string) => (target.startsWith('192.') ? answer : null)
    const proxy = await startProxy(protocol, { port, refuseWith })
    const { out, failures } = await proxied(proxy.url, ['2606:2800:220:1::1', '192.88.98.1', publicAddress])
    expect(await (await out.fetch('http://media.example/')).text()).toBe('second')
    expect([proxy.targets, failures]).toEqual([['192.88.98.1:80', `${publicAddress}:80`], []])
  })

  test('a name with many addresses does not cause many attempts', async () => {
    const proxy = await startProxy('http', { port: 1, refuseWith: () => 502 })
    const { out } = await proxied(proxy.url, ['1.1.1.1', '1.1.1.2', '1.1.1.3', '1.1.1.4', '1.1.1.5'])
    await expect(out.fetch('http://media.example/')).rejects.toBeInstanceOf(SourceProxyFailed)
    expect(proxy.targets).toEqual(['1.1.1.1:80', '1.1.1.2:80', '1.1.1.3:80'])
  })
})

test('a body that stalls behind a proxy ends like any other', async () => {
  const port = await origin((_, outgoing) => void outgoing.write('begin'))
  const proxy = await startProxy('socks5', { port })
  const { out } = await proxied(proxy.url, undefined, { leastSpeed: { windowMs: 200, idleMs: 150 } })
  const body = out.fetch('http://media.example/').then((response) => response.text())
  await expect(body).rejects.toMatchObject({ name: 'Error', code: 'SOURCE_UNREACHABLE', isFinal: false })
})

const closeAfterwards = (socket: Socket) => void onTestFinished(() => void socket.destroy())
