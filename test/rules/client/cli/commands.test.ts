import { readdir, readFile, writeFile } from 'node:fs/promises'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { freePort } from '../../../support/loopback.ts'
import { verifyWebhook } from '../../../support/product/verify-webhook.ts'
import { sha256 } from '../../../support/sha256.ts'
import * as scripted from '../scripted-service.ts'
import { runsHaul } from './run-haul.ts'

/** Every command against a service that answers as a test says. */
const { completed, data, drop, failed, jobId, queued, refused, scriptedService, started, stream } = scripted
const service = scriptedService()
const { haul, start } = runsHaul(() => ({ HAUL_API_KEY: 'key', HAUL_URL: service.url }))
const url = 'https://example.com/film'
const events = `GET /jobs/${jobId}/events`

const key = {
  ...{ keyId: 'key_1', name: 'ci', apiKey: 'haul_secret', scopes: ['read'], allowedOrigins: ['https://a.test'] },
  ...{ dollarsPerMonth: 5, expiresAt: null, spentThisMonthDollars: 0, lastUsedAt: null, prefix: 'haul_s' },
}
const keyFacts = 'Scopes:     read\nBudget:     $5.00 a month\nExpires:    never\nPages:      https://a.test\n'
const account = {
  ...{ accountId: 'acct_1', name: 'test', availableDollars: 10, heldDollars: 0.5 },
  limits: { concurrentJobs: { import: 2, transcription: 3 }, requestsPerHour: { import: 100, transcribe: 200 } },
  prices: { downloadPerMegabyte: 0.01, captions: 0.01, builtinPerMinute: 0, providerPerMinute: 0, speechMinimum: 0 },
  retentionDays: 7,
  index: true,
  search: { bytes: 1_000, passages: 3, full: false },
}
const batch = { batchId: 'bat_1', status: 'running', counts: { total: 2, completed: 0 } }
const canceled = { ...failed, code: 'CANCELED' }
const noJobs = { jobs: [], nextCursor: null }
const feed = { isPlaylist: true, title: 'A feed', count: 0, entries: [] }

const answers: Record<string, [answer: scripted.Answer, stdout: string]> = {
  'POST /import': [started, 'imp_1\n'],
  'POST /transcribe': [started, 'imp_1\n'],
  'POST /batches': [data(batch), 'bat_1\n'],
  'DELETE /jobs/imp_1': [data(canceled), 'imp_1 is canceled.\n'],
  'DELETE /batches/bat_1': [data(batch), 'bat_1 is canceled.\n'],
  'GET /jobs': [data(noJobs), 'Job  Status  Created  Cost  Title or code\n'],
  'GET /models': [data({ models: [] }), 'Name  Default  Languages  Can  A minute  Speed\n'],
  'POST /keys': [data(key, 201), 'haul_secret\n'],
  'PATCH /keys/key_1': [data(key), `ci (key_1)\n${keyFacts}`],
  'DELETE /keys/key_1': [(response) => response.writeHead(204).end(), 'key_1 is removed.\n'],
  'GET /metadata': [data(feed), `A feed\n0 entries. Import them: haul batch ${url}\n\n#  Length  Title\n`],
}

beforeEach(() => {
  for (const [route, [answer]] of Object.entries(answers)) service.on(route, answer)
  service.on('GET /batches/bat_1', data(batch))
  service.on('GET /account', data(account))
  service.on('GET /keys', data({ keys: [key] }))
})

const clip = { start: '0:01', end: '0:03' }
const audio = { includeVideo: false, audioFormat: 'source' }
const captions = { importId: 'imp_9', mode: 'captions' }
const unindexed = { index: false, transcribe: { mode: 'auto' } }
const files = { files: ['info', 'chapters'], formats: ['vtt', 'txt'] }
const metadata = { show: 'news', episode: '42' }
const noted = '--metadata show=news --metadata episode=42'
const filter = { status: 'failed', q: '&TALK', 'metadata.show': 'news', 'metadata.episode': '42', limit: '20' }
const limits = { scopes: ['read', 'import'], dollarsPerMonth: 5, expiresAt: '2099-01-31T00:00:00.000Z' }
const noLimits = { dollarsPerMonth: null, expiresAt: null, allowedOrigins: [] }
const pages = ['https://a.test', 'https://b.test']

