import { describe, expect, test } from 'vitest'
import { transcribeFields } from '../../../../client/cli/commands/transcribe.ts'
import {
  parseBudget,
  parseClip,
  parseDollars,
  parseExpiry,
  parseLimit,
  parseMetadata,
  parseOrigins,
  parseScopes,
  parseUrls,
  shellWord,
  timeOption,
} from '../../../../client/cli/options.ts'
import { withPresets } from '../../../../client/cli/start-flags.ts'

describe('--clip', () => {
  test.each([
    ['1:00-2:30', { start: '1:00', end: '2:30' }],
    ['1:02:03.5-1:02:04', { start: '1:02:03.5', end: '1:02:04' }],
    ['90-120.5', { start: 90, end: 120.5 }],
    ['-2:30', { end: '2:30' }],
    ['90-', { start: 90 }],
  ])('%s is %o', (text, clip) => expect(parseClip(text)).toEqual(clip))

  test.each(['', '-', '1:00', '1:00-2:30-3:00', 'a-b', '1:2-3:4', '--5', '1e3-2e3'])('%j is refused', (text) =>
    expect(() => parseClip(text)).toThrow('expected a start and an end'),
  )
})

test.each([
  ['import --audio URL', 'import --audio=source URL'],
  ['import URL --audio', 'import URL --audio=source'],
  ['import --audio mp3 URL', 'import --audio mp3 URL'],
  ['import --audio=opus URL', 'import --audio=opus URL'],
  ['import --transcript URL', 'import --transcript=auto URL'],
  ['import --transcript speech URL', 'import --transcript speech URL'],
  ['transcribe -- --audio URL', 'transcribe -- --audio URL'],
])('%s is read as %s', (line, read) => expect(withPresets(line.split(' '))).toEqual(read.split(' ')))

describe('--max-cost and --limit', () => {
  test.each([
    ['1', 1],
    ['0.50', 0.5],
    ['.5', 0.5],
    ['$2', 2],
  ])('%s is %d dollars', (text, dollars) => expect(parseDollars(text)).toBe(dollars))

  test.each(['0', '-1', '1e3', 'one', ''])('%j is not an amount', (text) =>
    expect(() => parseDollars(text)).toThrow('expected dollars'),
  )

  test.each(['0', '1.5', '-3', 'all'])('%j is not a limit', (text) =>
    expect(() => parseLimit(text)).toThrow('expected a whole number'),
  )
})

describe('what a key may do', () => {
  test.each([
    ['5', 5],
    ['$0.50', 0.5],
    ['0', 0],
    ['none', null],
  ])('the budget %s is %s', (text, dollars) => expect(parseBudget(text)).toBe(dollars))

  test.each(['', '-1', 'never', '5 dollars'])('%j is not a budget', (text) =>
    expect(() => parseBudget(text)).toThrow('expected dollars'),
  )

  test('scopes are separated by commas', () => {
    expect(parseScopes('read, transcribe')).toEqual(['read', 'transcribe'])
  })

  const now = Date.parse('2026-11-22T12:00:00Z')
  test.each([
    ['30d', '2026-12-22T12:00:00.000Z'],
    ['1d', '2026-11-23T12:00:00.000Z'],
    ['2027-01-31', new Date(2027, 0, 31).toISOString()],
    ['2028-02-29', new Date(2028, 1, 29).toISOString()],
    ['2027-01-31T12:00:00+02:00', '2027-01-31T10:00:00.000Z'],
    ['never', null],
  ])('--expires %s is %s', (text, time) => expect(parseExpiry(text, now)).toBe(time))

  test.each(['', '0d', '30', 'd', '2027-02-29', '2027-13-01', '2027-1-1', '31.01.2027', 'none'])(
    '%j is not an expiry',
    (text) => expect(() => parseExpiry(text, now)).toThrow('expected a day such as 2027-01-31'),
  )

  test('origins are URLs, and none is without any', () => {
    const origins = ['https://a.example', 'https://b.example']
    expect(parseOrigins(origins)).toEqual(origins)
    expect(parseOrigins(['none'])).toEqual([])
  })

  test.each([[['https://a.example', 'ci']], [['https://a.example', 'none']], [['']]])('%j are not origins', (words) =>
    expect(() => parseOrigins(words)).toThrow('expected an origin'),
  )
})

