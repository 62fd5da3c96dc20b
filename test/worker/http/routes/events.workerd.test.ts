import { evictDurableObject } from 'cloudflare:test'
import { expect, onTestFinished, test } from 'vitest'
import { eventParser } from '../../../../client/src/http/read-events.ts'
import { newId } from '../../../../domain/ids.ts'
import {
  asOperator,
  type Caller,
  claimed,
  completed,
  FILM,
  fetched,
  newCaller,
  send,
  started,
} from '../../support/caller.ts'
import { skip } from '../../support/clock.ts'
import { type Message, messagesOf } from '../../support/event-stream.ts'
import { completedWithTranscript } from '../../support/transcriptions.ts'

const open = (caller: Pick<Caller, 'apiKey'>, lastEventId?: string): Promise<Response> =>
  send('GET', '/events', {
    key: caller.apiKey,
    headers: lastEventId === undefined ? {} : { 'Last-Event-ID': lastEventId },
  })

interface Stream {
  next(): Promise<Message>
  /** Its next event. Comments are skipped. */
  event(): Promise<{
    id: string
    type: string
    body: { type: string; timestamp: string; data: Record<string, unknown> }
  }>
  close(): Promise<unknown>
}

/** A stream that a client has read the first message of. */
const follow = async (caller: Pick<Caller, 'apiKey'>, lastEventId?: string): Promise<Stream & { position: string }> => {
  const messages = messagesOf(await open(caller, lastEventId))
  const close = () => messages.return(undefined)
  onTestFinished(async () => void (await close()))
  const next = async () => (await messages.next()).value ?? {}
  const event: Stream['event'] = async () => {
    for (;;) {
      const { id = '', event: type = '', data, comment } = await next()
      if (comment === undefined) return { id, type, body: JSON.parse(data ?? 'null') }
    }
  }
  const { id: position = '' } = await next()
  return { position, next, event, close }
}

test('an import is told of when it starts and when it has completed, with the body of a webhook', async () => {
  const caller = await newCaller()
  // A stream without Last-Event-ID begins with the events after it was opened.
  await completed(caller)
  const stream = await follow(caller)
  const jobId = await completed(caller)
  const startedEvent = await stream.event()
  expect(startedEvent).toEqual({
    id: expect.stringMatching(/^evt_[0-9a-z]{26}$/),
    type: 'job.started',
    body: {
      type: 'job.started',
      timestamp: expect.any(String),
      data: {
        jobId,
        status: 'running',
        phase: 'running',
        startedAt: startedEvent.body.timestamp,
        completedAt: null,
        metadata: {},
        type: 'import',
        url: FILM,
        keyId: caller.keyId,
        createdAt: expect.any(String),
      },
    },
  })
  const end = await stream.event()
  const { body: status } = await caller.get(`/import/status?id=${jobId}`)
  expect(end).toEqual({
    id: expect.stringMatching(/^evt_[0-9a-z]{26}$/),
    type: 'import.completed',
    body: { type: 'import.completed', timestamp: status.data.completedAt, data: status.data },
  })
})

test('the response is a stream that nobody caches, compresses or buffers, and its first message says that it is ready', async () => {
  const caller = await newCaller()
  const response = await open(caller)
  const messages = messagesOf(response)
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('text/event-stream')
  expect(response.headers.get('cache-control')).toBe('private, no-store, no-transform')
  expect(response.headers.get('x-accel-buffering')).toBe('no')
  expect(response.headers.get('x-ratelimit-limit')).toBe('3600')
  expect(response.headers.get('x-ratelimit-remaining')).toBe('3599')
  const { event, id, data, retry } = (await messages.next()).value ?? {}
  expect([event, id, retry]).toEqual(['ready', expect.stringMatching(/^evt_[0-9a-z]{26}$/), '1000'])
  expect(JSON.parse(data ?? '')).toEqual({ type: 'ready', timestamp: expect.any(String), data: {} })
  await messages.return(undefined)
})

test('a stream is one request, however long it is open', async () => {
  const caller = await newCaller()
  const stream = await follow(caller)
  await completed(caller)
  await stream.event()
  await stream.event()
  await caller.get('/jobs/imp_x')
  const { headers } = await caller.get('/jobs/imp_x')
  expect(headers.get('x-ratelimit-remaining')).toBe('3597')
})

test('haul-client finds no event in the first message, and its id', async () => {
  const response = await open(await newCaller())
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  const { value = '' } = (await reader?.read()) ?? {}
  expect(eventParser()(value)).toEqual([{ id: expect.stringMatching(/^evt_[0-9a-z]{26}$/) }])
  await reader?.cancel()
})

test('a client that has received no event resumes with the first message of its stream', async () => {
  const caller = await newCaller()
  const before = await follow(caller)
  await before.close()
  const jobId = await started(caller)
  // Its start is told as it was, although it is being delivered when that is read.
  await fetched(caller, jobId)
  const stream = await follow(caller, before.position)
  const data = { jobId, status: 'running', phase: 'running' }
  expect(await stream.event()).toMatchObject({ type: 'job.started', body: { data } })
  await caller.delete(`/jobs/${jobId}`)
  expect(await stream.event()).toMatchObject({ type: 'import.failed', body: { data: { jobId } } })
})