test.each<[line: string, request: string, fields: object]>([
  [`import ${url} --audio mp3 --clip 0:01-0:03 --no-wait`, 'POST /import', { url, ...audio, audioFormat: 'mp3', clip }],
  [`import ${url} --no-index --no-wait`, 'POST /import', { url, index: false }],
  [`import ${url} --store --no-wait`, 'POST /import', { url, store: true, storageReturnLocation: true }],
  [`import ${url} --quality 720p ${noted} --no-wait`, 'POST /import', { url, videoQuality: '720p', metadata }],
  [
    `import ${url} --captions en,de --transcript --files info,chapters --formats vtt,txt --max-seconds 9 --words --no-wait`,
    'POST /import',
    {
      url,
      maxSeconds: 9,
      captions: ['en', 'de'],
      ...files,
      transcribe: { mode: 'auto', words: true },
    },
  ],
  [
    `import ${url} --captions all --transcript speech --provider openai --speakers --no-wait`,
    'POST /import',
    { url, captions: 'all', transcribe: { mode: 'speech', provider: 'openai', speakers: true } },
  ],
  [
    `transcribe imp_9 --mode captions ${noted} --no-wait`,
    'POST /transcribe',
    { importId: 'imp_9', mode: 'captions', metadata },
  ],
  ['transcribe imp_9 --mode captions --no-index --no-wait', 'POST /transcribe', { ...captions, index: false }],
  [`batch ${url} --transcript --no-index --no-wait`, 'POST /batches', { playlistUrl: url, import: unindexed }],
  ['transcribe upl_9 --provider openai --no-wait', 'POST /transcribe', { uploadId: 'upl_9', provider: 'openai' }],
  [
    'transcribe imp_9 --model small --max-cost 2 --no-wait',
    'POST /transcribe',
    { importId: 'imp_9', mode: 'auto', model: 'small', maxCostDollars: 2 },
  ],
  ['models', 'GET /models', {}],
  [`batch ${url} --transcribe --limit 2 --no-wait`, 'POST /batches', { playlistUrl: url, limit: 2, transcribe: {} }],
  [`batch - --audio ${noted} --no-wait`, 'POST /batches', { urls: [url], import: audio, metadata }],
  [
    `batch ${url} --transcript --language de --model small --captions en,de --files info,chapters --formats vtt,txt --no-wait`,
    'POST /batches',
    {
      playlistUrl: url,
      import: { captions: ['en', 'de'], ...files, transcribe: { mode: 'auto', language: 'de', model: 'small' } },
    },
  ],
  [
    `batch ${url} --transcribe --store --captions all --formats srt --no-wait`,
    'POST /batches',
    { playlistUrl: url, transcribe: { store: true, captions: 'all', formats: ['srt'] } },
  ],
  ['cancel imp_1', 'DELETE /jobs/imp_1', { cancelOnly: '1' }],
  ['cancel bat_1', 'DELETE /batches/bat_1', {}],
  [`jobs --status failed --search &TALK ${noted}`, 'GET /jobs', filter],
  ['jobs --after 2000-01-01', 'GET /jobs', { after: '2000-01-01T00:00:00.000Z', limit: '20' }],
  ['keys create ci --scopes read,import --budget 5 --expires 2099-01-31', 'POST /keys', { name: 'ci', ...limits }],
  [`keys create ci --origin ${pages.join(' ')}`, 'POST /keys', { name: 'ci', allowedOrigins: pages }],
  ['keys update key_1 --budget none --expires never --origin none', 'PATCH /keys/key_1', noLimits],
  ['keys remove key_1', 'DELETE /keys/key_1', {}],
  [`look ${url}`, 'GET /metadata', { url }],
])('haul %s', async (line, request, fields) => {
  expect(await haul(line, url)).toMatchObject({ stdout: answers[request]?.[1], exitCode: 0 })
  const [sent, ...others] = service.received(request)
  expect({ ...sent?.query, ...JSON.parse(`${sent?.body}` || '{}') }).toEqual(fields)
  expect(others).toEqual([])
})

