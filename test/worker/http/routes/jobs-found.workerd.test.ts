import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import { firstPositionAt } from '../../../../domain/ids.ts'
import { READ_AT_ONCE } from '../../../../worker/listed-jobs.ts'
import { type Caller, claimed, completed, FILM, newCaller, started } from '../../support/caller.ts'
import { eventually, skip } from '../../support/clock.ts'
import { recordedJobs } from '../../support/tables.ts'

/** The filters of `GET /jobs`. */
const found = async (caller: Caller, query: Record<string, string> | string): Promise<string[]> => {
  const { status, body } = await caller.get(`/jobs?${new URLSearchParams(query)}`)
  expect([status, body.code]).toEqual([200, undefined])
  return body.data.jobs.map(({ jobId }: { jobId: string }) => jobId)
}

/** A job that has ended and is in D1. */
const ended = async (caller: Caller, request: object = {}): Promise<string> => {
  const jobId = await started(caller, request)
  const reason = { code: 'SOURCE_BLOCKED', message: 'Blocked.', retryable: true } as const
  await caller.account.failStep(await claimed(caller, jobId), reason)
  await eventually(async () => expect((await recordedJobs(caller.accountId)).map(({ id }) => id)).toContain(jobId))
  return jobId
}

const transcribed = async (caller: Caller, request: object): Promise<string> =>
  (await caller.post('/transcribe', { url: FILM, ...request })).body.data.jobId

test('jobs are found by their metadata, open and ended ones alike, newest first', async () => {
  const caller = await newCaller()
  const one = await ended(caller, { metadata: { show: 'news', episode: '1' } })
  const two = await ended(caller, { metadata: { show: 'news', episode: '2' } })
  await ended(caller, { metadata: { show: 'films' } })
  await ended(caller)
  const open = await started(caller, { metadata: { show: 'news', episode: '3' } })
  const words = await transcribed(caller, { metadata: { show: 'news', episode: '2' } })
  await started(caller, { metadata: { show: 'films' } })
  expect(await found(caller, { 'metadata.show': 'news' })).toEqual([words, open, two, one])
  expect(await found(caller, { 'metadata.show': 'news', 'metadata.episode': '2' })).toEqual([words, two])
  expect(await found(caller, { 'metadata.show': 'news', type: 'import' })).toEqual([open, two, one])
  expect(await found(caller, { 'metadata.show': 'news', status: 'failed' })).toEqual([two, one])
  expect(await found(caller, { 'metadata.show': 'news', status: 'queued' })).toEqual([words, open])
  expect(await found(caller, { 'metadata.show': 'News' })).toEqual([])
  expect(await found(caller, { 'metadata.season': '' })).toEqual([])
})

test('odd keys and values are found as they were noted', async () => {
  const caller = await newCaller()
  const metadata = { '5': 'a&b=c', 'a.b-c_D': '', constructor: 'it\'s 100 % "ü" 😀', 'metadata.x': ' ' }
  const done = await ended(caller, { metadata })
  const open = await started(caller, { metadata })
  await started(caller, {})
  for (const [key, value] of Object.entries(metadata)) {
    expect(await found(caller, { [`metadata.${key}`]: value })).toEqual([open, done])
  }
  const all = Object.fromEntries(Object.entries(metadata).map(([key, value]) => [`metadata.${key}`, value]))
  expect(await found(caller, all)).toEqual([open, done])
  expect(await found(caller, { ...all, 'metadata.5': 'a' })).toEqual([])
})

test('jobs are found by the time of their creation: from `after` on, and until before `before`', async () => {
  const caller = await newCaller()
  const ids: string[] = []
  for (let count = 0; count < 3; count++) {
    ids.unshift(await ended(caller))
    skip(60_000)
  }
  ids.unshift(await started(caller))
  const { jobs } = (await caller.get('/jobs')).body.data
  const [newest, third, second, oldest] = jobs.map(({ createdAt }: { createdAt: string }) => createdAt)
  expect(await found(caller, { after: second })).toEqual(ids.slice(0, 3))
  expect(await found(caller, { before: second })).toEqual(ids.slice(3))
  expect(await found(caller, { after: second, before: newest })).toEqual(ids.slice(1, 3))
  expect(await found(caller, { after: newest })).toEqual(ids.slice(0, 1))
  expect(await found(caller, { before: oldest })).toEqual([])
  expect(await found(caller, { after: third, before: third })).toEqual([])
  const local = new Date(Date.parse(second) + 2 * 3_600_000).toISOString().replace('Z', '+02:00')
  expect(await found(caller, { after: local })).toEqual(ids.slice(0, 3))
  expect(await found(caller, { after: '0001-01-01T00:00:00Z', before: '9999-12-31T23:59:59Z' })).toEqual(ids)
})

test('jobs are found by a part of their URL or title, whatever the case', async () => {
  const caller = await newCaller()
  const river = await ended(caller, { url: 'https://media.example/River.mp4' })
  const film = await completed(caller)
  const open = await started(caller, { url: 'https://media.example/RIVERBANK.mp4' })
  expect(await found(caller, { q: 'river' })).toEqual([open, river])
  expect(await found(caller, { q: '  Bank.MP4 ' })).toEqual([open])
  expect(await found(caller, { q: 'river', status: 'failed' })).toEqual([river])
  expect(await found(caller, { q: 'MEDIA.example/', type: 'transcription' })).toEqual([])
  // The title of the film, which its URL has too.
  expect(await found(caller, { q: 'film' })).toEqual([film])
  expect(await found(caller, { q: '%' })).toEqual([])
})

