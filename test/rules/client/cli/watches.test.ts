import { beforeEach, describe, expect, test } from 'vitest'
import { type Answer, data, refused, scriptedService, stream } from '../scripted-service.ts'
import { runsHaul } from './run-haul.ts'

const service = scriptedService()
const { haul } = runsHaul(() => ({ HAUL_API_KEY: 'key', HAUL_URL: service.url }))
const url = 'https://example.com/feed.xml'

const started = { watchId: 'wat_1', status: 'starting', message: 'The watch is starting. Only new items are taken.' }
const watch = {
  ...{ watchId: 'wat_1', url, title: 'A feed', status: 'active', code: null, message: null },
  ...{ nextPollAt: '2026-11-22T12:30:00.000Z', waiting: 2, spentThisMonthDollars: 1.5, maxCostDollarsPerMonth: 20 },
  ...{ import: null, transcribe: {} },
}
const paused = {
  ...{ ...watch, watchId: 'wat_2', title: null, nextPollAt: null, maxCostDollarsPerMonth: null },
  ...{ status: 'paused', code: 'TOO_MANY_NEW', message: 'More items are new than maxNew allows.', transcribe: null },
}
const item = {
  ...{ itemId: 'wit_1', url: 'https://example.com/1', title: 'A talk', publishedAt: '2026-11-22T12:00:00.000Z' },
  ...{ seconds: 60, status: 'completed', jobId: 'trn_1', code: null, costInDollars: 0.15 },
}
const failed = { ...item, title: null, publishedAt: null, status: 'failed', code: 'NO_AUDIO', costInDollars: null }
const removed: Answer = (response) => void response.writeHead(204).end()

beforeEach(() => {
  service.on('POST /watches', data(started, 201))
  service.on('GET /watches', data({ watches: [watch, paused], nextCursor: null }))
  service.on('GET /watches/wat_1', data(watch))
  service.on('GET /watches/wat_1/items', data({ items: [item, { ...failed, jobId: null }], nextCursor: null }))
  service.on('PATCH /watches/wat_1', data({ ...paused, watchId: 'wat_1', code: null, message: null }))
  service.on('POST /watches/wat_1/poll', data({ ...watch, title: null, import: {}, transcribe: null }, 202))
  service.on('DELETE /watches/wat_1', removed)
})

const filter = { title: ['a', 'b'], notTitle: ['c'], minSeconds: 120, maxSeconds: 3600 }
const audio = { includeVideo: false, audioFormat: 'mp3' }
const transcribe = { mode: 'auto', language: 'de', store: true }

test.each<[options: string, fields: object]>([
  ['', { import: {} }],
  ['--audio mp3 --captions en --transcript', { import: { ...audio, captions: ['en'], transcribe: { mode: 'auto' } } }],
  ['--transcribe --mode auto --language de --store', { transcribe }],
  ['--transcribe --no-index', { transcribe: { index: false } }],
  ['--tell --webhook https://example.com/hook', { webhookUrl: 'https://example.com/hook' }],
  ['--title a --title b --not-title c --min-seconds 120 --max-seconds 3600', { import: {}, filter }],
  [
    '--every 30 --first 3 --max-new 50 --max-cost 5',
    { everyMinutes: 30, first: 3, maxNew: 50, maxCostDollarsPerMonth: 5, import: {} },
  ],
  [
    '--since 2026-11-01 --metadata show=news',
    { import: {}, since: '2026-11-01T00:00:00.000Z', metadata: { show: 'news' } },
  ],
])('haul watch URL %s', async (options, fields) => {
  const { stdout, stderr, exitCode } = await haul(`watch ${url} ${options}`.trim())
  expect({ stdout, stderr, exitCode }).toEqual({ stdout: 'wat_1\n', stderr: `${started.message}\n`, exitCode: 0 })
  expect(service.received().map(({ route, body }) => [route, JSON.parse(`${body}`)])).toEqual([
    ['POST /watches', { url, ...fields }],
  ])
})

test.each([
  [`watch ${url} --tell --transcribe`, '--tell makes no jobs'],
  [`watch ${url} --tell --audio`, '--tell makes no jobs'],
  [`watch ${url} --transcribe --audio`, '--quality, --audio and --files do not go with --transcribe.\n'],
  [`watch ${url} --language de`, '--mode, --provider, --model and --language need --transcribe or --transcript.\n'],
  [`watch ${url} --first 0`, '--first 0: expected a whole number above zero'],
  [`watch ${url} --since soon`, '--since soon: expected a time'],
  [`watch ${url} --min-seconds long`, '--min-seconds long: expected a whole number'],
  ['watches pause', 'missing required argument'],
])('haul %s is wrong use, and sends nothing', async (line, message) => {
  expect(await haul(line)).toEqual({ stdout: '', stderr: expect.stringContaining(message), exitCode: 2 })
  expect(service.received()).toEqual([])
})