test('after a disconnect a stream resumes with the event after Last-Event-ID, also of an evicted object', async () => {
  const caller = await newCaller()
  const first = await follow(caller)
  const jobId = await completed(caller)
  const startedEvent = await first.event()
  await first.close()
  await evictDurableObject(caller.account)
  const second = await follow(caller, startedEvent.id)
  const end = await second.event()
  expect([end.type, end.body.data.jobId]).toEqual(['import.completed', jobId])
  // A start that is told later is the same as it was then, whatever the job does or has done since.
  const third = await follow(caller, first.position)
  expect(await third.event()).toEqual(startedEvent)
  expect(await third.event()).toEqual(end)
})

test('a Last-Event-ID of more than 24 hours ago begins with the oldest event of the last 24 hours', async () => {
  const caller = await newCaller()
  const { position, close } = await follow(caller)
  await close()
  await completed(caller)
  skip(25 * 3_600_000)
  const jobId = await completed(caller)
  await evictDurableObject(caller.account)
  const stream = await follow(caller, position)
  expect((await stream.event()).body.data.jobId).toBe(jobId)
})

test.each([
  '',
  'x',
  'imp_01m7y00000000000000000000x',
  'evt_',
  'evt_01m7y0000000000000000000000',
  `evt_${'u'.repeat(26)}`,
])('a Last-Event-ID of "%s" is refused', async (id) => {
  const caller = await newCaller()
  const response = await open(caller, id)
  expect([response.status, await response.json()]).toMatchObject([400, { code: 'INVALID_REQUEST' }])
  expect(response.headers.get('x-ratelimit-remaining')).toBe('3599')
})

test('a Last-Event-ID from the future is a stream from now on', async () => {
  const caller = await newCaller()
  const stream = await follow(caller, newId('event', Date.now() + 86_400_000))
  const jobId = await completed(caller)
  expect((await stream.event()).body.data.jobId).toBe(jobId)
})

test('a stream ends when its key is revoked, before the next event', async () => {
  const caller = await newCaller()
  const jobId = await started(caller)
  const response = await open(caller)
  await asOperator('DELETE', `/admin/accounts/${caller.accountId}/keys/${caller.keyId}`)
  await claimed(caller, jobId)
  expect((await response.text()).match(/^event: .*$/gm)).toEqual(['event: ready'])
})

test('an eleventh stream is refused', async () => {
  const caller = await newCaller()
  const streams: Stream[] = []
  for (let count = 0; count < 10; count++) streams.push(await follow(caller))
  const refused = await caller.get('/events')
  expect([refused.status, refused.body]).toMatchObject([
    429,
    { code: 'CONCURRENCY_LIMITED', limit: 10, remaining: 0, endpoint: '/events' },
  ])
  expect(refused.headers.get('retry-after')).toBe(`${refused.body.retryAfter}`)
  // Not counted.
  expect(refused.headers.get('x-ratelimit-remaining')).toBe('3590')
})

test('a comment is sent every 15 seconds while nothing happens', async () => {
  const caller = await newCaller()
  const stream = await follow(caller)
  for (let beats = 0; beats < 2; beats++) {
    skip(15_000)
    expect(await stream.next()).toEqual({ comment: 'heartbeat' })
  }
})

test('the id of an event is the webhook-id of its webhook', async () => {
  const caller = await newCaller()
  const stream = await follow(caller)
  const jobId = await started(caller, { webhookUrl: 'https://receiver.example/hook' })
  await caller.delete(`/jobs/${jobId}`)
  const { id, type } = await stream.event()
  expect(type).toBe('import.failed')
  const { body } = await caller.get('/webhooks/deliveries')
  expect(body.data.deliveries).toMatchObject([{ id, type: 'import.failed', jobId }])
})

test('the last item of a batch is told of before the batch', async () => {
  const caller = await newCaller()
  const stream = await follow(caller)
  const { body } = await caller.post('/batches', { urls: [FILM], import: {} })
  const { batchId } = body.data
  await caller.delete(`/batches/${batchId}`)
  const end = await stream.event()
  const { body: status } = await caller.get(`/batches/${batchId}`)
  expect(end).toMatchObject({ type: 'batch.canceled', body: { timestamp: status.data.completedAt, data: status.data } })
})

test('the transcript of a transcription is in its event, in one line', async () => {
  const segments = [{ start: 0, end: 2, text: 'A "line", {another} and \\n one more.' }]
  const { caller, text } = await completedWithTranscript(segments)
  const stream = await follow(caller, newId('event', Date.now() - 60_000))
  expect((await stream.event()).body.data).toMatchObject({ status: 'queued', type: 'transcription' })
  const { type, body } = await stream.event()
  expect(type).toBe('transcription.completed')
  expect(body.data).toMatchObject({ status: 'completed', result: { text, data: { segments } } })
})
