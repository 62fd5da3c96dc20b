import { describe, expect, test, vi } from 'vitest'
import { failure } from '../../../domain/codes/failures.ts'
import { micros } from '../../../domain/money/money.ts'
import { advanced, fetchedImport } from '../support/account.ts'
import { asOperator, type Caller, claimed, completed, FILM, newCaller, started } from '../support/caller.ts'
import { passTime, skip } from '../support/clock.ts'
import { finishAudioStep, leaseOf, newCaller as newSpeaker } from '../support/transcriptions.ts'

const HOUR_MS = 3_600_000
const MB = 1_000_000

const left = async (caller: Caller) => (await caller.get('/account')).body.data.freeWork

const allow = (caller: Caller, freeWork: object) =>
  asOperator('PATCH', `/admin/accounts/${caller.accountId}`, { limits: { freeWork } })

/** Shorter than a lease of a minute, and longer than half of it, so that each report renews the lease. */
const REPORT_SECONDS = 40

const report = { stage: 'downloading', percent: null, totalBytes: null, bytesPerSecond: null } as const

/** An import that downloads for so long and is then canceled. */
const canceledAfter = async (caller: Caller, seconds: number, downloadedBytes = 0): Promise<void> => {
  const jobId = await started(caller)
  const lease = await claimed(caller, jobId)
  for (let left = seconds; left > 0; left -= REPORT_SECONDS) {
    await caller.account.reportProgress(lease, { ...report, downloadedBytes })
    await skip(Math.min(left, REPORT_SECONDS) * 1_000)
  }
  await caller.delete(`/jobs/${jobId}`)
}

const start = (caller: Caller) => caller.post('/import', { url: FILM })

describe('the engine-seconds and bytes of a job', () => {
  test('count when it is canceled, and are forgotten an hour later', async () => {
    const caller = await newCaller()
    await allow(caller, { bytesPerHour: 10 * MB })
    await canceledAfter(caller, 600, 5 * MB)
    const { engineSecondsLeft, bytesLeft, resetsAt } = await left(caller)
    expect(bytesLeft).toBe(5 * MB)
    expect(engineSecondsLeft).toBeLessThan(700)
    expect(engineSecondsLeft).toBeGreaterThan(0)
    expect(Date.parse(resetsAt) - Date.now()).toBeGreaterThan(HOUR_MS - 60_000)
    await skip(HOUR_MS / 2)
    await canceledAfter(caller, 40, 2 * MB)
    expect((await left(caller)).bytesLeft).toBe(3 * MB)
    await skip(HOUR_MS / 2)
    expect(await left(caller)).toMatchObject({ engineSecondsLeft: 1_200, bytesLeft: 10 * MB })
  })

  test('of a long job count for an hour, however many they are', async () => {
    const caller = await newCaller()
    await allow(caller, { engineSecondsPerHour: 40 })
    await canceledAfter(caller, 400)
    const refused = await start(caller)
    expect([refused.body.code, refused.headers.get('retry-after')]).toEqual(['FREE_WORK_LIMITED', '3600'])
    await skip(HOUR_MS - 1_000)
    expect((await start(caller)).body).toMatchObject({ code: 'FREE_WORK_LIMITED', retryAfter: 1 })
    await skip(1_000)
    expect((await start(caller)).status).toBe(202)
  })

  test.each(['INTERNAL', 'SPEECH_UNAVAILABLE'] as const)('do not count when it fails with %s', async (code) => {
    const caller = await newCaller()
    const lease = await claimed(caller, await started(caller))
    await skip(REPORT_SECONDS * 1_000)
    await caller.account.failStep(lease, failure(code), 7 * MB)
    expect(await left(caller)).toMatchObject({ engineSecondsLeft: 1_200, bytesLeft: 20_000 * MB })
  })

  test('do not count of attempts whose engine has died or was not heard, and count of the attempt that fails', async () => {
    const caller = await newCaller()
    await allow(caller, { bytesPerHour: 100 * MB })
    const jobId = await started(caller)
    const died = await claimed(caller, jobId)
    await caller.account.reportProgress(died, { ...report, downloadedBytes: 30 * MB })
    await skip(REPORT_SECONDS * 1_000)
    await caller.account.giveBack(died, { downloadedBytes: 40 * MB })
    const silent = await claimed(caller, jobId)
    await caller.account.reportProgress(silent, { ...report, downloadedBytes: 20 * MB })
    await passTime(caller.account, 2 * 60_000)
    const last = await claimed(caller, jobId)
    await skip(REPORT_SECONDS * 1_000)
    await caller.account.failStep(last, failure('SOURCE_TRUNCATED'), 7 * MB)
    const { engineSecondsLeft, bytesLeft } = await left(caller)
    expect(bytesLeft).toBe(93 * MB)
    expect(engineSecondsLeft).toBe(1_200 - REPORT_SECONDS)
  })

  test.each([
    ['do not count', 'provider_a', false],
    ['count', 'builtin', true],
  ] as const)('%s while %s recognizes speech', async (_, provider, counts) => {
    const speaker = await newSpeaker()
    const jobId = await speaker.transcribe({ provider, ...(provider === 'builtin' ? {} : { apiKey: 'k' }) })
    await finishAudioStep(speaker, jobId)
    await leaseOf(speaker, jobId, 'recognize')
    await skip(REPORT_SECONDS * 1_000)
    await speaker.callApi('DELETE', `/jobs/${jobId}`)
    const used = 1_200 - (await speaker.money()).freeWork.engineSecondsLeft
    expect(used > REPORT_SECONDS / 2).toBe(counts)
  })

  test('count as what was stored of a re-encoded file, if that is more', async () => {
    const caller = await newCaller()
    await allow(caller, { bytesPerHour: 10 * MB })
    const lease = await claimed(caller, await started(caller))
    const carry = { ...fetchedImport(1 * MB), billedBytes: 7 * MB }
    await advanced(caller.account, lease, { next: 'deliver', carry, holdMicros: micros(0), keys: [] })
    await caller.delete(`/jobs/${lease.jobId}`)
    expect((await left(caller)).bytesLeft).toBeLessThan(4 * MB)
  })

  test('do not count when it is charged', async () => {
    const caller = await newCaller()
    await completed(caller)
    expect(await left(caller)).toMatchObject({ engineSecondsLeft: 1_200, bytesLeft: 20_000 * MB })
  })
})

