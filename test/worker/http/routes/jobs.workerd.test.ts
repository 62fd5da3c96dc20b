import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import { RETENTION_DAYS } from '../../../../domain/limits.ts'
import { DAY_MS } from '../../../../domain/time.ts'
import { type Caller, claimed, completed, FILM, fetched, newCaller, send, started } from '../../support/caller.ts'
import { eventually, nextMillisecond, skip } from '../../support/clock.ts'
import { messagesOf } from '../../support/event-stream.ts'
import { recordedJobs } from '../../support/tables.ts'

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

/** A job is added to the directory after the response. */
const listed = (caller: Caller, query: string, expected: string[]) =>
  eventually(async () => {
    const { body } = await caller.get(`/jobs${query}`)
    expect(body.data.jobs.map(({ jobId }: { jobId: string }) => jobId)).toEqual(expected)
    return body.data
  })

interface Listed {
  jobId: string
  status: string
}

const transcribed = async (caller: Caller): Promise<string> =>
  (await caller.post('/transcribe', { url: FILM })).body.data.jobId

test('jobs of both types are listed newest first, with their results, and by type', async () => {
  const caller = await newCaller()
  const done = await completed(caller)
  nextMillisecond()
  const waiting = await started(caller)
  nextMillisecond()
  const words = await transcribed(caller)
  const { jobs, nextCursor } = await listed(caller, '', [words, waiting, done])
  expect(nextCursor).toBeNull()
  expect(jobs[2]).toEqual({
    jobId: done,
    type: 'import',
    status: 'completed',
    url: FILM,
    title: 'film',
    createdAt: expect.stringMatching(ISO),
    startedAt: expect.stringMatching(ISO),
    completedAt: expect.stringMatching(ISO),
    removedAt: null,
    costInDollars: 0.00001,
    code: null,
    metadata: {},
    keyId: caller.keyId,
  })
  expect(jobs[0]).toMatchObject({ jobId: words, type: 'transcription', status: 'queued', costInDollars: null })
  await listed(caller, '?type=import', [waiting, done])
  await listed(caller, '?type=transcription', [words])
})

test('a list has each job from its acceptance on in its current state, whatever D1 has of it', async () => {
  const caller = await newCaller()
  const states = async (query = '') =>
    (await caller.get(`/jobs${query}`)).body.data.jobs.map(({ jobId, status }: Listed) => [jobId, status])
  const done = await completed(caller)
  nextMillisecond()
  const jobId = await started(caller)
  expect(await states()).toEqual([
    [jobId, 'queued'],
    [done, 'completed'],
  ])
  const lease = await claimed(caller, jobId)
  expect(await states('?status=running')).toEqual([[jobId, 'running']])
  expect(await states('?status=queued')).toEqual([])
  const words = await transcribed(caller)
  await caller.account.claim(words, 'captions')
  expect(await states('?status=queued')).toEqual([[words, 'queued']])
  await caller.account.failStep(lease, { code: 'SOURCE_BLOCKED', message: 'Blocked.', retryable: true })
  expect(await states('?status=failed')).toEqual([[jobId, 'failed']])
  expect(await states('?status=running')).toEqual([])
})

test('a job of either type says its phase until it ends, in its status and in the list', async () => {
  const caller = await newCaller()
  const phases = async (jobId: string, path: string) => {
    const { jobs } = (await caller.get('/jobs')).body.data
    const shown = [jobs.find((job: Listed) => job.jobId === jobId)]
    for (const from of [`/jobs/${jobId}`, path]) shown.push((await caller.get(from)).body.data)
    return [...new Set(shown.map(({ phase }) => phase))]
  }
  const film = await started(caller)
  const ofFilm = () => phases(film, `/import/status?id=${film}`)
  expect(await ofFilm()).toEqual(['waiting'])
  await fetched(caller, film)
  expect(await ofFilm()).toEqual(['delivering'])
  await caller.delete(`/jobs/${film}`)
  expect(await ofFilm()).toEqual([undefined])

  const words = await transcribed(caller)
  const ofWords = () => phases(words, `/transcribe/status?id=${words}`)
  expect(await ofWords()).toEqual(['waiting'])
  await caller.account.claim(words, 'captions')
  expect(await ofWords()).toEqual(['running'])
  expect((await caller.get(`/jobs/${words}`)).body.data).toMatchObject({ status: 'queued', phase: 'running' })
  await caller.delete(`/jobs/${words}`)
  expect(await ofWords()).toEqual([undefined])
})