test.each<[line: string, answer: object]>([
  ['account', account],
  ['jobs', noJobs],
  ['keys', { keys: [key] }],
  ['keys create ci', key],
  ['keys update key_1 --name ci', key],
  ['cancel imp_1', canceled],
  [`look ${url}`, feed],
  [`batch ${url} --no-wait`, batch],
])('haul %s --json prints the data of the API, and nothing else', async (line, answer) => {
  const { stdout, ...rest } = await haul(`${line} --json`)
  expect({ ...rest, printed: JSON.parse(stdout) }).toEqual({ stderr: '', exitCode: 0, printed: answer })
})

test('a new key is described on stderr, and with --quiet it is not', async () => {
  expect((await haul('keys create ci')).stderr).toBe(`ci (key_1)\n${keyFacts}The key is shown only this once.\n`)
  expect(await haul('keys create ci -q')).toEqual({ stdout: 'haul_secret\n', stderr: '', exitCode: 0 })
})

test('jobs are an aligned table', async () => {
  const jobs = [
    { ...completed, costInDollars: 0.15, title: 'A film' },
    { ...failed, costInDollars: null },
  ]
  service.on('GET /jobs', data({ jobs, nextCursor: null }))
  expect((await haul('jobs')).stdout.split('\n')).toEqual([
    'Job    Status     Created            Cost  Title or code',
    'imp_1  completed  2026-11-22 12:00  $0.15  A film',
    'imp_1  failed     2026-11-22 12:00         NO_AUDIO · https://example.com/film',
    '',
  ])
})

test('the id of a transcription prints it again, and -o saves it in the format of its name', async () => {
  const facts = { source: 'platform_captions', language: 'de', duration: 6, costInDollars: 0.01, title: 'A talk' }
  const job = { ...completed, jobId: 'trn_1', type: 'transcription', result: { ...facts, text: 'Hallo.' } }
  service.on('GET /jobs/trn_1/events', stream([job]))
  service.on('GET /transcribe/transcript', (response) => response.end('Hallo.'))
  const said = 'platform_captions · de · 0:06 · $0.01 · trn_1\n'
  expect(await haul('transcribe trn_1')).toEqual({ stdout: 'Hallo.\n', stderr: said, exitCode: 0 })
  expect(await haul('transcribe trn_1 -o talk.srt -q')).toEqual({ stdout: 'talk.srt\n', stderr: '', exitCode: 0 })
  expect(await readFile('talk.srt', 'utf8')).toBe('Hallo.\n')
  const formats = service.received('GET /transcribe/transcript').map(({ query }) => query.format)
  expect(formats).toEqual(['txt', 'srt'])
})

test.each([
  [{ jobs: [queued], nextCursor: 'c3' }, 2],
  [{ jobs: [], nextCursor: null }, 1],
])('haul jobs reads on after short pages to its limit, or to the end of the list (%#)', async (last, count) => {
  const pages = [
    { jobs: [], nextCursor: 'c1' },
    { jobs: [queued], nextCursor: 'c2' },
  ]
  service.on('GET /jobs', ...[...pages, last].map((page) => data(page)))
  const { stdout } = await haul('jobs --limit 2 --json')
  expect(JSON.parse(stdout)).toEqual({ jobs: Array(count).fill(queued), nextCursor: last.nextCursor })
  const queries = [{ limit: '2' }, { limit: '2', cursor: 'c1' }, { limit: '1', cursor: 'c2' }]
  expect(service.received().map(({ query }) => query)).toEqual(queries)
})

test('--json alone saves no file of an import, and the id of the job saves it later', async () => {
  const file = { filename: 'film.mp4', mediaUrl: `${service.url}/film`, fileSizeBytes: 6, sha256: sha256('a film') }
  const job = { ...completed, result: { title: 'A film', duration: 6, costInDollars: 0.01, ...file } }
  service.on(events, stream([job]))
  service.on(`GET /jobs/${jobId}`, data(job))
  service.on('GET /film', (response) => response.end('a film'))
  expect(JSON.parse((await haul(`import ${url} --json`)).stdout)).toEqual(job)
  expect(await readdir('.')).toEqual([])
  const facts = 'A film · 6 B · 0:06 · $0.01 · imp_1\n'
  expect(await haul('import imp_1')).toEqual({ stdout: 'film.mp4\n', stderr: facts, exitCode: 0 })
  expect(await readFile('film.mp4', 'utf8')).toBe('a film')
  expect(service.received('POST /import')).toHaveLength(1)
})

