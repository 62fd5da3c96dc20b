import { expect, test } from 'vitest'
import { films, readBatch, readItems, startedBatch, takeTurn } from '../../support/batches.ts'
import { type Caller, claimed, completed, FILM, newCaller, send, started } from '../../support/caller.ts'
import { eventually } from '../../support/clock.ts'
import { messagesOf } from '../../support/event-stream.ts'
import { recordedJobs, rowsOf } from '../../support/tables.ts'

/** What callers note on jobs and batches. */
const metadata = { episode: '42', 'show.name': 'Ünïcode "news"', empty: '' }

const dataOf = async (caller: Caller, path: string) => (await caller.get(path)).body.data

/** The first event of a stream that has data. */
const firstOf = async (caller: Caller, path: string) => {
  const messages = messagesOf(await send('GET', path, { key: caller.apiKey }))
  for await (const { data } of messages) {
    if (!data) continue
    await messages.return(undefined)
    return JSON.parse(data)
  }
}

test('the metadata of an import comes back wherever the job does', async () => {
  const caller = await newCaller()
  const jobId = await started(caller, { metadata })
  expect(await dataOf(caller, `/import/status?id=${jobId}`)).toMatchObject({ status: 'queued', metadata })
  expect((await dataOf(caller, '/jobs')).jobs).toMatchObject([{ jobId, metadata }])
  const { lease } = await claimed(caller, jobId)
  const reason = { code: 'SOURCE_BLOCKED', message: 'Blocked.', retryable: true } as const
  await caller.account.failStep({ jobId, lease }, reason)
  await eventually(async () => expect(await recordedJobs(caller.accountId)).toMatchObject([{ id: jobId }]))
  expect(await dataOf(caller, `/jobs/${jobId}`)).toMatchObject({ status: 'failed', metadata })
  expect((await dataOf(caller, '/jobs')).jobs).toMatchObject([{ jobId, status: 'failed', metadata }])
  expect(await firstOf(caller, `/jobs/${jobId}/events`)).toMatchObject({ jobId, metadata })
  expect((await caller.delete(`/jobs/${jobId}`)).body.data).toMatchObject({ metadata })
})

test('the metadata of a transcription comes back, also when it has ended', async () => {
  const caller = await newCaller()
  const { jobId } = (await caller.post('/transcribe', { url: FILM, metadata })).body.data
  expect(await dataOf(caller, `/transcribe/status?id=${jobId}`)).toMatchObject({ status: 'queued', metadata })
  await caller.delete(`/jobs/${jobId}`)
  expect(await dataOf(caller, `/transcribe/status?id=${jobId}`)).toMatchObject({ code: 'CANCELED', metadata })
})

test('events have the metadata of their jobs and batches', async () => {
  const caller = await newCaller()
  const stream = messagesOf(await send('GET', '/events', { key: caller.apiKey }))
  const { value } = await stream.next()
  await stream.return(undefined)
  const jobId = await completed(caller, { request: { metadata } })
  const batchId = await startedBatch(caller, { metadata: { show: 'news' } })
  await caller.delete(`/batches/${batchId}`)
  const messages = messagesOf(
    await send('GET', '/events', { key: caller.apiKey, headers: { 'Last-Event-ID': value?.id ?? '' } }),
  )
  const told: object[] = []
  for await (const { event, data } of messages) {
    if (data && event !== 'ready') told.push(JSON.parse(data))
    if (told.length === 3) break
  }
  expect(told).toMatchObject([
    { type: 'job.started', data: { jobId, metadata } },
    { type: 'import.completed', data: { jobId, metadata } },
    { type: 'batch.canceled', data: { batchId, metadata: { show: 'news' } } },
  ])
})