test('watches are an aligned table', async () => {
  expect((await haul('watches --limit 5')).stdout.split('\n')).toEqual([
    'Watch  Status  Next poll         Waiting       This month  Title or code',
    'wat_1  active  2026-11-22 12:30        2  $1.50 of $20.00  A feed',
    `wat_2  paused                          2            $1.50  TOO_MANY_NEW · ${url}`,
    '',
  ])
  expect(service.received()[0]?.query).toEqual({ limit: '5' })
})

test('a watch is shown with its newest items, or those of a status', async () => {
  expect((await haul('watches wat_1 --status failed')).stdout.split('\n')).toEqual([
    'A feed (wat_1)',
    `URL:        ${url}`,
    'Status:     active',
    'Makes:      transcriptions',
    'Next poll:  2026-11-22 12:30',
    'Waiting:    2',
    'This month: $1.50 of $20.00',
    '',
    'Date              Status     Job     Cost  Title or code',
    '2026-11-22 12:00  completed  trn_1  $0.15  A talk',
    '                  failed                   NO_AUDIO · https://example.com/1',
    '',
  ])
  expect(service.received('GET /watches/wat_1/items')[0]?.query).toEqual({ status: 'failed', limit: '20' })
})

test.each([
  ['pause', { paused: true }],
  ['resume', { paused: false }],
  ['drop', { waiting: 'drop' }],
])('haul watches %s changes a watch and shows it', async (act, changes) => {
  const { stdout, exitCode } = await haul(`watches ${act} wat_1`)
  expect([stdout.split('\n').slice(2, 5), exitCode]).toEqual([
    ['Status:     paused', 'Makes:      no jobs: it only tells', 'Next poll:  none'],
    0,
  ])
  expect(JSON.parse(`${service.received('PATCH /watches/wat_1')[0]?.body}`)).toEqual(changes)
})

test('a watch is polled and removed', async () => {
  expect((await haul('watches poll wat_1')).stdout).toContain(`${url} (wat_1)\n`)
  expect(await haul('watches remove wat_1')).toEqual({ stdout: 'wat_1 is removed.\n', stderr: '', exitCode: 0 })
})

test('the reason of a pause is said with its code, and what can be done', async () => {
  service.on('GET /watches/wat_1', data(paused))
  expect((await haul('watches wat_1')).stdout).toContain(
    'Status:     paused: More items are new than maxNew allows. (TOO_MANY_NEW)\n  Take them: haul watches resume wat_2\n  Leave them out: haul watches drop wat_2\n',
  )
})

describe('--json', () => {
  test.each<[line: string, answer: object]>([
    [`watch ${url}`, started],
    ['watches', { watches: [watch, paused] }],
    ['watches wat_1', { ...watch, items: [item, { ...failed, jobId: null }] }],
    ['watches poll wat_1', { ...watch, title: null, import: {}, transcribe: null }],
  ])('haul %s prints the data of the API, and nothing else', async (line, answer) => {
    const { stdout, ...rest } = await haul(`${line} --json`)
    expect({ ...rest, printed: JSON.parse(stdout) }).toEqual({ stderr: '', exitCode: 0, printed: answer })
  })
})

test.each([
  ['watches poll wat_1', 'POST /watches/wat_1/poll', refused(409, 'WATCH_PAUSED'), '(WATCH_PAUSED, req_1)\n'],
  [`watch ${url}`, 'POST /watches', refused(409, 'TOO_MANY_WATCHES'), '(TOO_MANY_WATCHES, req_1)\n'],
  ['watches wat_9', 'GET /watches/wat_9', refused(404, 'NOT_FOUND'), '(NOT_FOUND, req_1)\n'],
])('a refusal of haul %s exits with 2', async (line, route, answer, message) => {
  service.on(route, answer)
  expect(await haul(line)).toEqual({ stdout: '', stderr: expect.stringContaining(message), exitCode: 2 })
})

test('haul listen shows new items, and what becomes of their watch', async () => {
  const at = { timestamp: '2026-11-22T12:00:00.000Z' }
  const told = [
    { id: 'evt_1', type: 'watch.item', ...at, data: { ...item, watchId: 'wat_1', code: undefined, jobId: undefined } },
    { id: 'evt_2', type: 'watch.paused', ...at, data: paused },
  ]
  service.on('GET /webhooks/secret', data({ secret: 'whsec_1' }))
  service.on('GET /events', stream(told), refused(401, 'UNAUTHORIZED'))
  expect((await haul('listen -q')).stdout.split('\n')).toEqual([
    '12:00:00  watch.item               wat_1  A talk',
    `12:00:00  watch.paused             wat_2  TOO_MANY_NEW  ${url}`,
    '',
  ])
})