describe('an import with several files', () => {
  const quote = { estimatedMinutes: 42, estimatedCostDollars: 0.84 }
  const made = (kind: string, filename: string) => {
    service.on(`GET /${encodeURIComponent(filename)}`, (response) => response.end(kind))
    return { kind, status: 'completed', filename, url: `${service.url}/${encodeURIComponent(filename)}` }
  }
  const missing = (status: string, kind: string, code: string, more: object = {}) => ({ status, kind, code, ...more })
  const saving = (filename: string, others: object[]) => {
    const media = made('media', filename)
    const file = { filename, mediaUrl: media.url, fileSizeBytes: 5, sha256: sha256('media') }
    const result = { title: 'A film', duration: 6, costInDollars: 0.02, ...file, files: [media, ...others] }
    service.on(events, stream([{ ...completed, result }]))
  }

  test('all have the name of the media, also where that is taken, or was chosen', async () => {
    saving('Film.mp4', [made('captions', 'Film.zh-Hant.vtt'), made('info', 'Film.info.json')])
    expect((await haul('import imp_1 -q')).stdout).toBe('Film.mp4\nFilm.zh-Hant.vtt\nFilm.info.json\n')
    expect((await haul('import imp_1 -q')).stdout).toBe('Film (2).mp4\nFilm (2).zh-Hant.vtt\nFilm (2).info.json\n')
    expect((await haul('import imp_1 -q -o my.mp4')).stdout).toBe('my.mp4\nmy.zh-Hant.vtt\nmy.info.json\n')
    expect(await readFile('my.zh-Hant.vtt', 'utf8')).toBe('captions')
  })

  test('a name from a hostile service stays in the folder, and long ones keep what tells them apart', async () => {
    const long = '語'.repeat(60)
    saving(`${long}.mp4`, [
      made('captions', `${long}.en.vtt`),
      made('captions', `${long}.de.vtt`),
      made('info', '../x'),
    ])
    await haul('import imp_1')
    const names = [`${long}.de.vtt`, `${long}.en.vtt`, `${long}.mp4`, `${long}..._x`]
    expect((await readdir('.')).toSorted()).toEqual(names.toSorted())
  })

  test('what is missing is said on stderr with its price and the next command, and the exit code is 0', async () => {
    saving('Film.mp4', [
      missing('skipped', 'captions', 'NOT_AT_SOURCE', { language: 'de' }),
      missing('failed', 'captions', 'SOURCE_RATE_LIMITED', { language: 'fr', message: 'Busy.', retryable: true }),
      missing('failed', 'transcript', 'MAX_COST_EXCEEDED', { message: 'Too much.', retryable: false, quote }),
    ])
    expect(await haul('import imp_1')).toEqual({
      stdout: 'Film.mp4\n',
      stderr: [
        'No captions (de): The source has none. (NOT_AT_SOURCE)',
        'No captions (fr): Busy. (SOURCE_RATE_LIMITED)',
        '  Another attempt may succeed.',
        'No transcript: To recognize the speech costs $0.84 (42 minutes). (MAX_COST_EXCEEDED)',
        '  Run: haul transcribe imp_1 --mode speech --max-cost 0.85',
        'Nothing was charged for what is missing.',
        'A film · 5 B · 0:06 · $0.02 · imp_1\n',
      ].join('\n'),
      exitCode: 0,
    })
  })

  test('a ceiling that is too low for the download is named with the next command', async () => {
    service.on(events, stream([{ ...failed, code: 'MAX_COST_EXCEEDED' }]))
    const stderr = `haul: It costs more than --max-cost, which is $1.00. (MAX_COST_EXCEEDED, imp_1)\nRun: haul import ${url} --transcript --max-cost 2\n`
    expect(await haul(`import ${url} --transcript --max-cost 1`)).toEqual({ stdout: '', stderr, exitCode: 3 })
  })
})