describe('a file of URLs', () => {
  test('comments, empty lines, Windows line ends and a byte order mark are left out', () => {
    const text = '\ufeffhttps://one.test/a\r\n\r\n# not this\r\n  http://two.test/b  \n'
    expect(parseUrls(text, 'urls.txt')).toEqual(['https://one.test/a', 'http://two.test/b'])
  })

  test('a line that is no URL is named', () => {
    expect(() => parseUrls('https://one.test/a\ntwo.test', 'urls.txt')).toThrow('urls.txt, line 2')
  })

  test('a file without URLs is refused', () => {
    expect(() => parseUrls('# nothing\n', 'urls.txt')).toThrow('urls.txt has no URLs')
  })
})

test.each([
  ['talk.mp3', 'talk.mp3'],
  ['https://example.com/a-b_c', 'https://example.com/a-b_c'],
  ['https://example.com/?a=1&b=2', `'https://example.com/?a=1&b=2'`],
  ['my talk.mp3', `'my talk.mp3'`],
  [`it's`, `'it'\\''s'`],
  ['$(rm x)', `'$(rm x)'`],
])('%s can be pasted into a shell as %s', (word, pasted) => expect(shellWord(word)).toBe(pasted))

describe('the way to a transcript, and what it may cost', () => {
  test.each([
    [{}, { mode: 'auto', maxCostDollars: 1 }],
    [{ maxCost: 5 }, { mode: 'auto', maxCostDollars: 5 }],
    [{ mode: 'auto' }, { mode: 'auto', maxCostDollars: 1 }],
    [
      { mode: 'auto', provider: 'openai' },
      { mode: 'auto', provider: 'openai', maxCostDollars: 1 },
    ],
    [{ mode: 'captions' }, { mode: 'captions' }],
    [{ mode: 'speech' }, { mode: 'speech' }],
    [{ provider: 'builtin' }, { provider: 'builtin' }],
    [
      { provider: 'builtin', maxCost: 0.5 },
      { provider: 'builtin', maxCostDollars: 0.5 },
    ],
  ])('%j is %j', (options, fields) => expect(transcribeFields({ ...options, wait: true })).toEqual(fields))
})

describe('--metadata', () => {
  test.each([
    ['show=news', { show: 'news' }],
    ['a.b=', { 'a.b': '' }],
    ['query=a=b\nc', { query: 'a=b\nc' }],
  ])('%j is %o', (text, metadata) => expect(parseMetadata(text)).toEqual(metadata))

  test('each adds a key, and the last of a key counts', () => {
    const words = ['show=news', 'episode=1', 'episode=2']
    const metadata = words.reduce<Record<string, string>>((others, word) => parseMetadata(word, others), {})
    expect(metadata).toEqual({ show: 'news', episode: '2' })
  })

  test.each(['show', '=news', ''])('%j is refused', (text) =>
    expect(() => parseMetadata(text)).toThrow('expected a key and a value'),
  )
})

describe('--after and --before', () => {
  const parse = timeOption('--after')

  test.each([
    ['2026-11-21T09:00:00Z', '2026-11-21T09:00:00.000Z'],
    ['2026-11-21T09:00:00+02:00', '2026-11-21T07:00:00.000Z'],
  ])('%s is %s', (text, time) => expect(parse(text)).toBe(time))

  test('a time without a zone is of this machine, and a day begins at midnight', () => {
    expect(parse('2026-11-21')).toBe(new Date(2026, 10, 21).toISOString())
    expect(parse('2026-11-21T09:30')).toBe(new Date(2026, 10, 21, 9, 30).toISOString())
  })

  test.each(['yesterday', '', '2026-13-01', '2027-02-29', '2027-02-30T09:00', '21.11.2026', '1795251600'])(
    '%j is refused',
    (text) => expect(() => parse(text)).toThrow(`--after ${text}: expected a time`),
  )
})
