import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, test, vi } from 'vitest'
import { DAY_MS } from '../../../domain/time.ts'
import type { Segment } from '../../../domain/words/segment.ts'
import type { WordsObject } from '../../../worker/index.ts'
import { updateWords, wordsOf } from '../../../worker/search/words-of.ts'
import { eventually, runAlarm, skip } from '../support/clock.ts'
import { asOperator, type Caller, newCaller, recognizeAs } from '../support/transcriptions.ts'

const said = (text: string, start = 0, speaker?: string): Segment => ({
  start,
  end: start + 5,
  text,
  ...(speaker && { speaker }),
})

/** A completed job with these words, which the index knows. */
const heard = async (caller: Caller, segments: Segment[], request: object = {}, title = 'A talk'): Promise<string> => {
  const jobId = await caller.transcribe({ provider: 'builtin', ...request })
  await recognizeAs(caller, jobId, segments, { title })
  await runAlarm(caller.account)
  return jobId
}

const search = async (caller: Caller, q: string, rest = '') =>
  (await caller.callApi('GET', `/search?q=${encodeURIComponent(q)}${rest}`)).body

const textsOf = async (caller: Caller, q: string, rest = ''): Promise<string[]> =>
  (await search(caller, q, rest)).data.results.map(({ snippet }: { snippet: string }) => snippet)

const indexed = (caller: Caller): Promise<{ jobs: number; passages: number; tables: number }> =>
  runInDurableObject(wordsOf(env, caller.accountId), (_: WordsObject, { storage: { sql } }) => {
    const count = (query: string) => sql.exec<{ count: number }>(`SELECT count(*) AS count FROM ${query}`).one().count
    const tables = count("sqlite_master WHERE name IN ('passages', 'indexed')")
    return { jobs: tables ? count('jobs') : 0, passages: tables ? count('passages') : 0, tables }
  })

test('words of a job are found, with their place, after it has ended', async () => {
  const caller = await newCaller()
  const segments = [said('Hello and welcome.', 1), said('The lease expires in May.', 8), said('Goodbye.', 200)]
  const jobId = await heard(caller, segments, { metadata: { episode: '42' } })
  expect(await search(caller, 'EXPIRES lease')).toEqual({
    success: true,
    data: {
      results: [
        {
          jobId,
          title: 'A talk',
          url: 'https://page.example/talk',
          link: 'https://page.example/talk',
          start: 8,
          end: 13,
          language: 'en',
          snippet: 'Hello and welcome. The lease expires in May.',
          matches: [
            [23, 5],
            [29, 7],
          ],
        },
      ],
      nextCursor: null,
    },
  })
  expect(await textsOf(caller, 'lease goodbye')).toEqual([])
  expect(await textsOf(caller, '"the lease" -may')).toEqual([])
  expect(await textsOf(caller, 'talk')).toEqual(['A talk'])
  expect((await caller.callApi('GET', '/account')).body.data).toMatchObject({
    index: true,
    search: { passages: 3, full: false },
  })
})

test('results are of this key, of the asked jobs, and of what is still there', async () => {
  const caller = await newCaller()
  const first = await heard(caller, [said('A zebra.', 0, 'A')], { metadata: { show: 'one' } })
  const second = await heard(caller, [said('Another zebra.', 0, 'B')])
  const other = await newCaller()
  expect(await textsOf(other, 'zebra')).toEqual([])
  expect(await textsOf(caller, 'zebra', '&sort=newest')).toEqual(['Another zebra.', 'A zebra.'])
  expect(await textsOf(caller, 'zebra', '&metadata.show=one')).toEqual(['A zebra.'])
  expect(await textsOf(caller, 'zebra', `&jobId=${second}`)).toEqual(['Another zebra.'])
  expect(await textsOf(caller, 'zebra', '&speaker=A')).toEqual(['A zebra.'])
  expect(await textsOf(caller, 'zebra', '&language=de')).toEqual([])
  expect(await textsOf(caller, 'zebra', '&before=2020-01-01T00:00:00Z')).toEqual([])
  expect(await textsOf(caller, 'zebra', '&after=2020-01-01T00:00:00Z')).toHaveLength(2)
  const made = await caller.callApi('POST', '/keys', { name: 'narrow', scopes: ['transcribe'] })
  const narrow = { ...caller, callApi: asKey(made.body.data.apiKey) }
  expect(await textsOf(narrow, 'zebra')).toEqual([])
  // The account says at once that it is gone; the index follows.
  await caller.callApi('DELETE', `/jobs/${first}`)
  expect(await textsOf(caller, 'zebra')).toEqual(['Another zebra.'])
  await runAlarm(caller.account)
  expect(await indexed(caller)).toMatchObject({ jobs: 1, passages: 2 })
})

