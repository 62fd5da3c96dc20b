import { runInDurableObject } from 'cloudflare:test'
import { expect, test } from 'vitest'
import { failure } from '../../../../domain/codes/failures.ts'
import { readJob } from '../../../../worker/account/jobs/job-rows.ts'
import { type Caller, claimed, completed, FILM, newCaller, send, started } from '../../support/caller.ts'
import { eventually } from '../../support/clock.ts'
import { FILM_BYTES, filmCost } from '../../support/film.ts'
import { waitingCaller } from '../../support/waiting.ts'

test('an import is accepted with 202, a job id, its status and a message', async () => {
  const caller = await newCaller()
  const { status, body } = await caller.post('/import', { url: FILM })
  expect(status).toBe(202)
  expect(body).toEqual({
    success: true,
    data: {
      jobId: expect.stringMatching(/^imp_[0-9a-z]{26}$/),
      status: 'queued',
      message: 'The import is queued. Poll GET /import/status, or send webhookUrl to get a webhook when it ends.',
    },
  })
})

test('all documented parameters are accepted, and with a webhookUrl the message announces the webhook', async () => {
  const caller = await newCaller()
  const { status, body } = await caller.post('/import', {
    url: FILM,
    includeVideo: false,
    includeAudio: true,
    videoQuality: '2160p',
    audioQuality: 'lowest',
    webhookUrl: 'https://receiver.example/hook',
    store: false,
    storagePath: 'films/2026',
    storageFilename: 'my film',
    storageBucket: 'my-bucket',
    storageClass: 'STANDARD',
    storageReturnLocation: false,
  })
  const message = 'The import is queued. A webhook is sent to webhookUrl when it ends.'
  expect([status, body.data.message]).toEqual([202, message])
})

test('whitespace around a URL is trimmed', async () => {
  const caller = await newCaller()
  const jobId = await started(caller, { url: ` ${FILM}\n` })
  expect((await caller.get(`/jobs/${jobId}`)).body.data.url).toBe(FILM)
})

test('the hold is the exact price of an announced size, or the price of one MB', async () => {
  const caller = await newCaller()
  await started(caller)
  expect((await caller.get('/account')).body.data.heldDollars).toBe(filmCost)
  const other = await newCaller()
  await started(other, { url: 'https://page.example/watch' })
  expect((await other.get('/account')).body.data.heldDollars).toBe(0.01)
})

test('a hold above the balance is refused with the required and available amounts', async () => {
  const caller = await newCaller(0.1)
  const { status, body } = await caller.post('/import', { url: FILM })
  expect([status, body.code]).toEqual([402, 'INSUFFICIENT_BALANCE'])
  expect(body).toMatchObject({ requiredDollars: filmCost, availableDollars: 0.1 })
})

/** The engine of the tests has 15 GB for its steps. */
const tooLarge = 'https://large.example/15000000001.mp4'

test('media that no container has the disk space for needs no balance, and says what disk space it needs and fails as too large', async () => {
  const caller = await newCaller(0.02)
  const justFits = await caller.post('/import', { url: 'https://large.example/15000000000.mp4' })
  expect(justFits.body).toMatchObject({ code: 'INSUFFICIENT_BALANCE', requiredDollars: 150 })
  const { status, body } = await caller.post('/import', { url: tooLarge })
  expect(status).toBe(202)
  expect((await caller.get('/account')).body.data.heldDollars).toBe(0.01)
  const { jobId } = body.data
  expect(await diskOf(caller, jobId)).toBe(15_000_000_001)
  await caller.account.refuseStep(jobId, 'fetch', 1, failure('MEDIA_TOO_LARGE'))
  expect((await caller.get(`/import/status?id=${jobId}`)).body.data).toMatchObject({
    status: 'failed',
    code: 'MEDIA_TOO_LARGE',
    retryable: false,
  })
  expect((await caller.get('/account')).body.data).toMatchObject({ balanceDollars: 0.02, heldDollars: 0 })
})

const diskOf = ({ account }: Caller, jobId: string) =>
  runInDurableObject(account, (_, { storage }) => readJob(storage.sql, jobId)?.diskBytes)

test('store without a configured bucket is refused before a job is created', async () => {
  const caller = await newCaller()
  const { status, body } = await caller.post('/import', { url: FILM, store: true })
  expect([status, body.code]).toEqual([400, 'STORAGE_NOT_CONFIGURED'])
  expect((await caller.get('/account')).body.data.heldDollars).toBe(0)
})

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

test('the status is queued, then running with progress', async () => {
  const caller = await newCaller()
  const jobId = await started(caller)
  const read = async () => (await caller.get(`/import/status?id=${jobId}`)).body
  expect(await read()).toEqual({
    success: true,
    data: { jobId, status: 'queued', phase: 'waiting', startedAt: null, completedAt: null, metadata: {} },
  })

  const lease = await claimed(caller, jobId)
  await caller.account.progress(lease, {
    stage: 'downloading',
    percent: 40,
    downloadedBytes: 4_000_000,
    totalBytes: FILM_BYTES,
    bytesPerSecond: 1_000_000,
  })
  expect((await read()).data).toEqual({
    jobId,
    status: 'running',
    phase: 'running',
    startedAt: expect.stringMatching(ISO),
    completedAt: null,
    metadata: {},
    progress: {
      stage: 'downloading',
      percent: 40,
      downloadedBytes: 4_000_000,
      totalBytes: FILM_BYTES,
      bytesPerSecond: 1_000_000,
      etaSeconds: 12,
    },
  })
})

