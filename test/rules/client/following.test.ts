import { afterEach, expect, test, vi } from 'vitest'
import { HaulJobError, HaulTimeoutError } from '../../../client/src/index.ts'
import {
  type Answer,
  completed,
  data,
  failed,
  hang,
  jobId,
  queued,
  refused,
  running,
  scriptedService,
  started,
  stream,
} from './scripted-service.ts'

const service = scriptedService()
const events = `GET /jobs/${jobId}/events`
const status = 'GET /import/status'
const url = 'https://example.com/film'

afterEach(() => vi.useRealTimers())

const importing = (options = {}) => {
  service.on('POST /import', started)
  return service.client().import(url, options)
}

test('progress is reported when it changes, and the result is the one of the ended job', async () => {
  service.on(events, stream([queued, running(10), running(10), running(60), completed]))
  const reported: unknown[] = []
  const result = await importing({ onProgress: (progress: unknown) => reported.push(progress) })
  expect(result).toEqual({ jobId, title: 'A film', mediaUrl: 'https://haul/media' })
  const rates = { bytesPerSecond: 100, etaSeconds: 3 }
  expect(reported).toEqual([
    { stage: 'queued', percent: null, bytesPerSecond: null, etaSeconds: null },
    { stage: 'downloading', percent: 10, ...rates },
    { stage: 'downloading', percent: 60, ...rates },
  ])
})

test('a failed job is thrown with its code, and what a transcription would cost', async () => {
  const quote = { estimatedMinutes: 5, estimatedCostDollars: 0.03 }
  service.on(events, stream([{ ...failed, quote }]))
  const error = await importing().catch((thrown) => thrown)
  expect(error).toBeInstanceOf(HaulJobError)
  expect(error).toMatchObject({ jobId, code: 'NO_AUDIO', message: 'No sound.', retryable: false, quote })
})

const limited = refused(429, 'RATE_LIMITED', { retryAfter: 0 })

test.each([
  ['again by the stream after it has ended', [stream([running(10)]), stream([running(60), completed])], [], 2],
  ['again by the stream after it broke', [stream([running(10)], 'drop'), stream([running(60), completed])], [], 2],
  ['by long polls when streams break again and again', [stream([running(10)], 'drop')], [data(completed)], 4],
  ['by long polls that wait for the rate limit of streams', [limited], [limited, data(completed)], 1],
])('a job is followed %s', async (_, streams, polls, opened) => {
  service.on(events, ...streams)
  service.on(status, ...polls)
  const percents: unknown[] = []
  const onProgress = ({ percent }: { percent: unknown }) => percents.push(percent)
  expect(await importing(polls.length > 0 ? {} : { onProgress })).toMatchObject({ title: 'A film' })
  expect(percents).toEqual(polls.length > 0 ? [] : [10, 60])
  expect(service.received(events)).toHaveLength(opened)
  expect(service.received(status).map(({ query }) => query)).toEqual(polls.map(() => ({ id: jobId, wait: '30' })))
})

test('a proxy that holds the stream back is noticed after ten seconds, and long polls are used', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  service.on(events, hang)
  service.on(status, data(completed))
  const imported = importing()
  await service.requested(events)
  await vi.advanceTimersByTimeAsync(10_000)
  expect(await imported).toMatchObject({ title: 'A film' })
})

test('a stream that has been silent for 45 seconds is opened again', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  service.on(events, stream([running(10)], 'hang'), stream([completed]))
  const seen = Promise.withResolvers<void>()
  const imported = importing({ onProgress: () => seen.resolve() })
  await seen.promise
  await vi.advanceTimersByTimeAsync(45_000)
  await vi.advanceTimersByTimeAsync(1)
  expect(await imported).toMatchObject({ title: 'A film' })
})

const batch = (status: string, completed: number) => {
  const counts = { total: 3, waiting: 0, running: 3 - completed, completed, failed: 0, skipped: 0 }
  return { batchId: 'bat_1', status, counts }
}
const batches = [batch('queued', 0), batch('running', 0), batch('running', 0), batch('completed', 3)]

test.each([
  ['by its stream', [stream(batches)], [], [0, 0, 0, 3]],
  ['by polls where there is no stream', [refused(404, 'NOT_FOUND')], [data(batches[3])], [3]],
])('a batch is followed %s', async (_, streams, polls, completed) => {
  service.on('GET /batches/bat_1/events', ...streams)
  service.on('GET /batches/bat_1', ...polls)
  const told: number[] = []
  const reported: unknown[] = []
  const ended = await service.client().batches.wait('bat_1', {
    onChange: ({ counts }) => told.push(counts.completed),
    onProgress: ({ stage, percent }) => reported.push([stage, percent]),
  })
  expect([ended, told]).toEqual([batches[3], completed])
  const progress = [
    ['queued', 0],
    ['running', 0],
    ['completed', 100],
  ]
  expect(reported).toEqual(progress.slice(-completed.length))
})