const asKey = (key: string) => async (method: string, path: string, body?: unknown) => {
  const { callApi } = await import('../support/caller.ts')
  return callApi(method, path, { key, body })
}

test('pages follow each other without gaps, whatever ends between them', async () => {
  const caller = await newCaller()
  for (let job = 0; job < 4; job++) {
    const words = Array.from({ length: 8 }, (_, index) => said(`Number ${job}-${index} of the series.`, index * 40))
    await heard(caller, words, {}, '')
  }
  for (const sort of ['newest', 'relevance']) {
    const whole = await textsOf(caller, 'number series', `&limit=50&sort=${sort}`)
    expect(whole).toHaveLength(32)
    const read: string[] = []
    let cursor = ''
    do {
      const { data } = await search(caller, 'number series', `&limit=5&sort=${sort}&cursor=${cursor}`)
      read.push(...data.results.map(({ snippet }: { snippet: string }) => snippet))
      cursor = data.nextCursor
    } while (cursor)
    expect(read).toEqual(whole)
  }
})

test('without indexing nothing is found, and a rebuild brings it back', async () => {
  const caller = await newCaller()
  await heard(caller, [said('First zebra.')])
  await heard(caller, [said('Hidden zebra.')], { index: false })
  expect(await textsOf(caller, 'zebra')).toEqual(['First zebra.'])
  expect((await caller.callApi('PATCH', '/account', { index: false })).body.data).toEqual({ index: false })
  expect(await textsOf(caller, 'zebra')).toEqual([])
  expect((await caller.callApi('POST', '/search/rebuild')).body.code).toBe('SEARCH_OFF')
  await heard(caller, [said('Second zebra.')])
  expect(await indexed(caller)).toEqual({ jobs: 0, passages: 0, tables: 0 })
  await caller.callApi('PATCH', '/account', { index: true })
  await heard(caller, [said('Third zebra.')])
  expect(await textsOf(caller, 'zebra')).toEqual(['Third zebra.'])
  expect((await caller.callApi('POST', '/search/rebuild')).status).toBe(202)
  await runAlarm(caller.account)
  await runAlarm(caller.account)
  expect((await textsOf(caller, 'zebra')).sort()).toEqual(['First zebra.', 'Second zebra.', 'Third zebra.'])
})

test('an operator fills an index that was lost', async () => {
  const caller = await newCaller()
  await heard(caller, [said('A zebra.')])
  await runInDurableObject(wordsOf(env, caller.accountId), (_: WordsObject, { storage }) => storage.deleteAll())
  expect(await textsOf(caller, 'zebra')).toEqual([])
  const path = `/admin/accounts/${caller.accountId}/search/rebuild`
  expect(await asOperator('POST', path)).toMatchObject({ data: { status: 'rebuilding' } })
  await runAlarm(caller.account)
  await runAlarm(caller.account)
  expect(await textsOf(caller, 'zebra')).toEqual(['A zebra.'])
  expect(await asOperator('POST', '/admin/accounts/acct_0/search/rebuild')).toMatchObject({ code: 'NOT_FOUND' })
})

test('a job that was read only in part, because the object ended, is not found, and then whole', async () => {
  const caller = await newCaller()
  const words = wordsOf(env, caller.accountId)
  const long = Array.from({ length: 4_000 }, (_, index) =>
    said(`Zebra ${index} ${'runs along '.repeat(20)}`, index * 40),
  )
  const jobId = await caller.transcribe({ provider: 'builtin' })
  await runInDurableObject(words, (object: WordsObject) => {
    // The object ends when it has its tables and two pages.
    const { storage } = (object as unknown as { ctx: DurableObjectState }).ctx
    const write = storage.transactionSync.bind(storage)
    let written = 0
    vi.spyOn(storage, 'transactionSync').mockImplementation((act) => {
      if (written++ > 2) throw new Error('the object has ended')
      return write(act)
    })
  })
  await recognizeAs(caller, jobId, long, { title: 'Long' })
  await runAlarm(caller.account)
  expect(await textsOf(caller, 'zebra')).toEqual([])
  expect((await indexed(caller)).passages).toBeGreaterThan(100)
  await evictDurableObject(words)
  // The account calls the index again too, and the later of two calls does the work.
  await updateWords(env, caller.accountId, jobId)
  await eventually(async () => expect(await textsOf(caller, 'zebra')).toHaveLength(10))
  expect(await indexed(caller)).toMatchObject({ jobs: 1, passages: 4_001 })
  await updateWords(env, caller.accountId, jobId)
  expect(await indexed(caller)).toMatchObject({ jobs: 1, passages: 4_001 })
  await caller.callApi('DELETE', `/jobs/${jobId}`)
  await updateWords(env, caller.accountId, jobId)
  await eventually(async () => expect(await indexed(caller)).toMatchObject({ jobs: 0, tables: 0 }))
})

