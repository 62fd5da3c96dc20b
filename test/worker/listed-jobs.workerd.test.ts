import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import cost from '../../docs/cost.md?raw'
import { firstPositionAt, newId, positionOf } from '../../domain/ids.ts'
import type { Job } from '../../domain/jobs/job.ts'
import { isFound, type JobFilter } from '../../domain/jobs/job-filter.ts'
import { listedJob, listJobs, READ_AT_ONCE, recordJob, removeJobs } from '../../worker/listed-jobs.ts'
import { everyJob } from '../support/every-job.ts'

/** The jobs of lists, as D1 has them. Writes may arrive late and in another order: their object was restarted meanwhile. */

const page = { before: null, limit: 10 }

const jobAs = (id: string, changes: Partial<Job>): Job =>
  ({
    ...{ id, kind: 'import', state: 'queued', request: { url: 'https://media.example/film.mp4' }, createdAt: 1 },
    ...{ startedAt: null, completedAt: null, removedAt: null, result: null, failure: null, keyId: 'key_1' },
    ...changes,
  }) as Job

test('a record of a job that comes late does not undo its end, or the removal of its media', async () => {
  const accountId = newId('account', Date.now())
  const id = newId('import', Date.now())
  const listed = async () => (await listJobs(env.DB, accountId, everyJob, page)).jobs
  const ended = { state: 'completed', completedAt: 2 } as const
  await recordJob(env.DB, accountId, jobAs(id, ended))
  await recordJob(env.DB, accountId, jobAs(id, {}))
  expect(await listed()).toMatchObject([{ id, state: 'completed', completedAt: 2 }])
  await recordJob(env.DB, accountId, jobAs(id, { ...ended, removedAt: 3 }))
  await recordJob(env.DB, accountId, jobAs(id, ended))
  expect(await listed()).toMatchObject([{ id, removedAt: 3 }])
})

test('old jobs are removed by pages, and those that are kept stay', async () => {
  const accountId = newId('account', Date.now())
  const other = newId('account', Date.now())
  await env.DB.prepare(
    `INSERT INTO jobs (account_id, position, id, kind, state, url, created_at)
     SELECT account.value, printf('%05d', n.value), printf('imp_%05d_%s', n.value, account.value), 'import', 'completed', '', n.value
       FROM json_each(?) account, json_each(?) n`,
  )
    .bind(JSON.stringify([accountId, other]), JSON.stringify(Array.from({ length: 2_500 }, (_, index) => index + 1)))
    .run()
  const idsOf = async (id: string) => {
    const { results } = await env.DB.prepare('SELECT position FROM jobs WHERE account_id = ? ORDER BY position')
      .bind(id)
      .all()
    return results.map(({ position }) => position)
  }
  await removeJobs(env.DB, accountId, '02400', [`imp_00007_${accountId}`])
  const left = await idsOf(accountId)
  expect([left[0], left[1], left.length]).toEqual(['00007', '02400', 102])
  expect((await idsOf(other)).length).toBe(2_500)
})

/** The pairs in the table of metadata of an account. */
const notedIn = async (accountId: string) => {
  const query = env.DB.prepare('SELECT name, value, position FROM job_metadata WHERE account_id = ? ORDER BY 1, 2, 3')
  return (await query.bind(accountId).all()).results
}

test('what was noted on a job is written with it, once, and removed with it', async () => {
  const [accountId, other] = [newId('account', Date.now()), newId('account', Date.now())]
  const metadata = { show: 'news', '5': 'digits', 'a.b': 'a dot', empty: '', odd: '\u0000 "\ud83d\ude00' }
  const ended = { state: 'completed', completedAt: 2 } as const
  const [first, second, kept] = ['imp_a', 'trn_b', 'imp_c']
  for (const id of [first, second, kept]) await recordJob(env.DB, accountId, jobAs(id, { ...ended, metadata }))
  await recordJob(env.DB, accountId, jobAs(first, { ...ended, removedAt: 3, metadata }))
  await recordJob(env.DB, other, jobAs(first, { ...ended, metadata }))
  await recordJob(env.DB, accountId, jobAs('imp_d', ended))
  expect(await notedIn(accountId)).toHaveLength(15)
  const [plain, ...noted] = (await listJobs(env.DB, accountId, everyJob, page)).jobs
  expect(plain?.metadata).toEqual({})
  expect(noted.map((job) => job.metadata)).toEqual([metadata, metadata, metadata])
  for (const [name, value] of Object.entries(metadata)) {
    const { jobs } = await listJobs(env.DB, accountId, { ...everyJob, metadata: { [name]: value } }, page)
    expect(jobs.map(({ id }) => id)).toEqual([kept, second, first])
  }

  await removeJobs(env.DB, accountId, 'd', [kept])
  expect((await listJobs(env.DB, accountId, everyJob, page)).jobs.map(({ id }) => id)).toEqual(['imp_d', kept])
  expect(new Set((await notedIn(accountId)).map(({ position }) => position))).toEqual(new Set(['c']))
  expect(await notedIn(other)).toHaveLength(5)
})