test('pages of a filtered list have no gaps and no duplicates, while jobs start and end', async () => {
  const caller = await newCaller()
  const wanted: string[] = []
  for (let count = 0; count < 5; count++) {
    wanted.unshift(await ended(caller, { metadata: { show: 'news', n: `${count}` } }))
    await ended(caller, { metadata: { show: 'films' } })
  }
  const open = await started(caller, { metadata: { show: 'news' } })
  wanted.unshift(open)
  await started(caller, { metadata: { show: 'films' } })
  const seen: string[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const query = new URLSearchParams({ 'metadata.show': 'news', q: 'media', limit: '2', cursor })
    const { jobs, nextCursor } = (await caller.get(`/jobs?${query}`)).body.data
    expect(jobs.length).toBeLessThanOrEqual(2)
    seen.push(...jobs.map(({ jobId }: { jobId: string }) => jobId))
    if (cursor === '') await caller.delete(`/jobs/${open}`)
    cursor = nextCursor
  }
  expect(seen).toEqual(wanted)
})

/** Ended jobs of the account, created one a millisecond from now on. */
const plantJobs = async ({ accountId }: Caller, count: number): Promise<string[]> => {
  const now = Date.now()
  const positions = Array.from({ length: count }, (_, n) => `${firstPositionAt(now + n + 1)}${'0'.repeat(16)}`)
  await env.DB.prepare(
    `INSERT INTO jobs (account_id, position, id, kind, state, url, created_at)
     SELECT ?, value, 'imp_' || value, 'import', 'failed', 'https://media.example/' || key, ? FROM json_each(?)`,
  )
    .bind(accountId, now, JSON.stringify(positions))
    .run()
  return positions.map((position) => `imp_${position}`)
}

test('a page that has read many jobs is empty if none of them matches, and its cursor goes on to those that do', async () => {
  const caller = await newCaller()
  const open = await started(caller, { url: 'https://media.example/0.mp4' })
  const [oldest] = await plantJobs(caller, READ_AT_ONCE + 1)
  const { body } = await caller.get('/jobs?q=example/0')
  expect(body.data).toEqual({ jobs: [], nextCursor: expect.stringMatching(/^imp_/) })
  const next = await caller.get(`/jobs?q=example/0&cursor=${body.data.nextCursor}`)
  expect(next.body.data).toMatchObject({ jobs: [{ jobId: oldest }, { jobId: open }], nextCursor: null })
})

test('the jobs of another account are never found', async () => {
  const [caller, other] = [await newCaller(), await newCaller()]
  const metadata = { show: 'news' }
  const mine = await ended(caller, { metadata })
  await ended(other, { metadata })
  await started(other, { metadata })
  for (const query of [{ 'metadata.show': 'news' }, { q: 'film' }, { after: '2000-01-01T00:00:00Z' }]) {
    expect(await found(caller, query)).toEqual([mine])
  }
  expect(await found(await newCaller(), { 'metadata.show': 'news' })).toEqual([])
})

const key = 'is not a key: 1 to 40 letters, digits, _, . and -'
const time = 'must be an ISO 8601 time such as 2026-11-21T09:00:00Z'
const tooMany = Array.from({ length: 21 }, (_, index) => `metadata.k${index}=x`).join('&')

test.each([
  ['metadata.=x', 'metadata.', key],
  ['metadata.an%20episode=x', 'metadata.an episode', key],
  ['metadata.__proto__=x', 'metadata.__proto__', key],
  [`metadata.${'k'.repeat(41)}=x`, `metadata.${'k'.repeat(41)}`, key],
  [`metadata.k=${'v'.repeat(501)}`, 'metadata.k', 'must have at most 500 characters'],
  ['metadata.k=1&metadata.k=2', 'metadata.k', 'must be a string'],
  [tooMany, 'metadata', 'must have at most 20 keys'],
  ['metadata=episode', 'metadata', 'is given as metadata.KEY=VALUE'],
  ['after=yesterday', 'after', time],
  ['after=2026-11-21', 'after', time],
  ['before=2026-11-21T09:00:00', 'before', time],
  ['before=2026-02-30T09:00:00Z', 'before', time],
  ['q=', 'q', 'must not be empty'],
  ['q=%20', 'q', 'must not be empty'],
  [`q=${'x'.repeat(201)}`, 'q', 'must have at most 200 characters'],
])('a list with %s is refused, and the parameter is named', async (query, path, message) => {
  const { status, body } = await (await newCaller()).get(`/jobs?${query}`)
  expect([status, body.code]).toEqual([400, 'INVALID_REQUEST'])
  expect(body.details).toEqual([{ path, message }])
})

test('other parameters are ignored, as before', async () => {
  const caller = await newCaller()
  const jobId = await started(caller)
  expect(await found(caller, { metadatas: 'x', 'meta.show': 'news' })).toEqual([jobId])
})
