import { createExecutionContext, evictDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, onTestFinished, test, vi } from 'vitest'
import cost from '../../docs/cost.md?raw'
import { fleetIndexOf } from '../../domain/fleet/fleet-index.ts'
import type { StepOrder, Uploaded } from '../../domain/protocol/protocol.ts'
import { fleetOf } from '../../worker/fleet/fleet-of.ts'
import { wordsOf } from '../../worker/search/words-of.ts'
import { consumeSteps } from '../../worker/steps/consume-steps.ts'
import { mediaFacts } from './support/account.ts'
import { callApi, completed, newCaller, send } from './support/caller.ts'
import { eventually, runAlarm, skip } from './support/clock.ts'
import { countObject, countUse, sumOf } from './support/counts.ts'
import { messagesOf } from './support/event-stream.ts'
import { controlEngine } from './support/fake-engine.ts'
import { type Fields, formOf, openTo, PATH } from './support/openai.ts'
import { rowsOf } from './support/tables.ts'
import { newCaller as newTranscriber, recognizeAs } from './support/transcriptions.ts'
import { waitingCaller } from './support/waiting.ts'

/**
 * What is billed by the piece, counted. The Worker, the objects, D1, R2 and the queue are the real ones; the test takes
 * the container's part, and the clock moves when it says so.
 */
const MB = 1_000_000
const SIZE = 100 * MB

/** The container runs the step and sends a request of the Worker for each report. */
const reportsOf =
  ({ callback, jobId }: StepOrder) =>
  async (path: string, body: object) => {
    const response = await callApi('POST', `/internal/jobs/${jobId}/${path}`, { key: callback.token, body })
    expect([path, response.status]).toEqual([path, 200])
    return response.body
  }

/** The containers of the account's fleet. The tests' Worker has four fleets and eight containers, at ports 1 to 8. */
const portsFor = (accountId: string): number[] => {
  const fleet = fleetIndexOf(accountId, 4)
  return [fleet + 1, fleet + 5]
}

/** Consumes the step's message as the queue would, and returns the order that a container got. */
const startStep = async (accountId: string, jobId: string) => {
  const body = { v: 1, accountId, jobId, step: 'fetch', attempt: 1, runsIn: 'container', rank: 'job' }
  await consumeSteps(
    { messages: [{ body, attempts: 1, ack: () => {}, retry: () => {} }] } as never,
    env,
    createExecutionContext(),
  )
  // The message is done when the step has a place.
  return eventually(async () => {
    const engines = await Promise.all(portsFor(accountId).map((port) => controlEngine(port)))
    const order = engines.flatMap(({ orders }) => orders).find((order) => order.jobId === jobId)
    if (order?.step !== 'fetch' || !order.uploads) throw new Error(`no container got a whole order for ${jobId}`)
    return { ...order, thumbnail: order.uploads.thumbnail }
  })
}

const putParts = async (key: string, uploadId: string, partSizeBytes: number): Promise<string[]> => {
  const upload = env.MEDIA.resumeMultipartUpload(key, uploadId)
  const etags: string[] = []
  for (let start = 0; start < SIZE; start += partSizeBytes) {
    const part = new Uint8Array(Math.min(partSizeBytes, SIZE - start))
    etags.push((await upload.uploadPart(etags.length + 1, part)).etag)
  }
  return etags
}

/** The target and the count of each row in the table of docs/cost.md. */
const documented = [...cost.matchAll(/^\| [^|]+ \| (\d+) \| (\d+) \| [\d.]+ \|$/gm)].map(([, ...figures]) => figures)

const facts = mediaFacts(SIZE, { durationSeconds: 60 })