test('jobs are searched for in titles and URLs, whatever the case', async () => {
  const accountId = newId('account', Date.now())
  const titled = (title: string | null, url: string | null): Partial<Job> =>
    ({ state: 'completed', completedAt: 2, request: { url }, result: title === null ? null : { title } }) as never
  await recordJob(env.DB, accountId, jobAs('imp_a', titled('ÜBER DEN FLUSS', 'https://media.example/River.mp4')))
  await recordJob(env.DB, accountId, jobAs('imp_b', titled('The Hill', 'https://media.example/%C3%9C')))
  await recordJob(env.DB, accountId, jobAs('trn_c', titled(null, null)))
  await recordJob(env.DB, accountId, jobAs('imp_d', titled('Ein alter FLUSS', 'https://media.example/OLD')))
  const found = async (text: string) =>
    (await listJobs(env.DB, accountId, { ...everyJob, text }, page)).jobs.map(({ id }) => id)
  expect(await found('über den')).toEqual(['imp_a'])
  expect(await found('U\u0308BER')).toEqual(['imp_a'])
  expect(await found('fluss')).toEqual(['imp_d', 'imp_a'])
  expect(await found('MEDIA.example/')).toEqual(['imp_d', 'imp_b', 'imp_a'])
  expect(await found('river.')).toEqual(['imp_a'])
  expect(await found('the hill')).toEqual(['imp_b'])
  expect(await found('%')).toEqual(['imp_b'])
  // Nothing is found across the end of the title.
  expect(await found('hillhttps')).toEqual([])
})

/** D1 with a count of the rows that its lists read. */
const counted = () => {
  const use = { rowsRead: 0 }
  const statement = (prepared: D1PreparedStatement): D1PreparedStatement =>
    ({
      bind: (...values: unknown[]) => statement(prepared.bind(...values)),
      all: async () => {
        const result = await prepared.all()
        use.rowsRead += result.meta.rows_read
        return result
      },
    }) as D1PreparedStatement
  const db = { prepare: (sql: string) => statement(env.DB.prepare(sql)) } as D1Database
  return { db, use }
}

const JOBS = 100_000
const MINUTE = 60_000
const FIRST_AT = Date.parse('2026-09-01T00:00:00Z')

/** 100,000 jobs, one a minute. All have a tenant and one of 1,000 shows; every third one is a transcription, 1 in 500 failed. */
const fill = async (): Promise<string> => {
  const accountId = newId('account', FIRST_AT)
  // The characters of a ULID's time, without one ULID for each row.
  const digits = `substr('0123456789abcdefghjkmnpqrstvwxyz', (at >> ?) % 32 + 1, 1)`
  const time = Array.from({ length: 10 }, (_, index) => digits.replace('?', `${45 - 5 * index}`)).join(' || ')
  const noted = "json_object('tenant', 'acme', 'show', 'show-' || (n % 1000), 'episode', 'e' || n)"
  const numbers = `WITH RECURSIVE numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${JOBS - 1}),
    rows AS (SELECT n, at, ${time} || printf('%016d', n) AS position FROM (SELECT n, ${FIRST_AT} + n * ${MINUTE} AS at FROM numbers))`
  await env.DB.prepare(
    `INSERT INTO jobs (account_id, position, id, kind, state, url, title, created_at, completed_at, metadata) ${numbers}
     SELECT ?1, position, iif(n % 3, 'imp_', 'trn_') || position, iif(n % 3, 'import', 'transcription'),
            iif(n % 500, 'completed', 'failed'), 'https://media.example/film-' || n || '.mp4', 'Film ' || n, at, at, ${noted}
       FROM rows`,
  )
    .bind(accountId)
    .run()
  await env.DB.prepare(
    `INSERT INTO job_metadata (account_id, name, value, position)
     SELECT account_id, noted.key, noted.value, position FROM jobs, json_each(metadata) AS noted WHERE account_id = ?`,
  )
    .bind(accountId)
    .run()
  return accountId
}