test('pages have no gaps and no duplicates while jobs of the page are open', async () => {
  const caller = await newCaller()
  const ids: string[] = []
  for (let i = 0; i < 3; i++) ids.unshift(await completed(caller, { hasThumbnail: false }))
  await eventually(async () => expect(await recordedJobs(caller.accountId)).toHaveLength(3))
  ids.unshift(await started(caller), await transcribed(caller))
  ids.sort((one, other) => (one.slice(4) < other.slice(4) ? 1 : -1))
  const seen: string[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { data }: { data: { jobs: Listed[]; nextCursor: string | null } } = (
      await caller.get(`/jobs?limit=2&cursor=${cursor}`)
    ).body
    seen.push(...data.jobs.map(({ jobId }) => jobId))
    cursor = data.nextCursor
  }
  expect(seen).toEqual(ids)
})

test('an expired import is listed as removed', async () => {
  const caller = await newCaller()
  const jobId = await completed(caller)
  skip(RETENTION_DAYS * DAY_MS)
  const [job] = (await caller.get('/jobs')).body.data.jobs
  expect(job).toMatchObject({ jobId, removedAt: expect.stringMatching(ISO) })
})

test.each(['?type=video', '?status=done', '?limit=0', '?limit=101', '?limit=ten', '?limit=1.5'])(
  'a list with %s is refused',
  async (query) => {
    const { status, body } = await (await newCaller()).get(`/jobs${query}`)
    expect([status, body.code]).toEqual([400, 'INVALID_REQUEST'])
  },
)

test('a job has its type, URL and creation time', async () => {
  const caller = await newCaller()
  const jobId = await started(caller)
  const { status, body } = await caller.get(`/jobs/${jobId}`)
  expect(status).toBe(200)
  expect(body.data).toEqual({
    jobId,
    status: 'queued',
    phase: 'waiting',
    startedAt: null,
    completedAt: null,
    metadata: {},
    type: 'import',
    url: FILM,
    keyId: caller.keyId,
    createdAt: expect.stringMatching(ISO),
  })
})

test('a job of another account cannot be read, followed, deleted or listed', async () => {
  const [owner, other] = [await newCaller(), await newCaller()]
  const jobId = await started(owner)
  for (const response of [
    await other.get(`/jobs/${jobId}`),
    await other.get(`/jobs/${jobId}/events`),
    await other.delete(`/jobs/${jobId}`),
  ]) {
    expect([response.status, response.body.code]).toEqual([404, 'JOB_NOT_FOUND'])
  }
  await listed(owner, '', [jobId])
  await listed(other, '', [])
  expect((await owner.get(`/jobs/${jobId}`)).body.data.status).toBe('queued')
})

test('deleting a queued or running job cancels it and releases its hold, once', async () => {
  const caller = await newCaller()
  const [waiting, running] = [await started(caller), await started(caller)]
  await claimed(caller, running)
  for (const jobId of [waiting, running]) {
    const { status, body } = await caller.delete(`/jobs/${jobId}`)
    expect([status, body.data.status, body.data.code]).toEqual([200, 'failed', 'CANCELED'])
    const again = await caller.delete(`/jobs/${jobId}`)
    expect([again.status, again.body.data]).toEqual([200, body.data])
  }
  expect((await caller.get('/account')).body.data).toMatchObject({ balanceDollars: 10, heldDollars: 0 })
})

test('deleting a completed job removes its media and keeps its record', async () => {
  const caller = await newCaller()
  const jobId = await completed(caller)
  const { status, body } = await caller.delete(`/jobs/${jobId}`)
  expect([status, body.data.status]).toEqual([200, 'completed'])
  await eventually(async () => expect((await env.MEDIA.list({ prefix: `media/${jobId}/` })).objects).toEqual([]))
  expect((await caller.get('/account')).body.data.balanceDollars).toBe(9.99999)
})