test('a batch with several files lists the items that lack some, and is done', async () => {
  const counts = { total: 2, waiting: 0, running: 0, completed: 2, failed: 0, skipped: 0 }
  service.on('GET /batches/bat_1/events', stream([{ ...batch, status: 'completed', counts, costInDollars: 0.04 }]))
  const item = { url, jobId: 'imp_1', status: 'completed', code: null, message: null }
  const items = [true, false].map((complete, index) => ({ ...item, index, complete }))
  service.on('GET /batches/bat_1/items', (response, received) =>
    data({ items: received.query.status === 'completed' ? items : [], nextCursor: null })(response, received),
  )
  expect(await haul(`batch ${url} --captions all`)).toEqual({
    stdout: [
      '#  URL                       Code        Message',
      '1  https://example.com/film  INCOMPLETE  Some of its files are missing: haul import imp_1\n',
    ].join('\n'),
    stderr: '2 of 2 done · $0.04 · bat_1\n',
    exitCode: 0,
  })
})

describe('exit codes', () => {
  test.each([
    [`import ${url} --nonsense`, 'unknown option'],
    [`import ${url} --clip 5`, 'expected a start and an end'],
    [`import ${url} -o film.mp4`, 'haul: film.mp4 exists already. Overwrite it with --force.\n'],
    [`import ${url} --language de`, '--provider, --model, --language, --words and --speakers need --transcript.\n'],
    [`import ${url} --captions en -o -`, 'there would be several files: name a folder or a file.\n'],
    [`batch ${url} --language de`, '--mode, --provider, --model and --language need --transcribe or --transcript.\n'],
    [`batch ${url} --transcribe --transcript`, ' do not go with --transcribe.\n'],
    ['transcribe no.mp3', 'haul: no.mp3 is neither a file nor a URL that starts with http:// or https://.\n'],
    ['keys create', 'missing required argument'],
    ['keys create ci --expires soon', 'expected a day such as 2027-01-31'],
    ['keys update key_1', 'Name what to change: --name'],
    ['keys destroy key_1', 'too many arguments'],
  ])('2: haul %s is wrong use, and sends nothing', async (line, message) => {
    await writeFile('film.mp4', 'mine')
    expect(await haul(line)).toEqual({ stdout: '', stderr: expect.stringContaining(message), exitCode: 2 })
    expect(service.received()).toEqual([])
    expect(await readFile('film.mp4', 'utf8')).toBe('mine')
  })

  test.each([
    ['1: the job has failed', started, 1, 'haul: No sound. (NO_AUDIO, imp_1)\n'],
    ['2: the request is refused', refused(400, 'INVALID_REQUEST'), 2, '(INVALID_REQUEST, req_1)\n'],
    ['3: the balance is too low', refused(402, 'INSUFFICIENT_BALANCE'), 3, '(INSUFFICIENT_BALANCE, req_1)\n'],
    ['4: the service cannot be reached', drop, 4, 'cannot be reached. Trying again.\nhaul: The connection to http://'],
  ])('%s', async (_, answer, exitCode, message) => {
    service.on('POST /import', answer)
    service.on(events, stream([failed]))
    expect(await haul(`import ${url}`)).toEqual({ stdout: '', stderr: expect.stringContaining(message), exitCode })
  })

  test('4: a key may have been made although the connection was lost, and no second one is made', async () => {
    service.on('POST /keys', drop)
    const stderr = expect.stringContaining('The key may have been made all the same: `haul keys` lists it.')
    expect(await haul('keys create ci')).toEqual({ stdout: '', stderr, exitCode: 4 })
    expect(service.received()).toHaveLength(1)
  })

  test.each(['imp_1', 'bat_1'])('2: haul cancel %s removes nothing of what has ended', async (id) => {
    service.on('DELETE /jobs/imp_1', data(completed))
    service.on('GET /batches/bat_1', data({ ...batch, status: 'completed' }))
    const stderr = `haul: ${id} has ended already: completed.\n`
    expect(await haul(`cancel ${id}`)).toEqual({ stdout: '', stderr, exitCode: 2 })
    expect(service.received('DELETE /batches/bat_1')).toEqual([])
  })

  test('3: if a ceiling is too low, the next command is named, which does not upload the file again', async () => {
    await writeFile('tone.m4a', 'tone')
    const parts = [{ number: 1, url: `${service.url}/part`, sizeBytes: 4 }]
    service.on('POST /uploads', data({ uploadId: 'upl_1', status: 'pending', partSizeBytes: 4, parts }, 201))
    service.on('PUT /part', (response) => response.writeHead(200, { etag: '"e"' }).end())
    service.on('POST /uploads/upl_1/complete', data({ uploadId: 'upl_1', status: 'ready' }))
    const quote = { estimatedMinutes: 1, estimatedCostDollars: 0.03 }
    service.on(events, stream([{ ...failed, code: 'MAX_COST_EXCEEDED', quote }]))
    const lines = [
      'haul: The transcription costs $0.03 (1 minute), and --max-cost is $0.02. (MAX_COST_EXCEEDED, imp_1)\n',
      'Run: haul transcribe upl_1 --format srt --max-cost 0.05\n',
    ]
    const ended = await haul('transcribe tone.m4a --format srt --max-cost 0.02')
    expect(ended).toEqual({ stdout: '', stderr: lines.join(''), exitCode: 3 })
    expect(service.received('POST /transcribe')).toHaveLength(1)
  })
})

