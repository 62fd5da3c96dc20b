import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import { firstPositionAt } from '../../../../domain/ids.ts'
import { READ_AT_ONCE } from '../../../../worker/listed-jobs.ts'
import { type Caller, claimed, completed, FILM, newCaller, started } from '../../support/caller.ts'
import { eventually, nextMillisecond, skip } from '../../support/clock.ts'
import { recordedJobs } from '../../support/tables.ts'

/** The filters of `GET /jobs`. */
const found = async (caller: Caller, query: Record<string, string>): Promise<string[]> => {
  const { status, body } = await caller.get(`/jobs?${new URLSearchParams(query)}`)
  expect([status, body.code]).toEqual([200, undefined])
  return body.data.jobs.map(({ jobId }: { jobId: string }) => jobId)
}

/** A job that has ended and is in D1. */
const ended = async (caller: Caller, request: object = {}): Promise<string> => {
  nextMillisecond()
  const jobId = await started(caller, request)
  const reason = { code: 'SOURCE_BLOCKED', message: 'Blocked.', retryable: true } as const
  await caller.account.failStep(await claimed(caller, jobId), reason)
  await eventually(async () => expect((await recordedJobs(caller.accountId)).map(({ id }) => id)).toContain(jobId))
  return jobId
}

const transcribed = async (caller: Caller, request: object): Promise<string> =>
  (await caller.post('/transcribe', { url: FILM, ...request })).body.data.jobId

/** Whose names and values a URL has to encode. */
const odd = { '5': 'a&b=c', 'a.b-c_D': '', constructor: 'it\'s 100 % "ü" 😀', 'metadata.x': ' ' }

test('the parameters of a list find open and ended jobs alike, newest first', async () => {
  const caller = await newCaller()
  const river = await ended(caller, {
    url: 'https://media.example/River.mp4',
    metadata: { show: 'news', episode: '1' },
  })
  skip(60_000)
  const film = await completed(caller, { request: { metadata: odd } })
  skip(60_000)
  const words = await transcribed(caller, { metadata: { show: 'news', episode: '2' } })
  skip(60_000)
  const open = await started(caller, { url: 'https://media.example/RIVERBANK.mp4', metadata: { show: 'news', ...odd } })
  const { jobs } = (await caller.get('/jobs')).body.data
  const [newest, third, second, oldest] = jobs.map(({ createdAt }: { createdAt: string }) => createdAt)
  const local = new Date(Date.parse(second) + 2 * 3_600_000).toISOString().replace('Z', '+02:00')
  const allOdd = Object.fromEntries(Object.entries(odd).map(([key, value]) => [`metadata.${key}`, value]))
  const queries: [Record<string, string>, string[]][] = [
    [{ 'metadata.show': 'news' }, [open, words, river]],
    [{ 'metadata.show': 'news', 'metadata.episode': '2' }, [words]],
    [{ 'metadata.show': 'news', type: 'import' }, [open, river]],
    [{ 'metadata.show': 'news', status: 'failed' }, [river]],
    [{ 'metadata.show': 'news', status: 'queued' }, [open, words]],
    [{ 'metadata.show': 'News' }, []],
    [{ 'metadata.season': '' }, []],
    ...Object.entries(allOdd).map(([name, value]): [Record<string, string>, string[]] => [
      { [name]: value },
      [open, film],
    ]),
    [allOdd, [open, film]],
    [{ ...allOdd, 'metadata.5': 'a' }, []],
    // From `after` on, and until before `before`.
    [{ after: second }, [open, words, film]],
    [{ after: local }, [open, words, film]],
    [{ before: second }, [river]],
    [{ after: second, before: newest }, [words, film]],
    [{ after: third, before: third }, []],
    [{ before: oldest }, []],
    [{ after: '0001-01-01T00:00:00Z', before: '9999-12-31T23:59:59Z' }, [open, words, film, river]],
    // A part of the URL or title, whatever the case.
    [{ q: 'river' }, [open, river]],
    [{ q: '  Bank.MP4 ' }, [open]],
    [{ q: 'river', status: 'failed' }, [river]],
    [{ q: 'film', type: 'import' }, [film]],
    [{ q: '%' }, []],
    [{ metadatas: 'x', 'meta.show': 'unknown parameters are ignored' }, [open, words, film, river]],
  ]
  for (const [query, jobIds] of queries) expect([query, await found(caller, query)]).toEqual([query, jobIds])
})

test('pages of a filtered list have no gaps and no duplicates, while jobs start and end', async () => {
  const caller = await newCaller()
  const wanted: string[] = []
  for (let count = 0; count < 5; count++) {
    wanted.unshift(await ended(caller, { metadata: { show: 'news', n: `${count}` } }))
    await ended(caller, { metadata: { show: 'films' } })
  }
  nextMillisecond()
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
test.each([
  ['metadata.an%20episode=x', 'metadata.an episode', key],
  ['metadata.__proto__=x', 'metadata.__proto__', key],
  ['metadata.k=1&metadata.k=2', 'metadata.k', 'must be a string'],
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
