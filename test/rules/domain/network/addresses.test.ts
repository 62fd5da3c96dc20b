import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isPublicAddress, isPublicHost, networkOf } from '../../../../domain/network/addresses.ts'

test.each([
  '1.1.1.1',
  '8.8.8.8',
  '93.184.216.34',
  '172.15.255.255',
  '172.32.0.0',
  '192.167.255.255',
  '100.63.255.255',
  '100.128.0.0',
  '223.255.255.254',
  '2606:4700::1111',
  '2001:4860:4860::8888',
  '2a00:1450:4001:81b::200e',
  '3fff:ffff::1',
])('%s is public', (address) => expect(isPublicAddress(address)).toBe(true))

/** IANA's registries of special addresses, and IPv6 addresses with an embedded IPv4 address. */
test.each([
  '0.0.0.0',
  '0.1.2.3',
  '10.0.0.0',
  '10.255.255.255',
  '100.64.0.0',
  '100.127.255.255',
  '127.0.0.1',
  '127.255.255.255',
  '169.254.0.1',
  '169.254.169.254',
  '172.16.0.0',
  '172.31.255.255',
  '192.0.0.1',
  '192.0.0.192',
  '192.0.2.1',
  '192.168.0.0',
  '192.168.255.255',
  '198.18.0.1',
  '198.19.255.255',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '239.255.255.255',
  '240.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::7f00:1',
  '::ffff:127.0.0.1',
  '::ffff:8.8.8.8',
  '64:ff9b::8.8.8.8',
  '64:ff9b:1::1',
  '100::1',
  '2001::1',
  '2001:0:4136:e378:8000:63bf:3fff:fdd2',
  '2001:db8::1',
  '2002:7f00:1::',
  '2002:808:808::1',
  '2001:4860:4860::5efe:7f00:1',
  '2001:4860:4860::200:5efe:10.0.0.1',
  '3fff::1',
  '4000::1',
  '5f00::1',
  'fc00::1',
  'fd12:3456::1',
  'fe80::1',
  'fe80::1%eth0',
  'fec0::1',
  'ff02::1',
])('%s is not public', (address) => expect(isPublicAddress(address)).toBe(false))

test.each([
  '',
  'localhost',
  'example.com',
  '1.2.3',
  '1.2.3.4.5',
  '300.1.1.1',
  '0x8.8.8.8',
  '010.8.8.8',
  '134744072',
  ':::',
  '[::1]',
])('"%s" is not an address, so it is not public', (text) => expect(isPublicAddress(text)).toBe(false))

test('no IPv6 address outside of the global unicast range is public', () => {
  const groups = fc.array(fc.nat({ max: 0xffff }), { minLength: 7, maxLength: 7 })
  fc.assert(
    fc.property(fc.nat({ max: 0xffff }), groups, (first, rest) => {
      const address = [first, ...rest].map((group) => group.toString(16)).join(':')
      if (first < 0x2000 || first > 0x3fff) expect(isPublicAddress(address)).toBe(false)
    }),
  )
})

test.each([
  ['media.example', true],
  ['media.example.', true],
  ['xn--mnchen-3ya.example', true],
  ['8.8.8.8', true],
  ['[2606:4700::1111]', true],
  ['mylocal.example', true],
  ['localhost.example', true],
  ['localhost', false],
  ['localhost.', false],
  ['app.localhost', false],
  ['intranet', false],
  ['printer.local', false],
  ['db.internal', false],
  ['metadata.google.internal.', false],
  ['router.home.arpa', false],
  ['nas.lan', false],
  ['haul.test', false],
  ['abc.onion', false],
  ['127.0.0.1', false],
  ['127.1', false],
  ['2130706433', false],
  ['[::1]', false],
  ['[::ffff:127.0.0.1]', false],
  ['', false],
])('host %s is public: %s', (host, expected) => expect(isPublicHost(host)).toBe(expected))

/** As `URL` reads it. */
test.each([
  ...['LOCALHOST:8787', '127.0.0.1.', '0177.0.0.1', '0x7f.0.0.1', '0x7f000001', '017700000001', '%31%32%37.0.0.1'],
  ...['１２７.0.0.1', '0', '[0:0:0:0:0:0:0:1]', '[::ffff:7f00:1]', '[::127.0.0.1]', '[64:ff9b::7f00:1]'],
  ...['[2001:0:7f00:1::]', '[fd00:ec2::254]'],
])('the host of a URL with %s is not public', (host) => {
  expect(isPublicHost(new URL(`http://${host}/`).hostname)).toBe(false)
})

test.each([
  ['93.184.216.34', '93.184.216.34'],
  ['::ffff:93.184.216.34', '93.184.216.34'],
  ['2606:4700:0:1::1111', '2606:4700:0:1:ffff::1'],
])('%s and %s are counted as one caller', (address, other) => expect(networkOf(address)).toBe(networkOf(other)))

test.each([
  ['93.184.216.34', '93.184.216.35'],
  ['::ffff:93.184.216.34', '::ffff:93.184.216.35'],
  ['2606:4700:0:1::1111', '2606:4700:0:2::1111'],
  ['unknown', 'unknown, too'],
])('%s and %s are counted as two callers', (address, other) => expect(networkOf(address)).not.toBe(networkOf(other)))