test('a completed import has all facts of its file', async () => {
  const caller = await newCaller()
  const jobId = await completed(caller, { bytes: new Uint8Array(15_342) })
  const { data } = (await caller.get(`/import/status?id=${jobId}`)).body
  expect(data).toMatchObject({
    jobId,
    status: 'completed',
    startedAt: expect.stringMatching(ISO),
    completedAt: expect.stringMatching(ISO),
  })
  expect(data.result).toEqual({
    mediaUrl: expect.stringMatching(
      new RegExp(`^https://haul\\.test/media/${jobId}/film\\.mp4\\?expires=\\d+&signature=`),
    ),
    title: 'film',
    duration: 6,
    thumbnailUrl: expect.stringMatching(new RegExp(`^https://haul\\.test/media/${jobId}/thumbnail\\.jpg\\?expires=`)),
    costInDollars: 0.000154,
    fileSizeBytes: 15_342,
    downloadedBytes: 15_342,
    billedBytes: 15_342,
    filename: 'film.mp4',
    contentType: 'video/mp4',
    sha256: '0'.repeat(64),
    width: 640,
    height: 360,
    videoCodec: 'h264',
    audioCodec: 'aac',
    transcoded: false,
    extractor: null,
    extractorVersion: null,
    expiresAt: expect.stringMatching(ISO),
  })
  const kept = Date.parse(data.result.expiresAt) - Date.parse(data.completedAt)
  expect(kept).toBe(7 * 24 * 3_600_000)
})

test('the status of a failed import is a 200 with a message and a code', async () => {
  const caller = await newCaller()
  const jobId = await started(caller)
  const lease = await claimed(caller, jobId)
  await caller.account.failStep(lease, { code: 'SOURCE_PRIVATE', message: 'The media is private.', retryable: false })
  const { status, body } = await caller.get(`/import/status?id=${jobId}`)
  expect(status).toBe(200)
  expect(body).toEqual({
    success: true,
    data: {
      jobId,
      status: 'failed',
      startedAt: expect.stringMatching(ISO),
      completedAt: expect.stringMatching(ISO),
      metadata: {},
      message: 'The media is private.',
      code: 'SOURCE_PRIVATE',
      retryable: false,
    },
  })
  expect((await caller.get('/account')).body.data).toMatchObject({ balanceDollars: 10, heldDollars: 0 })
})

test('jobs of another account, of another type and unknown jobs are all JOB_NOT_FOUND', async () => {
  const [owner, other] = [await newCaller(), await newCaller()]
  const imported = await started(owner)
  const { body } = await owner.post('/transcribe', { url: FILM })
  const transcribed = body.data.jobId
  for (const [who, id] of [
    [other, imported],
    [owner, transcribed],
    [owner, 'imp_01m7y00000000000000000000'],
    [owner, "x' OR 1=1 --"],
    [owner, 'x'.repeat(1_000)],
  ] as const) {
    const response = await who.get(`/import/status?id=${encodeURIComponent(id)}`)
    expect([response.status, response.body.code]).toEqual([404, 'JOB_NOT_FOUND'])
  }
})

test.each(['', '?id=', '?id=x&wait=31', '?id=x&wait=-1', '?id=x&wait=soon'])(
  'a status request with "%s" is refused',
  async (query) => {
    const { status, body } = await (await newCaller()).get(`/import/status${query}`)
    expect([status, body.code]).toEqual([400, 'INVALID_REQUEST'])
  },
)

test('a waiting status request returns soon after the job has ended', async () => {
  const { end } = await waitingCaller()
  await end()
})

test('the response of a status request begins before its wait ends, and a caller that leaves ends the wait', async () => {
  const caller = await newCaller()
  const jobId = await started(caller)
  const lease = await claimed(caller, jobId)
  const sockets = () => runInDurableObject(caller.account, (_, ctx) => ctx.getWebSockets().length)
  const wait = () => send('GET', `/import/status?id=${jobId}&wait=30`, { key: caller.apiKey })
  const [left, stayed] = [await wait(), await wait()]
  await eventually(async () => expect(await sockets()).toBe(2))
  await left.body?.cancel()
  await eventually(async () => expect(await sockets()).toBe(1))
  await caller.account.failStep(lease, { code: 'SOURCE_BLOCKED', message: 'Blocked.', retryable: true })
  expect(stayed.headers.get('content-type')).toBe('application/json')
  expect(await stayed.json()).toMatchObject({ success: true, data: { status: 'failed', code: 'SOURCE_BLOCKED' } })
})

test('a status request whose wait ends returns the current status and counts once', async () => {
  const caller = await newCaller()
  const jobId = await started(caller)
  const { body, headers } = await caller.get(`/import/status?id=${jobId}&wait=1`)
  expect(body.data.status).toBe('queued')
  expect(headers.get('x-ratelimit-remaining')).toBe('3599')
})