/** SIGINT to its end. What it would say after a second is left out. */
const interrupted = ({ ended, interrupt }: ReturnType<typeof start>) => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  interrupt()
  return ended.finally(vi.useRealTimers)
}

describe('SIGINT', () => {
  beforeEach(() => {
    service.on(events, stream([scripted.running(10)], 'hang'))
    service.on('GET /jobs/imp_1', data(canceled))
    service.on('GET /batches/bat_1/events', stream([batch], 'hang'))
  })

  test.each([
    [`import ${url}`, events, ['DELETE /jobs/imp_1'], 'imp_1 is canceled.\n'],
    ['import imp_1', events, [], ''],
    [`batch ${url}`, 'GET /batches/bat_1/events', ['DELETE /batches/bat_1'], 'bat_1 is canceled.\n'],
  ])('ends haul %s, and cancels what it has started', async (line, followed, cancellations, stderr) => {
    const running = start(line)
    await service.requested(followed)
    expect(await interrupted(running)).toEqual({ stdout: '', stderr, exitCode: 130 })
    const routes = service.received().map(({ route }) => route)
    expect(routes.filter((route) => route.startsWith('DELETE'))).toEqual(cancellations)
  })

  test('is answered after a second if the service takes longer, and a second one exits at once', async () => {
    const canceling = Promise.withResolvers<void>()
    service.on('DELETE /jobs/imp_1', (...request) => void canceling.promise.then(() => data(canceled)(...request)))
    const { ended, interrupt, printed } = start(`import ${url}`)
    await service.requested(events)
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    interrupt()
    await service.requested('DELETE /jobs/imp_1')
    await vi.advanceTimersByTimeAsync(1_000)
    await printed(/^Canceling\. Press Ctrl-C again to stop at once\.$/m)
    vi.useRealTimers()
    const exited = vi.spyOn(process, 'exit').mockImplementation(() => undefined as never)
    interrupt()
    expect(exited).toHaveBeenCalledExactlyOnceWith(130)
    canceling.resolve()
    expect((await ended).exitCode).toBe(130)
    // After a time-out it would have been sent again.
    expect(service.received('DELETE /jobs/imp_1')).toHaveLength(1)
  })
})