test('a direct import of 100 MB that takes 30 s uses what docs/cost.md says', async () => {
  const caller = await newCaller()
  await completed(caller)
  // D1 has been told of the account and of its first import, which the next sweep will remove.
  await eventually(async () => expect(await rowsOf(caller.account, 'due')).toMatchObject([{ kind: 'sweep' }]))
  await runAlarm(caller.account)
  const ports = portsFor(caller.accountId)
  for (const port of ports) await controlEngine(port, { keepsSteps: true })
  const counts = await countUse(caller)
  const fleet = await countObject(fleetOf(env, caller.accountId))
  const engines = await Promise.all(ports.map((port) => countObject(env.ENGINES.getByName(`engine-${port - 1}`))))
  let workerRequests = 0

  // The request, and the run of the queue's consumer.
  workerRequests += 2
  const { body } = await caller.post('/import', { url: 'https://large.example/film.mp4' })
  const { jobId } = body.data
  await eventually(async () => expect(counts).toMatchObject({ queueMessages: 1, d1Rows: 0 }))
  const order = await startStep(caller.accountId, jobId)
  const post = reportsOf(order)
  const report = (path: string, message: object) => {
    workerRequests += 1
    return post(path, message)
  }

  const progress = { stage: 'downloading', percent: null, totalBytes: SIZE, bytesPerSecond: null }
  const plan = await report('uploads', { kind: 'media', contentType: 'video/mp4', sizeBytes: SIZE })
  expect(plan.urls).toHaveLength(3)
  for (const [waited, seconds] of [
    [2_000, 2],
    [10_000, 12],
    [10_000, 22],
  ] as const) {
    skip(waited)
    await report('progress', { ...progress, downloadedBytes: seconds * 3 * MB })
  }
  skip(8_000)
  await env.MEDIA.put(order.thumbnail.key, new Uint8Array(1_000))
  const parts = await putParts(plan.key, plan.uploadId, plan.partSizeBytes)
  const media: Uploaded = { key: plan.key, uploadId: plan.uploadId, parts, sizeBytes: SIZE }
  const thumbnail: Uploaded = { key: order.thumbnail.key, uploadId: null, parts: null, sizeBytes: 1_000 }
  await report('outcome', { status: 'done', result: { step: 'fetch', media, thumbnail, facts } })
  await eventually(async () => expect(counts.d1Rows).toBe(1))

  // The platform evicts an object after some seconds of rest, and may have done so. The alarm finds out that all is recorded.
  await evictDurableObject(caller.account).catch(() => {})
  skip(31_000)
  await runAlarm(caller.account)
  for (const port of ports) await controlEngine(port, { keepsSteps: false, running: [] })
  // The fleet also asks an engine with work for its state, whatever the number of its steps.
  const placing = [fleet.requests.add, fleet.requests.ended, ...engines.map(({ requests }) => requests.fetch ?? 0)]
  const objectRequests = sumOf(counts.objectRequests) + placing.reduce<number>((sum, count) => sum + (count ?? 0), 0)
  const queueOperations = 3 * counts.queueMessages
  console.info('a direct import of 100 MB in 30 s:', JSON.stringify({ ...counts, workerRequests, queueOperations }))
  expect(documented).toEqual([
    ['7', `${workerRequests}`],
    ['14', `${objectRequests}`],
    ['24', `${counts.objectRows}`],
    ['1', `${counts.d1Rows}`],
    ['3', `${queueOperations}`],
  ])
  // Dollars per million, with the three log lines of a tenth of the jobs.
  const logs = 0.1 * 3 * 0.6
  const dollars =
    0.3 * workerRequests + 0.15 * objectRequests + counts.objectRows + counts.d1Rows + 0.4 * queueOperations
  expect(dollars + logs).toBeLessThanOrEqual(30)
  const { body: ended } = await caller.get(`/import/status?id=${jobId}`)
  expect(ended.data).toMatchObject({ status: 'completed', result: { costInDollars: 1, fileSizeBytes: SIZE } })
})

test('a wait of 30 s is two requests of the object, however often the job makes progress', async () => {
  const { caller, lease, counts, end } = await waitingCaller()
  const report = { percent: null, totalBytes: null, bytesPerSecond: null }
  for (let reports = 1; reports <= 3; reports++) {
    await caller.account.reportProgress(lease, { stage: 'downloading', downloadedBytes: reports, ...report })
  }
  await end()
  expect(counts.objectRequests).toMatchObject({ read: 1, fetch: 1 })
})

const documentedCalls = (line: RegExp): number => Number(line.exec(cost)?.[1]?.replace(',', ''))

/** Waits end at once, and the clock moves by their length. */
const withoutWaiting = (): void => {
  const wait = vi.spyOn(scheduler, 'wait').mockImplementation(async (ms) => skip(ms))
  onTestFinished(() => wait.mockRestore())
}

test('an hour of GET /events of a quiet account takes the calls that docs/cost.md says', async () => {
  const caller = await newCaller()
  await caller.get('/account')
  withoutWaiting()
  const counts = await countUse(caller)
  const from = Date.now()
  const messages = messagesOf(await send('GET', '/events', { key: caller.apiKey }))
  await messages.next()
  while (Date.now() < from + 3_600_000) await messages.next()
  await messages.return(undefined)
  const calls = sumOf(counts.objectRequests)
  console.info('requests of the object in an hour of GET /events:', counts.objectRequests)
  expect(calls).toBe(documentedCalls(/an hour of `GET \/events`, nothing.* ([\d,]+) requests of the object/))
  expect(counts).toMatchObject({ d1Rows: 0, queueMessages: 0 })
  // The count of the request's rate limit.
  expect(counts.objectRows).toBeLessThanOrEqual(1)
})