test('a job that the service does not know is thrown as a refusal', async () => {
  service.on(events, refused(404, 'JOB_NOT_FOUND'))
  service.on(status, refused(404, 'JOB_NOT_FOUND'))
  await expect(service.client().jobs.wait(jobId)).rejects.toMatchObject({ status: 404, code: 'JOB_NOT_FOUND' })
})

test('words are read with the result, because the stream leaves them out', async () => {
  const id = 'trn_1'
  const result = { text: 'Hello.', wordsAvailable: true }
  const transcription = { ...completed, jobId: id, type: 'transcription', result }
  service.on('POST /transcribe', data({ jobId: id, status: 'queued' }, 202))
  service.on(`GET /jobs/${id}/events`, stream([transcription]))
  const segments = [{ start: 0, end: 1, text: 'Hello.', words: [{ start: 0, end: 1, text: 'Hello.' }] }]
  service.on('GET /transcribe/status', data({ ...transcription, result: { ...result, data: { segments } } }))
  const haul = service.client()
  expect((await haul.transcribe(url, { words: true, provider: 'builtin' })).data?.segments).toEqual(segments)
  expect(service.received('GET /transcribe/status').map(({ query }) => query)).toEqual([{ id, words: '1' }])
  expect((await haul.transcribe(url)).data).toBeUndefined()
})

test.each([
  ['and lets the job go on', false, []],
  ['and with cancelOnAbort cancels the job before', true, [{ cancelOnly: '1' }]],
])('aborting rejects with the reason of the signal, %s', async (_, cancelOnAbort, canceled) => {
  service.on(events, stream([running(10)], 'hang'))
  service.on(`DELETE /jobs/${jobId}`, data(failed))
  const controller = new AbortController()
  const onProgress = () => controller.abort('enough')
  await expect(importing({ signal: controller.signal, cancelOnAbort, onProgress })).rejects.toBe('enough')
  expect(service.received(`DELETE /jobs/${jobId}`).map(({ query }) => query)).toEqual(canceled)
})

test('with cancelOnAbort, a start that was sent already is awaited, so that its job can be canceled', async () => {
  const controller = new AbortController()
  service.on('POST /import', (response, received) => {
    controller.abort('enough')
    setTimeout(() => started(response, received), 20)
  })
  service.on(`DELETE /jobs/${jobId}`, data(failed))
  const options = { signal: controller.signal, cancelOnAbort: true }
  await expect(service.client().import(url, options)).rejects.toBe('enough')
  expect(service.received(`DELETE /jobs/${jobId}`)).toHaveLength(1)
})

test('a call whose signal is aborted already sends nothing', async () => {
  const error = new Error('too late')
  await expect(importing({ signal: AbortSignal.abort(error) })).rejects.toBe(error)
  expect(service.received()).toEqual([])
})

test('aborting ends the pause before a retry', async () => {
  service.on('POST /import', refused(429, 'RATE_LIMITED', { retryAfter: 60 }))
  const controller = new AbortController()
  const imported = service.client().import(url, { signal: controller.signal })
  await service.requested('POST /import')
  controller.abort('enough')
  await expect(imported).rejects.toBe('enough')
})

const startedLate: Answer = (response, received) => void setTimeout(() => started(response, received), 150)

test.each([
  ['the id of the job, which goes on', started, 200, false, jobId],
  ['no id before a job was started', hang, 50, false, undefined],
  ['with cancelOnAbort the id of a job whose start was answered after it', startedLate, 50, true, jobId],
])('a time-out is thrown with %s', async (_, answer, timeoutMs, cancelOnAbort, id) => {
  service.on('POST /import', answer)
  service.on(events, stream([running(10)], 'hang'))
  const error = await service
    .client()
    .import(url, { timeoutMs, cancelOnAbort })
    .catch((thrown) => thrown)
  expect(error).toBeInstanceOf(HaulTimeoutError)
  expect(error).toMatchObject({ jobId: id, message: `The call did not end within ${timeoutMs} ms.` })
  expect(service.received(`DELETE /jobs/${jobId}`)).toEqual([])
})

test.each([
  ['an import', jobId, undefined],
  ['a transcription', 'trn_1', { title: 'A film', language: 'en', wordsAvailable: true }],
])('when %s was removed, waiting for it rejects, and no result comes without its content', async (_, id, result) => {
  service.on(`GET /jobs/${id}/events`, stream([{ ...completed, jobId: id, result }]))
  await expect(service.client().jobs.wait(id)).rejects.toMatchObject({ status: 410, code: 'MEDIA_EXPIRED' })
})

test('a call leaves no listener on the signal that it was given', async () => {
  service.on(events, stream([completed]))
  const { signal } = new AbortController()
  const added = vi.spyOn(signal, 'addEventListener')
  const removed = vi.spyOn(signal, 'removeEventListener')
  await importing({ signal })
  expect(added.mock.calls.length).toBeGreaterThan(0)
  expect(removed.mock.calls.length).toBe(added.mock.calls.length)
})