test('with cancelOnly, a running job is canceled and a completed one keeps its media', async () => {
  const caller = await newCaller()
  const [running, ended] = [await started(caller), await completed(caller)]
  const canceled = await caller.delete(`/jobs/${running}?cancelOnly=1`)
  expect([canceled.status, canceled.body.data.code]).toEqual([200, 'CANCELED'])
  const kept = await caller.delete(`/jobs/${ended}?cancelOnly=1`)
  expect([kept.status, kept.body.data.status, kept.body.data.removedAt]).toEqual([200, 'completed', undefined])
  expect((await env.MEDIA.list({ prefix: `media/${ended}/` })).objects).not.toEqual([])
  expect((await caller.delete(`/jobs/${ended}?cancelOnly=yes`)).status).toBe(400)
})

interface Event {
  event: string
  id: number
  data: { jobId: string; status: string; progress?: { percent: number } }
}

/** Heartbeats are comments, which have no data. */
async function* eventsOf(response: Response): AsyncGenerator<Event> {
  for await (const { event = '', id, data } of messagesOf(response)) {
    if (data !== undefined) yield { event, id: Number(id), data: JSON.parse(data) }
  }
}

test('the event stream follows the job and closes when it ends', async () => {
  const caller = await newCaller()
  const jobId = await started(caller)
  const response = await send('GET', `/jobs/${jobId}/events`, { key: caller.apiKey })
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream'])
  const events = eventsOf(response)
  const next = async (): Promise<Event> => (await events.next()).value

  const queued = await next()
  expect([queued.event, queued.data.status]).toEqual(['job', 'queued'])
  const lease = await claimed(caller, jobId)
  expect((await next()).data.status).toBe('running')
  const report = { stage: 'downloading', downloadedBytes: 1, totalBytes: null, bytesPerSecond: null } as const
  for (const percent of [20, 70]) {
    await caller.account.progress(lease, { ...report, percent })
    const running = await next()
    expect([running.data.status, running.data.progress?.percent]).toEqual(['running', percent])
    expect(running.id).toBeGreaterThan(queued.id)
  }
  await caller.account.failStep(lease, { code: 'SOURCE_BLOCKED', message: 'Blocked.', retryable: true })
  expect((await next()).data).toMatchObject({ jobId, status: 'failed', code: 'SOURCE_BLOCKED', url: FILM })
  expect((await events.next()).done).toBe(true)
})

test('the event stream of an ended job has one event, and a stream after it is a 204, which ends EventSource', async () => {
  const caller = await newCaller()
  const jobId = await completed(caller)
  const resume = (lastEventId: string) =>
    send('GET', `/jobs/${jobId}/events`, { key: caller.apiKey, headers: { 'Last-Event-ID': lastEventId } })
  const events = eventsOf(await resume('0'))
  const { value } = await events.next()
  expect(value).toMatchObject({ event: 'job', data: { jobId, status: 'completed' } })
  expect((await events.next()).done).toBe(true)
  const { status, body } = await resume(`${value.id}`)
  expect([status, body]).toEqual([204, null])
})

test('the stream of a job that has not ended goes on, whatever the Last-Event-ID is', async () => {
  const caller = await newCaller()
  const jobId = await started(caller)
  const open = (headers = {}) => send('GET', `/jobs/${jobId}/events`, { key: caller.apiKey, headers })
  const first = eventsOf(await open())
  const { id } = (await first.next()).value
  await first.return(undefined)
  const second = await open({ 'Last-Event-ID': `${id}` })
  expect(second.status).toBe(200)
  const events = eventsOf(second)
  expect((await events.next()).value.data.status).toBe('queued')
  await events.return(undefined)
})

test('a comment is sent every 15 seconds while a job does not change, and then its next change', async () => {
  const caller = await newCaller()
  const jobId = await started(caller)
  const messages = messagesOf(await send('GET', `/jobs/${jobId}/events`, { key: caller.apiKey }))
  const next = async () => (await messages.next()).value
  expect(await next()).toMatchObject({ event: 'job' })
  for (let beats = 0; beats < 2; beats++) {
    skip(15_000)
    expect(await next()).toEqual({ comment: 'heartbeat' })
  }
  await caller.delete(`/jobs/${jobId}`)
  expect(JSON.parse((await next())?.data ?? '')).toMatchObject({ jobId, status: 'failed', code: 'CANCELED' })
  expect((await messages.next()).done).toBe(true)
})