let filled: Promise<string> | null = null
const filledAccount = (): Promise<string> => {
  filled ??= fill()
  return filled
}

/** `| what | rows read |` in docs/cost.md. */
const documentedRows = (what: string): number => {
  const line = cost.split('\n').find((each) => each.startsWith(`| ${what} |`))
  return Number(line?.split('|')[2]?.replace(',', ''))
}

test('lists read the rows of D1 that docs/cost.md says, with 100,000 jobs in the account', async () => {
  const accountId = await filledAccount()
  const at = (n: number): number => FIRST_AT + n * MINUTE
  const rowsRead: [string, number][] = []
  /** A page of 20, with the one more that tells whether another follows. `most`: the most rows that it may read. */
  const read = async (
    what: string,
    filter: Partial<JobFilter>,
    { expected, most, before = null }: { expected: number[]; most: number; before?: string | null },
  ) => {
    const { db, use } = counted()
    const { jobs } = await listJobs(db, accountId, { ...everyJob, ...filter }, { before, limit: 21 })
    expect([what, jobs.map(({ title }) => Number(title?.slice(5)))]).toEqual([what, expected])
    rowsRead.push([what, use.rowsRead])
    expect([what, Math.max(use.rowsRead, most)]).toEqual([what, most])
  }
  const down = (from: number, step = 1): number[] => Array.from({ length: 21 }, (_, index) => from - index * step)

  const last = JOBS - 1
  await read('no filter', {}, { expected: down(last), most: 22 })
  const deep = firstPositionAt(at(50_000))
  await read('no filter, the 2,500th page', {}, { before: deep, expected: down(49_999), most: 22 })
  await read('`type`', { kind: 'transcription' }, { expected: down(last, 3), most: 64 })
  // They are read to look for matches, and once more to find where that ended.
  const most = 2 * READ_AT_ONCE
  await read('`status`, which 1 in 500 has', { state: 'failed' }, { expected: down(99_500, 500).slice(0, 9), most })
  const one = { episode: 'e77' }
  await read('`metadata`, which one job has', { metadata: one }, { expected: [77], most: 8 })
  const all = { tenant: 'acme' }
  await read('`metadata`, which all have', { metadata: all }, { expected: down(last), most: 66 })
  await read(
    'two of `metadata`, which one and all have',
    { metadata: { ...all, ...one } },
    { expected: [77], most: 1_100 },
  )
  const neither = { show: 'show-7', episode: 'e78' }
  await read('two of `metadata`, which no job has together', { metadata: neither }, { expected: [], most: 200 })
  const range = { createdFrom: at(50_007), createdBefore: at(90_007) }
  const shows = { metadata: { show: 'show-7' }, ...range }
  await read('`metadata`, `after` and `before`', shows, { expected: down(89_007, 1_000), most: 66 })
  await read('`after` and `before`', range, { expected: down(90_006), most: 30 })
  const minutes = { createdFrom: at(10), createdBefore: at(13) }
  await read('`after` and `before`, three minutes', minutes, { expected: [12, 11, 10], most: 30 })
  await read('`q`, which only the oldest job has: each of 20 pages', { text: 'FILM-0.' }, { expected: [], most })

  console.info('rows that a list reads in D1:', JSON.stringify(rowsRead))
  expect(rowsRead).toEqual(rowsRead.map(([what]) => [what, documentedRows(what)]))
})

