import { beforeEach, expect, test, vi } from 'vitest'
import { passageLines, withUnwantedWords } from '../../../../client/cli/commands/search.ts'
import { painter } from '../../../../client/cli/terminal/output.ts'
import { data, refused, scriptedService } from '../scripted-service.ts'
import { runsHaul } from './run-haul.ts'

const service = scriptedService()
const { haul } = runsHaul(() => ({ HAUL_API_KEY: 'key', HAUL_URL: service.url }))

const ESC = '\u001b'
const talk = {
  ...{ jobId: 'trn_1', title: 'A talk', url: 'https://example.com/talk', link: 'https://example.com/talk?t=754' },
  ...{ start: 754.6, end: 781, speaker: 'A', language: 'en' },
  ...{ snippet: '… the lease expires …', matches: [[6, 5] as [number, number]] },
}
const { speaker: _, ...unnamed } = talk
const upload = { ...unnamed, jobId: 'trn_2', title: null, url: null, link: null, start: 3_723, matches: [] }
const page = { results: [talk, upload], nextCursor: null }

beforeEach(() => service.on('GET /search', data(page)))

test('each passage is its title, time, speaker, words and link', async () => {
  const { stdout, stderr, exitCode } = await haul('search lease')
  expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 })
  expect(stdout.split('\n')).toEqual([
    'A talk (trn_1)  12:34  A',
    '  … the lease expires …',
    '  https://example.com/talk?t=754',
    '',
    'trn_2 (trn_2)  1:02:03',
    '  … the lease expires …',
    '',
  ])
})

test.each<[line: string, query: object]>([
  ['search lease expires', { q: 'lease expires', limit: '10' }],
  ['search "the lease" expire* -draft -"a b"', { q: '"the lease" expire* -draft -"a b"', limit: '10' }],
  ['search -quarter lease -q --limit 3', { q: '-quarter lease', limit: '3' }],
  ['search -- lease --force', { q: 'lease --force', limit: '10' }],
  [
    'search lease --after 2026-11-21 --before 2026-11-22T09:00 --language en --speaker A --newest',
    {
      ...{ q: 'lease', language: 'en', speaker: 'A', sort: 'newest', limit: '10' },
      ...{ after: '2026-11-21T00:00:00.000Z', before: '2026-11-22T09:00:00.000Z' },
    },
  ],
  [
    'search lease --watch wat_1 --job trn_1 --metadata show=news --metadata episode=42',
    { q: 'lease', watchId: 'wat_1', jobId: 'trn_1', 'metadata.show': 'news', 'metadata.episode': '42', limit: '10' },
  ],
])('haul %s', async (line, query) => {
  expect((await haul(line)).exitCode).toBe(0)
  expect(service.received().map((request) => request.query)).toEqual([query])
})

test('only arguments of haul search that begin with one minus are words', () => {
  const words = (line: string) => withUnwantedWords(line.split(' '))
  expect(words('search a -b -q -h --limit 3 -')).toEqual(['search', 'a', ' -b', '-q', '-h', '--limit', '3', '-'])
  expect(words('import URL -o search')).toEqual(['import', 'URL', '-o', 'search'])
})

test('--json prints the data of the API, and nothing else', async () => {
  const { stdout, ...rest } = await haul('search lease --json')
  expect({ ...rest, printed: JSON.parse(stdout) }).toEqual({
    stderr: '',
    exitCode: 0,
    printed: { results: page.results },
  })
})

test('that nothing was found is said on stderr', async () => {
  service.on('GET /search', data({ results: [], nextCursor: null }))
  const stderr = 'No passage was found that has all of these words.\n'
  expect(await haul('search lease')).toEqual({ stdout: '', stderr, exitCode: 0 })
  expect(JSON.parse((await haul('search lease --json')).stdout)).toEqual({ results: [] })
})

test.each([
  ['search', 'missing required argument'],
  ['search lease --limit all', '--limit all: expected a whole number above zero'],
  ['search lease --after soon', '--after soon: expected a time'],
])('haul %s is wrong use, and sends nothing', async (line, message) => {
  expect(await haul(line)).toEqual({ stdout: '', stderr: expect.stringContaining(message), exitCode: 2 })
  expect(service.received()).toEqual([])
})

test('a refusal exits with 2, and names what is wrong', async () => {
  service.on('GET /search', refused(400, 'INVALID_REQUEST'))
  expect(await haul('search -draft')).toMatchObject({ stdout: '', exitCode: 2 })
})

test('on a terminal, the title and the matches are painted', () => {
  vi.stubEnv('NO_COLOR', '')
  vi.stubEnv('TERM', 'xterm')
  const two = { ...talk, matches: [...talk.matches, [12, 7] as [number, number]] }
  expect(passageLines(two, painter({ isTTY: true })).slice(0, 2)).toEqual([
    `${ESC}[1mA talk${ESC}[22m (trn_1)  12:34  A`,
    `  … the ${ESC}[33mlease${ESC}[39m ${ESC}[33mexpires${ESC}[39m …`,
  ])
})

test('escape sequences of what was said do not reach the terminal, also if a match is a part of one', () => {
  const attack = `${ESC}]0;owned\u0007\u202e`
  const hostile = {
    ...talk,
    jobId: `trn_1${attack}`,
    title: `A${attack}`,
    speaker: `B${attack}`,
    link: `https://c${attack}`,
  }
  const snippet = `a ${ESC}[31mred\nlease\u202e`
  const matches: [number, number][] = [
    [4, 3],
    [snippet.indexOf('lease'), 5],
  ]
  const text = passageLines({ ...hostile, snippet, matches }, (_, text) => text).join('\n')
  expect(text.split('\n')).toEqual(['A (trn_1)  12:34  B', '  a [31mred lease', '  https://c'])
})
