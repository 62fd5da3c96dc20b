import { expect, test } from 'vitest'
import {
  hostsWithPorts,
  milliseconds,
  namedFolders,
  oneOf,
  path,
  port,
  portOrAny,
  share,
  text,
  url,
  urls,
  wholeNumber,
} from '../../../../domain/settings/rules.ts'
import { type Rule, readSetting } from '../../../../domain/settings/setting.ts'

const cases: [rule: Rule<unknown>, given: string, value: unknown][] = [
  [text, ' /data ', '/data'],
  [wholeNumber(1), '1', 1],
  [wholeNumber(1), '1e9', 1_000_000_000],
  [wholeNumber(1, 64), '64', 64],
  [milliseconds(0), '0', 0],
  [share, '0.25', 0.25],
  [share, '0', 0],
  [port, '8787', 8787],
  [portOrAny, '0', 0],
  [oneOf('strict', 'weak'), 'weak', 'weak'],
  [url('http://a'), 'https://haul.example/x/', 'https://haul.example/x'],
  [path('/parts'), '/local/s3-parts', '/local/s3-parts'],
  [urls('http://a'), ' http://10.0.0.5:8788, https://b.example/2/,', ['http://10.0.0.5:8788', 'https://b.example/2']],
  [hostsWithPorts('a:1'), 'engine:8788', [{ host: 'engine', port: 8788 }]],
  [hostsWithPorts('a:1'), 'engine:80', [{ host: 'engine', port: 80 }]],
  [
    namedFolders,
    'a=/models/a b.2=models/b=c,\n c=/c',
    [
      { name: 'a', folder: '/models/a' },
      { name: 'b.2', folder: 'models/b=c' },
      { name: 'c', folder: '/c' },
    ],
  ],
  [
    hostsWithPorts('a:1'),
    '10.0.0.7:1, [fd00::1]:443',
    [
      { host: '10.0.0.7', port: 1 },
      { host: 'fd00::1', port: 443 },
    ],
  ],
]

test.each(cases.map(([rule, given, value]) => [rule.mustBe, given, value, rule] as const))(
  '%s: "%s" is %o',
  (_, given, value, rule) => {
    expect(readSetting('NAME', { rule }, given)).toEqual(value)
  },
)

test.each([
  [wholeNumber(1), '0', 'a whole number of at least 1, not "0"'],
  [wholeNumber(1), '1.5', 'a whole number of at least 1, not "1.5"'],
  [wholeNumber(1, 64), 'two', 'a whole number from 1 to 64, not "two"'],
  [wholeNumber(1, 64), '65', 'a whole number from 1 to 64, not "65"'],
  [wholeNumber(0), '-1', 'a whole number of at least 0, not "-1"'],
  [milliseconds(1_000), '999', 'a whole number from 1000 to 86400000, not "999"'],
  [milliseconds(1), '60s', 'a whole number from 1 to 86400000, not "60s"'],
  [share, '1.5', 'a number from 0 to 1, not "1.5"'],
  [share, 'half', 'a number from 0 to 1, not "half"'],
  [port, '0', 'a port number, not "0"'],
  [port, '70000', 'a port number, not "70000"'],
  [portOrAny, 'x', 'a port number, or 0 for any that is free, not "x"'],
  [oneOf('strict', 'weak'), 'Weak', 'strict or weak, not "Weak"'],
  [url('http://haul:8789'), 'haul:8789', 'a URL like http://haul:8789, not "haul:8789"'],
  [path('/parts'), '/parts/', 'a path like /parts, not "/parts/"'],
  [urls('http://a:1'), 'http://a:1,ftp://b', 'URLs like http://a:1, separated by commas, not "ftp://b"'],
  [urls('http://a:1'), ',', 'URLs like http://a:1, separated by commas, not ","'],
  [hostsWithPorts('a:1'), 'a:1,b', 'hosts with ports like a:1, separated by commas, not "b"'],
  [hostsWithPorts('a:1'), 'http://a:1', 'hosts with ports like a:1, separated by commas, not "http://a:1"'],
  [hostsWithPorts('a:1'), 'a:70000', 'hosts with ports like a:1, separated by commas, not "a:70000"'],
  [hostsWithPorts('a:1'), 'fd00::1:443', 'hosts with ports like a:1, separated by commas, not "fd00::1:443"'],
  ...['/models/a', 'a=', '-a=/models/a', 'a/b=/models/a'].map((given): [Rule<unknown>, string, string] => [
    namedFolders,
    `x=/x ${given}`,
    `${namedFolders.mustBe}, not "${given}"`,
  ]),
  [namedFolders, 'a=/a b=/b a=/c', `${namedFolders.mustBe}, not "a=/c"`],
])('%o refuses "%s"', (rule: Rule<unknown>, given, mustBe) => {
  expect(() => readSetting('NAME', { rule }, given)).toThrow(new Error(`NAME must be ${mustBe}.`))
})

test('the message about a secret does not show it', () => {
  const row = { rule: url('http://a'), isSecret: true } as const
  expect(() => readSetting('NAME', row, 'hunter2')).toThrow(new Error('NAME must be a URL like http://a.'))
})

test.each([undefined, '', ' '])('%o is not set: the default holds, or nothing', (given) => {
  expect(readSetting('NAME', { rule: port, default: '8787' }, given)).toBe(8787)
  expect(readSetting('NAME', { rule: port }, given)).toBeNull()
})