test.each<[string, Partial<JobFilter>, number]>([
  ['a state', { state: 'failed' }, 200],
  ['a text that one job has', { text: 'film-0.' }, 1],
  ['a key that no job has', { keyId: 'key_9' }, 0],
  ['metadata that all have, and a text', { metadata: { tenant: 'acme' }, text: 'film-77' }, 1_111],
])('a list by %s finds all jobs in pages, each of which reads a bounded number of rows', async (_, filter, count) => {
  const accountId = await filledAccount()
  const found: string[] = []
  for (let before: string | null = null; ; ) {
    const { db, use } = counted()
    const { jobs, readTo } = await listJobs(db, accountId, { ...everyJob, ...filter }, { before, limit: 100 })
    expect(use.rowsRead).toBeLessThanOrEqual(3 * READ_AT_ONCE)
    found.push(...jobs.map(({ id }) => positionOf(id)))
    const last = jobs.length === 100 ? found.at(-1) : readTo
    if (last == null) break
    expect(before === null || last < before).toBe(true)
    before = last
  }
  expect([found.length, new Set(found).size]).toEqual([count, count])
  expect(found).toEqual([...found].sort().reverse())
})

test('D1 finds the jobs that the account finds among its open ones', async () => {
  const accountId = newId('account', FIRST_AT)
  const jobs = Array.from({ length: 40 }, (_, n) => {
    const at = FIRST_AT + n * MINUTE
    // Ids are made by another machine than the time of the creation.
    const id = newId(n % 3 ? 'import' : 'transcription', at + (n % 5) * 30_000 - 60_000)
    const metadata = n % 4 ? { metadata: { show: `${n % 4}`, [`n${n}`]: 'x', n: `${n}` } } : {}
    const result = { title: n % 2 ? `Größe ${n}` : `Size ${n}` }
    const url = n % 7 ? `https://media.example/Ä${n}` : null
    const state = n % 6 ? 'completed' : 'failed'
    const keyId = n % 5 ? `key_${n % 3}` : null
    return jobAs(id, { state, createdAt: at, completedAt: at, result, request: { url }, keyId, ...metadata } as never)
  })
  for (const job of jobs) await recordJob(env.DB, accountId, job)
  const filters: Partial<JobFilter>[] = [
    {},
    { kind: 'import', state: 'failed' },
    { createdFrom: FIRST_AT + 10 * MINUTE },
    { createdBefore: FIRST_AT + 10 * MINUTE },
    { createdFrom: FIRST_AT + 10 * MINUTE + 1, createdBefore: FIRST_AT + 30 * MINUTE + 1, text: 'GRÖSSE 1' },
    { text: 'größe 1' },
    { text: 'ä1', kind: 'import' },
    { text: 'size', createdBefore: 0 },
    { createdFrom: FIRST_AT - 10 * 365 * 1_440 * MINUTE, createdBefore: 8e15 },
    { metadata: { show: '1' } },
    { metadata: { show: '1', n: '5' } },
    { metadata: { show: '1', n: '6' } },
    { metadata: { show: '3', n11: 'x', n: '11' }, state: 'completed' },
    { metadata: { show: '2' }, kind: 'transcription', text: 'SIZE', createdFrom: FIRST_AT + 7 * MINUTE },
    { keyId: 'key_1' },
    { keyId: 'key_1', metadata: { show: '1' } },
    { keyId: 'key_9' },
    { metadata: { constructor: 'x' } },
    { metadata: { show: '' } },
  ]
  for (const changes of filters) {
    const filter = { ...everyJob, ...changes }
    const { jobs: found } = await listJobs(env.DB, accountId, filter, { before: null, limit: 100 })
    const expected = jobs.map(listedJob).filter((job) => isFound(job, filter))
    expect([changes, found.map(({ id }) => id).sort()]).toEqual([changes, expected.map(({ id }) => id).sort()])
  }
})

test('the row of an import says when its media expires, however long it is stored', async () => {
  const accountId = newId('account', Date.now())
  const id = newId('import', Date.now())
  const result = { title: 'film', costMicros: 1, expiresAt: 5_000 }
  await recordJob(env.DB, accountId, jobAs(id, { state: 'completed', completedAt: 2, result: result as never }))
  expect((await listJobs(env.DB, accountId, everyJob, page)).jobs).toMatchObject([{ id, expiresAt: 5_000 }])
})
