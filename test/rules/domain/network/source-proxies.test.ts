import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { hasSourceProxy, readSourceProxies, type SourceProxies } from '../../../../domain/network/source-proxies.ts'

const general = 'http://general.example:3128'

/** null: without a proxy. */
const hostsOf = (proxies: SourceProxies, host: string) => proxies.routesTo(host).map((route) => route?.host ?? null)

describe('which proxy a host has', () => {
  const byHost = `example.com=socks5://all.example, video.example.com=direct
    a.video.example.com=https://special.example münchen.example=http://umlaut.example [2606:4700::1]=http://six.example`
  const proxies = readSourceProxies({ url: general, byHost })

  test.each([
    ['example.com', 'all.example'],
    ['EXAMPLE.com.', 'all.example'],
    ['www.example.com', 'all.example'],
    ['a.b.c.example.com', 'all.example'],
    ['video.example.com', null],
    ['b.video.example.com', null],
    ['a.video.example.com', 'special.example'],
    ['x.a.video.example.com', 'special.example'],
    ['notexample.com', 'general.example'],
    ['example.com.evil.example', 'general.example'],
    ['com', 'general.example'],
    ['xn--mnchen-3ya.example', 'umlaut.example'],
    ['[2606:4700::1]', 'six.example'],
    ['2606:4700::1', 'six.example'],
    ['93.184.216.34', 'general.example'],
  ])('%s: %s', (host, proxy) => expect(hostsOf(proxies, host)).toEqual([proxy]))

  test('a host that is repeated, and several URLs, are routes to be tried one after the other', () => {
    const proxies = readSourceProxies({
      url: ' direct http://general.example\nsocks5://user:a,b@other.example',
      byHost:
        'example.com=http://a.example example.com=direct video.example.com=http://b.example example.com=http://c.example',
    })
    expect(hostsOf(proxies, 'www.example.com')).toEqual(['a.example', null, 'c.example'])
    expect(hostsOf(proxies, 'video.example.com')).toEqual(['b.example'])
    expect(hostsOf(proxies, 'media.example')).toEqual([null, 'general.example', 'other.example'])
    expect(hasSourceProxy(proxies, 'media.example')).toBe(true)
    expect(proxies.all).toHaveLength(5)
  })

  test('without SOURCE_PROXY_URL, other hosts have none', () => {
    const proxies = readSourceProxies({ byHost: 'example.com=http://a.example' })
    expect([hostsOf(proxies, 'example.com'), hostsOf(proxies, 'other.example')]).toEqual([['a.example'], [null]])
    expect(proxies.all.map(({ host }) => host)).toEqual(['a.example'])
  })

  test.each([{}, { url: '', byHost: '' }, { url: ' ', byHost: ' ,\n' }])('none are set: %j', (settings) => {
    const proxies = readSourceProxies(settings)
    expect([proxies.routesTo('example.com'), proxies.all]).toEqual([[null], []])
    expect(hasSourceProxy(proxies, 'example.com')).toBe(false)
  })
})

test.each([
  ['http://proxy.example', 'http', 'proxy.example', 80, null],
  ['HTTP://Proxy.Example:3128/', 'http', 'proxy.example', 3128, null],
  ['https://proxy.example', 'https', 'proxy.example', 443, null],
  ['socks5://Proxy.Example', 'socks5', 'proxy.example', 1080, null],
  ['socks5://proxy.example:80', 'socks5', 'proxy.example', 80, null],
  ['http://[fd00::1]:3128', 'http', 'fd00::1', 3128, null],
  ['http://user:p%40ss%2Fw%3Ard@10.0.0.5:3128', 'http', '10.0.0.5', 3128, { username: 'user', password: 'p@ss/w:rd' }],
  [
    'socks5://user-country-de:pass@p.example',
    'socks5',
    'p.example',
    1080,
    { username: 'user-country-de', password: 'pass' },
  ],
  ['http://token@p.example', 'http', 'p.example', 80, { username: 'token', password: '' }],
])('%s is read', (url, protocol, host, port, credentials) => {
  const proxy = readSourceProxies({ url }).routesTo('media.example')[0]
  expect(proxy).toMatchObject({ protocol, host, port })
  expect(proxy?.credentials()).toEqual(credentials)
})

const mustBeginWith = 'must begin with http://, https:// or socks5://.'
const mustBeLike = 'must be like http://user:password@proxy.example:8080.'

test.each([
  ['proxy.example:8080', mustBeginWith],
  ['user:hunter2@proxy.example:8080', mustBeginWith],
  ['ftp://user:hunter2@proxy.example', mustBeginWith],
  ['socks5h://user:hunter2@proxy.example', mustBeginWith],
  ['socks4://user:hunter2@proxy.example', mustBeginWith],
  ['http://user:hunter2@proxy.example:99999', mustBeLike],
  ['http://user:hunter2@proxy.example/path', mustBeLike],
  ['http://user:hunter2@proxy.example?a=b', mustBeLike],
  ['socks5://user:hunter2@', mustBeLike],
  ['http://user:hunter2%@proxy.example', '"%" in a user name or password must be written as %25.'],
  [
    `socks5://user:hunter2${'x'.repeat(255)}@proxy.example`,
    'SOCKS5 allows 255 bytes for a user name and for a password.',
  ],
])('%s is refused, and the message does not show it', (url, message) => {
  const error = errorOf(() => readSourceProxies({ url }))
  expect(error).toContain(message)
  expect(error).toMatch(/^SOURCE_PROXY_URL/)
  expect(error).not.toContain('hunter2')
  expect(errorOf(() => readSourceProxies({ byHost: `a.example=direct b.example=${url}` }))).toBe(
    error.replace('SOURCE_PROXY_URL', 'SOURCE_PROXIES: entry 2'),
  )
})

const mustBeHost = 'entry 1 must begin with a host name, without a port or path.'

test.each([
  ['http://user:hunter2@proxy.example', 'entry 1 must be host=url or host=direct.'],
  ['a.example', 'entry 1 must be host=url or host=direct.'],
  ['=http://proxy.example', mustBeHost],
  ['a.example:443=direct', mustBeHost],
  ['a.example/b=direct', mustBeHost],
  ['user:hunter2@a.example=direct', mustBeHost],
  ['https://a.example=direct', mustBeHost],
  ['*.a.example=direct', 'entry 1: a host includes its subdomains, so write example.com.'],
  ['.a.example=direct', 'entry 1: a host includes its subdomains, so write example.com.'],
  ['a.example=', `entry 1 ${mustBeLike}`],
  ['a.example=Direct', `entry 1 ${mustBeLike}`],
])('SOURCE_PROXIES: %s is refused', (byHost, message) => {
  const error = errorOf(() => readSourceProxies({ byHost }))
  expect(error).toBe(`SOURCE_PROXIES: ${message}`)
})

test('a proxy that is logged by mistake does not show its credentials', () => {
  const proxy = readSourceProxies({ url: 'http://user:hunter2@proxy.example' }).routesTo('media.example')[0]
  expect(proxy?.credentials()?.password).toBe('hunter2')
  expect(inspect(proxy, { showHidden: true, depth: 9 }) + JSON.stringify(proxy)).not.toContain('hunter2')
})

const errorOf = (work: () => unknown): string => {
  try {
    work()
  } catch (error) {
    return (error as Error).message
  }
  throw new Error('no error')
}