test.each([
  ['no metadata', {}],
  ['empty metadata', { metadata: {} }],
])('with %s a job and a batch have an empty object, and nothing more is stored', async (_, changes) => {
  const caller = await newCaller()
  const jobId = await completed(caller, { request: changes })
  const batchId = await startedBatch(caller, changes)
  expect((await dataOf(caller, `/jobs/${jobId}`)).metadata).toEqual({})
  expect((await readBatch(caller, batchId)).metadata).toEqual({})
  expect(await rowsOf(caller.account, 'jobs')).toMatchObject([{ id: jobId, metadata: null }])
  const [{ request } = {}] = await rowsOf(caller.account, 'batches')
  expect(JSON.parse(`${request}`)).not.toHaveProperty('metadata')
  const [job] = await rowsOf(caller.account, 'jobs')
  expect(JSON.parse(`${job?.request}`)).not.toHaveProperty('metadata')
})

test('the jobs of a batch have its metadata, and so has its retry', async () => {
  const caller = await newCaller()
  const batchId = await startedBatch(caller, { urls: films(1), metadata })
  expect(await readBatch(caller, batchId)).toMatchObject({ metadata })
  expect((await dataOf(caller, '/batches')).batches).toMatchObject([{ batchId, metadata }])
  await takeTurn(caller, batchId, 0)
  const [{ jobId }] = await readItems(caller, batchId)
  expect(await dataOf(caller, `/jobs/${jobId}`)).toMatchObject({ metadata })
  expect((await dataOf(caller, '/jobs?metadata.episode=42')).jobs).toMatchObject([{ jobId, metadata }])
  await caller.delete(`/batches/${batchId}`)
  const retry = (await caller.post(`/batches/${batchId}/retry`, undefined)).body.data
  expect(retry.batchId).not.toBe(batchId)
  expect(await readBatch(caller, retry.batchId)).toMatchObject({ metadata })
})

test('a request with other metadata is answered with the earlier job, which keeps its own', async () => {
  const caller = await newCaller()
  const jobId = await completed(caller, { request: { metadata } })
  const again = await caller.post('/import', { url: FILM, reuseWithinSeconds: 3_600, metadata: { episode: '43' } })
  expect(again.body.data).toMatchObject({ jobId, reused: true })
  expect(await dataOf(caller, `/jobs/${jobId}`)).toMatchObject({ metadata })
  expect((await dataOf(caller, '/jobs?metadata.episode=43')).jobs).toEqual([])
})

test('an Idempotency-Key is for one metadata, as for the rest of the body', async () => {
  const caller = await newCaller()
  const start = (episode: string) =>
    caller.post('/import', { url: FILM, metadata: { episode } }, { 'idempotency-key': 'one' })
  const first = await start('1')
  expect((await start('1')).body.data.jobId).toBe(first.body.data.jobId)
  expect((await start('2')).body.code).toBe('IDEMPOTENCY_MISMATCH')
})

test.each<[string, unknown, string, string]>([
  ['a number', { episode: 42 }, 'metadata.episode', 'must be a string'],
  ['a key that would be lost', JSON.parse('{"__proto__": "1"}'), 'metadata.__proto__', 'is not a key'],
  ['a string', 'episode=42', 'metadata', 'must be an object of strings'],
])('a start with %s as metadata is refused, and the field is named', async (_, value, path, message) => {
  const caller = await newCaller()
  const bodies: [string, object][] = [
    ['/import', { url: FILM }],
    ['/transcribe', { url: FILM }],
    ['/batches', { urls: [FILM], import: {} }],
  ]
  for (const [route, body] of bodies) {
    const { status, body: refusal } = await caller.post(route, { ...body, metadata: value })
    expect([route, status, refusal.code]).toEqual([route, 400, 'INVALID_REQUEST'])
    expect(refusal.details).toEqual([{ path, message: expect.stringContaining(message) }])
  }
  expect((await dataOf(caller, '/jobs')).jobs).toEqual([])
})

test('the options of the items of a batch have no metadata of their own', async () => {
  const caller = await newCaller()
  const { status, body } = await caller.post('/batches', { urls: [FILM], import: { metadata } })
  expect([status, body.details]).toEqual([400, [{ path: 'import.metadata', message: 'is not a known field' }]])
})