describe('a preview', () => {
  test('counts with what was read for it, until the bytes of the hour are used', async () => {
    const caller = await newCaller()
    await allow(caller, { bytesPerHour: 70_000 })
    const preview = () => caller.get(`/metadata?url=${encodeURIComponent(FILM)}`)
    await preview()
    await preview()
    expect((await preview()).body).toMatchObject({ code: 'FREE_WORK_LIMITED', limit: 70_000 })
    // Jobs have a budget of their own.
    expect(await left(caller)).toMatchObject({ bytesLeft: 70_000 })
    expect((await start(caller)).status).toBe(202)
    expect((await caller.post('/uploads', { filename: 'a.mp3', sizeBytes: 5 })).body.code).toBe('FREE_WORK_LIMITED')
    await skip(HOUR_MS)
    expect((await preview()).status).toBe(200)
  })

  test('does not count when its engine has died', async () => {
    const caller = await newCaller()
    await allow(caller, { engineSecondsPerHour: 1 })
    vi.spyOn(console, 'error').mockReturnValue()
    const preview = (path: string) => caller.get(`/metadata?url=${encodeURIComponent(`https://media.example${path}`)}`)
    for (const path of ['/breaks', '/busy', '/fails/INTERNAL']) {
      let now = Date.now()
      // A restored spy does not mock again.
      const clock = vi.spyOn(Date, 'now').mockImplementation(() => (now += 1_000))
      await preview(path)
      clock.mockRestore()
      expect([path, (await preview('/fails/SOURCE_PRIVATE')).body.code]).toEqual([path, 'SOURCE_UNREADABLE'])
    }
  })
})

describe('an account that has used up its budget of free work', () => {
  test('starts nothing for an hour, and refusals do not count against its rate limits', async () => {
    const caller = await newCaller()
    await allow(caller, { engineSecondsPerHour: 40 })
    await canceledAfter(caller, 80)
    const refused = await start(caller)
    expect([refused.status, refused.body]).toEqual([
      429,
      expect.objectContaining({ code: 'FREE_WORK_LIMITED', limit: 40, remaining: 0, endpoint: '/import' }),
    ])
    expect(Number(refused.headers.get('retry-after'))).toBe(refused.body.retryAfter)
    const remaining = refused.headers.get('x-ratelimit-remaining')
    expect((await start(caller)).headers.get('x-ratelimit-remaining')).toBe(remaining)
    for (const request of [
      caller.post('/transcribe', { url: FILM }),
      caller.post('/batches', { urls: [FILM], import: {} }),
    ]) {
      expect((await request).body).toMatchObject({ code: 'FREE_WORK_LIMITED' })
    }
    for (const request of [
      caller.post('/uploads', { filename: 'a.mp3', sizeBytes: 5 }),
      caller.get(`/metadata?url=${encodeURIComponent(FILM)}`),
    ]) {
      expect((await request).body).toMatchObject({ success: true })
    }
  })

  test('has its bytes limited too, and more of both when an operator says so', async () => {
    const caller = await newCaller()
    await allow(caller, { bytesPerHour: 4 * MB })
    await canceledAfter(caller, 1, 5 * MB)
    expect((await start(caller)).body.code).toBe('FREE_WORK_LIMITED')
    await allow(caller, { bytesPerHour: 6 * MB })
    expect((await start(caller)).status).toBe(202)
  })

  test('has its batches wait, and then go on', async () => {
    const caller = await newCaller()
    await allow(caller, { engineSecondsPerHour: 40 })
    const jobId = await started(caller)
    const lease = await claimed(caller, jobId)
    const other = await started(caller)
    const { batchId } = (await caller.post('/batches', { urls: [FILM, `${FILM}?2`], import: {} })).body.data
    const task = await caller.account.claimItem(batchId, 0)
    await skip(REPORT_SECONDS * 1_000)
    await caller.account.reportProgress(lease, { ...report, downloadedBytes: 0 })
    await skip(REPORT_SECONDS * 1_000)
    await caller.delete(`/jobs/${jobId}`)
    await caller.delete(`/jobs/${other}`)
    if (task)
      await caller.account.admitItem(task, { announcedBytes: micros(1) * 100, diskBytes: null, reuseKey: 'a key' })
    const batch = async () => (await caller.get(`/batches/${batchId}`)).body.data
    expect(await batch()).toMatchObject({ status: 'queued', counts: { waiting: 2 } })
    // Nothing but the alarm says that the hour is over.
    await passTime(caller.account, 2 * HOUR_MS)
    expect(await batch()).toMatchObject({ status: 'running', counts: { running: 1 } })
  })
})

describe('uploads', () => {
  /** An account whose uploads may take 100 MB together. */
  const uploader = async () => {
    const caller = await newCaller()
    await asOperator('PATCH', `/admin/accounts/${caller.accountId}`, { limits: { uploadBytes: 100 * MB } })
    const send = (megabytes: number) => caller.post('/uploads', { filename: 'a.mp3', sizeBytes: megabytes * MB })
    return { caller, send }
  }

  test('take at most so many bytes together, until one is deleted, and one of more is refused for good', async () => {
    const { caller, send } = await uploader()
    const { body: first } = await send(60)
    const refused = await send(41)
    const limits = { code: 'STORAGE_LIMITED', limit: 100 * MB, remaining: 40 * MB }
    expect([refused.status, refused.body]).toEqual([429, expect.objectContaining(limits)])
    expect((await send(40)).status).toBe(201)
    await caller.delete(`/uploads/${first.data.uploadId}`)
    expect((await send(60)).status).toBe(201)
    const { status, body } = await send(101)
    expect([status, body]).toEqual([413, expect.objectContaining({ code: 'BODY_TOO_LARGE', limit: 100 * MB })])
  })

  test('count while a job reads them, although their owner has deleted them', async () => {
    const { caller, send } = await uploader()
    const { uploadId } = (await send(60)).body.data
    const ready = { id: uploadId, attempt: 1, sizeBytes: 60 * MB, contentType: 'audio/mpeg', durationSeconds: 60 }
    await caller.account.markUploadReady(ready)
    const { body } = await caller.post('/transcribe', { uploadId, provider: 'builtin' })
    await caller.delete(`/uploads/${uploadId}`)
    expect((await send(60)).body).toMatchObject({ code: 'STORAGE_LIMITED', remaining: 40 * MB })
    await caller.delete(`/jobs/${body.data.jobId}`)
    expect((await send(60)).status).toBe(201)
  })

  test('need an available balance', async () => {
    const { status, body } = await (await newCaller(0)).post('/uploads', { filename: 'a.mp3', sizeBytes: 5 })
    const needed = { code: 'INSUFFICIENT_BALANCE', requiredDollars: 0.000001, availableDollars: 0 }
    expect([status, body]).toEqual([402, expect.objectContaining(needed)])
  })
})