test('a passage that says it more often, and in fewer words, comes first; a rare word counts more', async () => {
  const caller = await newCaller()
  const filler = 'and many other words that nobody has asked for are in this passage too, '.repeat(3)
  const passages = [
    said(`a lease, ${filler}`, 0),
    said('a lease, no other lease, this lease', 100),
    said(`zebra zebra, a lease, ${filler}`, 200),
    said(`a zebra, lease lease, ${filler}`, 300),
    ...Array.from({ length: 20 }, (_, index) => said(`another lease ${index}`, 400 + index * 40)),
  ]
  await heard(caller, passages, {}, '')
  expect((await textsOf(caller, 'lease'))[0]).toBe('a lease, no other lease, this lease')
  expect(await textsOf(caller, 'zebra lease')).toEqual([
    expect.stringMatching(/^zebra zebra/),
    expect.stringMatching(/^a zebra/),
  ])
})

test('a full index takes nothing more, and nothing fails', async () => {
  const caller = await newCaller()
  await heard(caller, [said('First zebra.')])
  await runInDurableObject(wordsOf(env, caller.accountId), (_: WordsObject, { storage: { sql } }) => {
    Object.defineProperty(sql, 'databaseSize', { get: () => 8e9 })
  })
  const jobId = await heard(caller, [said('Second zebra.')])
  expect(await caller.status(jobId)).toMatchObject({ status: 'completed' })
  expect(await textsOf(caller, 'zebra')).toEqual(['First zebra.'])
  const { search: size } = (await caller.callApi('GET', '/account')).body.data
  expect(size).toEqual({ bytes: 8e9, passages: 2, full: true })
})

test('what is too old to be kept is not in the index any more', async () => {
  const caller = await newCaller()
  await heard(caller, [said('A zebra.')])
  expect((await indexed(caller)).jobs).toBe(1)
  skip(100 * DAY_MS)
  await caller.account.wake()
  expect(await textsOf(caller, 'zebra')).toEqual([])
  await eventually(async () => expect((await indexed(caller)).jobs).toBe(0))
})

test.each([
  ['q=', 'q'],
  ['q=%2C%3B', 'q'],
  ['q=-word', 'q'],
  [`q=${'a%20'.repeat(21)}`, 'q'],
  [`q=${'a'.repeat(201)}`, 'q'],
  ['q=a&limit=51', 'limit'],
  ['q=a&limit=0', 'limit'],
  ['q=a&cursor=nonsense', 'cursor'],
  ['q=a&after=yesterday', 'after'],
  ['q=a&sort=oldest', 'sort'],
  ['', 'q'],
])('GET /search?%s is refused', async (query, path) => {
  const caller = await newCaller()
  const { status, body } = await caller.callApi('GET', `/search?${query}`)
  expect([status, body.code, body.details[0].path]).toEqual([400, 'INVALID_REQUEST', path])
})

test('an index that does not answer is 503, and jobs end all the same', async () => {
  const caller = await newCaller()
  await heard(caller, [said('A zebra.')])
  await runInDurableObject(wordsOf(env, caller.accountId), (object: WordsObject) => {
    vi.spyOn(object, 'search').mockRejectedValue(new Error('gone') as never)
    vi.spyOn(object, 'update').mockRejectedValue(new Error('gone'))
  })
  vi.spyOn(console, 'error').mockImplementation(() => {})
  const answer = await caller.callApi('GET', '/search?q=zebra')
  expect([answer.status, answer.body.code, answer.headers.get('retry-after')]).toEqual([
    503,
    'SERVICE_UNAVAILABLE',
    '2',
  ])
  const jobId = await heard(caller, [said('Another zebra.')])
  expect(await caller.status(jobId)).toMatchObject({ status: 'completed' })
})