describe('haul listen', () => {
  const secret = `whsec_${btoa('a secret of some length')}`
  const event = (id: string, type: string, more: object) => ({
    ...{ id, type, timestamp: '2026-11-22T12:00:00.000Z' },
    data: { jobId, type: 'import', ...more },
  })
  const told = [
    event('evt_1', 'job.started', { url }),
    event('evt_2', 'import.completed', { result: { title: 'A film' } }),
    event('evt_3', 'import.failed', { code: 'CANCELED' }),
  ]
  beforeEach(() => {
    service.on('GET /webhooks/secret', data({ secret }))
    service.on('GET /events', stream(told.slice(0, 2), 'drop'), stream(told.slice(2), 'hang'))
  })
  const listened = async (options: string) => {
    const running = start(`listen ${options}`)
    await running.printed(/CANCELED.*\n/)
    const { stdout, ...rest } = await interrupted(running)
    return { ...rest, lines: stdout.trimEnd().split('\n') }
  }

  test('each event is a line, and is forwarded as its webhook would come, also after a lost connection', async () => {
    service.on('POST /hook', (response) => response.end(), refused(500, 'INTERNAL_ERROR'))
    const ended = await listened(`--forward-to ${service.url}/hook`)
    const said = ['Connected again, without a gap.', '']
    expect({ ...ended, stderr: ended.stderr.split('\n') }).toEqual({
      lines: [
        '12:00:00  job.started              imp_1  https://example.com/film',
        '12:00:00  import.completed         imp_1  A film  -> 200',
        '12:00:00  import.failed            imp_1  CANCELED  -> 500',
      ],
      stderr: [
        `The secret that signs webhooks: ${secret}`,
        `Listening to ${service.url}. Press Ctrl-C to stop.`,
        ...said,
      ],
      exitCode: 130,
    })
    const forwarded = service.received('POST /hook').map(({ headers, body }) => {
      expect(headers['content-type']).toBe('application/json')
      const event = verifyWebhook(secret, { headers, body: `${body}`, path: '', at: 0 })
      return { id: headers['webhook-id'], ...event }
    })
    expect(forwarded).toEqual(told.slice(1))
  })

  test('a receiver that is down is named, and the next event is forwarded', async () => {
    const { lines } = await listened(`--forward-to localhost:${await freePort()}/hooks`)
    expect(lines.slice(1)).toEqual(Array(2).fill(expect.stringMatching(/ -> connection refused$/)))
  })

  test('--json prints the events as the API sends them, one in a line', async () => {
    expect((await listened('--json')).lines.map((line) => JSON.parse(line))).toEqual(told)
  })

  test('a key that may not read the secret shows events, and forwards none', async () => {
    service.on('GET /webhooks/secret', refused(403, 'SCOPE_MISSING'))
    expect((await listened('-q')).stderr).toBe('')
    const stderr = expect.stringContaining('(SCOPE_MISSING, req_1)')
    expect(await haul(`listen --forward-to ${service.url}/hook`)).toEqual({ stdout: '', stderr, exitCode: 2 })
  })
})

describe('haul login', () => {
  beforeEach(() => {
    vi.stubEnv('HAUL_API_KEY', '')
    vi.stubEnv('HAUL_URL', '')
  })
  const login = (key: string) => haul(`login --url ${service.url}/`, key)

  test.each([
    [data(account), 'Logged in as test (acct_1), $10.00 available.\n'],
    [refused(403, 'SCOPE_MISSING'), 'Logged in with a key that may not read the account.\n'],
  ])(
    'a key from stdin that the service accepts is stored, and the next command uses it (%#)',
    async (answer, stdout) => {
      service.on('GET /account', answer)
      expect(await login('haul_key\n')).toEqual({
        stdout,
        stderr: expect.not.stringContaining('haul_key'),
        exitCode: 0,
      })
      expect((await haul('keys')).exitCode).toBe(0)
      expect(service.received().map(({ headers }) => headers.authorization)).toEqual(Array(2).fill('Bearer haul_key'))
    },
  )

  test('a key that is refused is not stored', async () => {
    service.on('GET /account', refused(401, 'UNAUTHORIZED'))
    const stderr = expect.stringContaining('run `haul login`.\n')
    expect(await login('wrong')).toEqual({ stdout: '', stderr, exitCode: 2 })
    expect(await readdir('.')).toEqual([])
  })
})

/** The answers of a server that somebody was told to log in to would set the title of the terminal, and clear it. */
const attack = '\u001b]0;PWNED\u0007\u001b[2J\u009b\u202e'
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be printed
const unsafe = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/

test.each([
  ['login', /^Logged in as name \(acct_1\), \$10\.00/],
  ['account', /^name \(acct_1\)\n.*\n/],
  ['listen', /whsec_1\n/],
])('haul %s prints no escape sequences of a server', async (name, shown) => {
  const limits = { import: `2${attack}`, transcription: attack, transcribe: attack }
  const hostile = { accountId: `acct_1${attack}`, name: `name${attack}` }
  service.on(
    'GET /account',
    data({ ...account, ...hostile, limits: { concurrentJobs: limits, requestsPerHour: limits } }),
  )
  service.on('GET /webhooks/secret', data({ secret: `whsec_1${attack}` }))
  service.on('GET /events', refused(403, `SCOPE_MISSING${attack}`))
  const { stdout, stderr } = await haul(name, 'any')
  expect(stdout + stderr).toMatch(shown)
  expect((stdout + stderr).match(unsafe)).toBeNull()
})
