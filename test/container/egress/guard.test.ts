import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { type Address, checkedUrl, createGuard } from '../../../container/egress/guard.ts'

const v4 = (address: string): Address => ({ address, family: 4 })
const v6 = (address: string): Address => ({ address, family: 6 })
const names: Record<string, Address[]> = {
  'public.example': [v4('93.184.216.34'), v6('2606:2800:220:1::1')],
  'mixed.example': [v4('93.184.216.34'), v4('10.0.0.7')],
  'private.example': [v4('192.168.1.1')],
  'nowhere.example': [],
}
const lookup = async (host: string) => names[host] ?? Promise.reject(new Error('ENOTFOUND'))

describe('which hosts may be reached', () => {
  const { mayReach, addressesOf } = createGuard({ lookup })

  test('a name with only public addresses may be reached, at these addresses', async () => {
    expect(await addressesOf('public.example', 443)).toEqual(names['public.example'])
    expect(await addressesOf('PUBLIC.example.', 443)).toEqual(names['public.example'])
  })

  test.each(['mixed.example', 'private.example', 'nowhere.example', 'unknown.example'])(
    '%s may not be reached',
    async (host) => {
      expect(await mayReach(host, 443)).toBe(false)
    },
  )

  test.each(['127.0.0.1', '[::1]', '::1', '[::ffff:127.0.0.1]', '0x7f.1', '2130706433', '0177.0.0.1', '127.1'])(
    'the literal %s may not be reached',
    async (host) => expect(await mayReach(host, 80)).toBe(false),
  )

  test('a public literal may be reached, without a lookup', async () => {
    expect(await addressesOf('[2606:4700:4700::1111]', 443)).toEqual([v6('2606:4700:4700::1111')])
  })
})

describe('hosts in ALLOW_PRIVATE_HOSTS', () => {
  const { mayReach } = createGuard({ allow: ' private.example:8080, 127.0.0.1:9000,[::1]:9000', lookup })

  test.each([
    ['private.example', 8080, true],
    ['Private.Example', 8080, true],
    ['private.example', 8081, false],
    ['127.0.0.1', 9000, true],
    ['127.0.0.1', 9001, false],
    ['[::1]', 9000, true],
    ['::1', 80, false],
    ['192.168.1.1', 8080, false],
    ['mixed.example', 8080, false],
  ])('%s:%i → %s', async (host, port, may) => expect(await mayReach(host, port)).toBe(may))
})

describe('the addresses of source proxies', () => {
  const ownHosts = ['public.example', '10.0.0.5', '8.8.8.8', 'unknown.example']
  const { mayReach } = createGuard({ allow: '8.8.8.8:53', lookup, ownHosts })

  test.each([
    ['public.example', 80, false],
    ['93.184.216.34', 443, false],
    ['[2606:2800:220:1::1]', 443, false],
    ['8.8.8.8', 443, false],
    ['8.8.8.8', 53, true],
    ['1.1.1.1', 443, true],
  ])('%s:%i may be reached: %s', async (host, port, may) => expect(await mayReach(host, port)).toBe(may))

  test('are looked up again after a minute', async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    let address = '1.1.1.1'
    const moving = createGuard({ lookup: async () => [v4(address)], ownHosts: ['proxy.example'] })
    expect(await moving.mayReach('1.1.1.1', 80)).toBe(false)
    address = '1.1.1.2'
    expect([await moving.mayReach('1.1.1.1', 80), await moving.mayReach('1.1.1.2', 80)]).toEqual([false, true])
    await vi.advanceTimersByTimeAsync(60_000)
    expect([await moving.mayReach('1.1.1.1', 80), await moving.mayReach('1.1.1.2', 80)]).toEqual([true, false])
  })
})

describe('which URLs may be fetched', () => {
  test.each(['http://a.example/x', 'https://a.example:8443/x?y#z'])('%s is accepted', (url) => {
    expect(checkedUrl(url).href).toBe(url)
  })

  test.each([
    ...['file:///etc/passwd', 'ftp://a.example/x', 'gopher://a.example', 'data:text/plain,x'],
    ...['http://user@a.example/', 'http://user:password@a.example/', 'http://public.example:80@127.0.0.1/'],
    ...['http://', '/relative', ''],
  ])('"%s" is refused', (url) => expect(() => checkedUrl(url)).toThrow())
})