test('a plain poll is one request of the object and writes no row', async () => {
  const caller = await newCaller()
  const { body } = await caller.post('/import', { url: 'https://large.example/film.mp4' })
  const poll = () => caller.get(`/import/status?id=${body.data.jobId}`)
  await poll()
  const counts = await countUse(caller)
  for (let polls = 0; polls < 50; polls++) expect((await poll()).status).toBe(200)
  expect(counts).toMatchObject({ objectRows: 0, objectRequests: { read: 50 }, d1Rows: 0, queueMessages: 0 })
})

test('an hour of a request of the OpenAI API takes the calls that docs/cost.md says', async () => {
  const caller = await newCaller()
  const fields: Fields = [
    ['url', 'https://origin.example/talk.mp3'],
    ['model', 'whisper-1'],
    ['max_cost_dollars', '1'],
  ]
  const within = { TRANSCRIPTION_SILENCE_MS: '60000' }
  withoutWaiting()
  const counts = await countUse(caller)
  const { response } = await openTo(PATH, { apiKey: caller.apiKey, body: formOf(fields), waitMs: 3_600_000, within })
  await expect(response.text()).rejects.toThrow(/still runs/)
  const calls = sumOf(counts.objectRequests)
  console.info('requests of the object in an hour of waiting:', counts.objectRequests)
  expect(calls).toBe(documentedCalls(/waits for an hour .* ([\d,]+) requests of the object/))
  expect(counts.objectRequests.noteBegunResponse).toBe(1)
})

/** As bench/search has them in an hour, on average. */
const PASSAGES = 135

const anHour = Array.from({ length: PASSAGES }, (_, index) => ({
  start: index * 27,
  end: index * 27 + 27,
  text: 'What somebody says within half a minute.',
}))

/** The second transcription of an account, from its start on. */
const transcribedHour = async (request: object) => {
  const caller = await newTranscriber()
  const transcribe = async (): Promise<string> => {
    const jobId = await caller.transcribe({ provider: 'builtin', ...request })
    await recognizeAs(caller, jobId, anHour, { title: 'An hour' })
    await runAlarm(caller.account)
    return jobId
  }
  await transcribe()
  const account = await countUse(caller)
  const index = await countObject(wordsOf(env, caller.accountId))
  const jobId = await transcribe()
  return { caller, jobId, account, index }
}

/** The rows and requests of objects that a line of docs/cost.md has, in its order. */
const documentedWords = (line: string): number[] => {
  const [found = ''] = new RegExp(`^\\| ${line}.*`, 'm').exec(cost) ?? []
  return [...found.matchAll(/(\d+) (?:more )?(?:rows|requests)/g)].map(([, count]) => Number(count))
}

test('to index an hour, to search it and to remove it uses what docs/cost.md says', async () => {
  const without = await transcribedHour({ index: false })
  const { caller, jobId, account, index } = await transcribedHour({})
  const requests = (): number => {
    const { wordsToFind = 0, openSearch = 0, foundJobs = 0 } = account.objectRequests
    return wordsToFind + openSearch + foundJobs + sumOf(index.requests)
  }
  const more = (): number => account.objectRows - without.account.objectRows
  expect(without.index).toEqual({ rows: 0, requests: {} })
  expect([index.rows, more(), requests()]).toEqual(documentedWords('an hour of speech is indexed'))

  const indexed = { index: index.rows, more: more(), requests: requests() }
  const { body } = await caller.callApi('GET', '/search?q=somebody+minute')
  expect(body.data.results).toHaveLength(10)
  expect([requests() - indexed.requests]).toEqual(documentedWords('a search'))
  expect([index.rows, more()]).toEqual([indexed.index, indexed.more])

  const searched = requests()
  await caller.callApi('DELETE', `/jobs/${jobId}`)
  await runAlarm(caller.account)
  await without.caller.callApi('DELETE', `/jobs/${without.jobId}`)
  await runAlarm(without.caller.account)
  expect([index.rows - indexed.index, more() - indexed.more, requests() - searched]).toEqual(
    documentedWords('such an hour is removed'),
  )
})
