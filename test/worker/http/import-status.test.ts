import { expect, onTestFinished, test, vi } from 'vitest'
import { eventually } from '../clock.ts'
import { FILM_BYTES } from '../origin-facts.ts'
import { claimed, completed, FILM, newCaller, started } from './caller.ts'

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

test('a status is queued, then running with progress, then completed with the result, and says when', async () => {
  const caller = await newCaller()
  const jobId = await started(caller)
  const read = async () => (await caller.get(`/import/status?id=${jobId}`)).body
  expect(await read()).toEqual({
    success: true,
    data: { jobId, status: 'queued', startedAt: null, completedAt: null },
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
    startedAt: expect.stringMatching(ISO),
    completedAt: null,
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

test('a completed import says all that there is to say of its file', async () => {
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
    filename: 'film.mp4',
    contentType: 'video/mp4',
    sha256: '0'.repeat(64),
    width: 640,
    height: 360,
    videoCodec: 'h264',
    audioCodec: 'aac',
    expiresAt: expect.stringMatching(ISO),
  })
  const kept = Date.parse(data.result.expiresAt) - Date.parse(data.completedAt)
  expect(kept).toBe(7 * 24 * 3_600_000)
})

test('a failed import is a success of the request, and says why, for a person and for a program', async () => {
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
      startedAt: null,
      completedAt: expect.stringMatching(ISO),
      message: 'The media is private.',
      code: 'SOURCE_PRIVATE',
      retryable: false,
    },
  })
  expect((await caller.get('/account')).body.data).toMatchObject({ balanceDollars: 10, heldDollars: 0 })
})

test("another account's job, a job of another type and no job at all are not found alike", async () => {
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
    const answered = await who.get(`/import/status?id=${encodeURIComponent(id)}`)
    expect([answered.status, answered.body.code]).toEqual([404, 'JOB_NOT_FOUND'])
  }
})

test.each(['', '?id=', '?id=x&wait=31', '?id=x&wait=-1', '?id=x&wait=soon'])(
  'a status of "%s" is refused',
  async (query) => {
    const { status, body } = await (await newCaller()).get(`/import/status${query}`)
    expect([status, body.code]).toEqual([400, 'INVALID_REQUEST'])
  },
)

/** In this test no wait of half a minute ends by itself: who is answered was woken. Tells which have begun. */
const endlessWaits = (): number[] => {
  const begun: number[] = []
  const { setTimeout } = globalThis
  const spy = vi.spyOn(globalThis, 'setTimeout').mockImplementation(((go: () => void, ms = 0) => {
    if (ms < 25_000 || ms > 30_000) return setTimeout(go, ms)
    begun.push(ms)
    return 0
  }) as typeof setTimeout)
  onTestFinished(() => spy.mockRestore())
  return begun
}

test('a status that waits is answered as soon as the job ends', async () => {
  const caller = await newCaller()
  const jobId = await started(caller)
  const lease = await claimed(caller, jobId)
  const begun = endlessWaits()
  const waiting = caller.get(`/import/status?id=${jobId}&wait=30`)
  await eventually(async () => expect(begun).toHaveLength(1))
  await caller.account.failStep(lease, { code: 'SOURCE_BLOCKED', message: 'Blocked.', retryable: true })
  expect((await waiting).body.data).toMatchObject({ status: 'failed', code: 'SOURCE_BLOCKED' })
})

test('a status that waited in vain says how the job stands, and counts once', async () => {
  const caller = await newCaller()
  const jobId = await started(caller)
  const { body, headers } = await caller.get(`/import/status?id=${jobId}&wait=1`)
  expect(body.data.status).toBe('queued')
  expect(headers.get('x-ratelimit-remaining')).toBe('3599')
})
