import { env } from 'cloudflare:workers'
import { describe, expect, test } from 'vitest'
import { transcriptKey } from '../../worker/domain/media/media-keys.ts'
import { recognized } from '../../worker/flows/transcriptions.ts'
import { deskOf } from '../../worker/wiring.ts'
import { eventually } from './clock.ts'
import {
  bringCaptions,
  bringSound,
  type Caller,
  captioned,
  deliver,
  findCaptions,
  jobOf,
  leaseOf,
  newCaller,
  SOURCE,
} from './transcribing.ts'

test('an accepted job is queued and holds the price of captions', async () => {
  const caller = await newCaller()
  const { status, headers, body } = await caller.ask('POST', '/transcribe', { url: SOURCE })
  expect(status).toBe(202)
  expect(body.data).toMatchObject({
    jobId: expect.stringMatching(/^trn_/),
    status: 'queued',
    message: expect.any(String),
  })
  expect(headers.get('x-ratelimit-limit')).toBe('240')
  expect(await caller.money()).toMatchObject({ heldDollars: 0.01 })
  expect(await caller.status(body.data.jobId)).toMatchObject({ status: 'queued', startedAt: null, completedAt: null })
})

test('captions cost one cent, and the status tells the words with their times', async () => {
  const { caller, jobId } = await captioned()
  expect(await caller.status(jobId)).toEqual({
    jobId,
    status: 'completed',
    startedAt: expect.any(String),
    completedAt: expect.any(String),
    result: {
      text: 'Caption number 1. Caption number 2.',
      source: 'platform_captions',
      language: 'en',
      duration: 90,
      data: {
        segments: [
          { start: 0, end: 2.5, text: 'Caption number 1.' },
          { start: 3, end: 5.5, text: 'Caption number 2.' },
        ],
      },
      costInDollars: 0.01,
    },
  })
  expect(await caller.money()).toMatchObject({ balanceDollars: 9.99, heldDollars: 0 })
})

test('while a job runs it is queued to callers, with its progress', async () => {
  const caller = await newCaller()
  const jobId = await caller.transcribe({})
  await caller.account.progress(await leaseOf(caller, jobId, 'captions'), {
    stage: 'downloading',
    percent: 40,
    downloadedBytes: 5,
    totalBytes: null,
    bytesPerSecond: null,
  })
  expect(await caller.status(jobId)).toMatchObject({
    status: 'queued',
    startedAt: expect.any(String),
    progress: { percent: 40 },
  })
  const listed = async (status: string) => (await caller.ask('GET', `/jobs?status=${status}`)).body.data.jobs
  await eventually(async () => expect(await listed('queued')).toMatchObject([{ jobId, status: 'queued' }]))
  expect(await listed('running')).toEqual([])
})

test.each([
  [
    'with what its download would bring',
    { audioBytes: 2_000_000 },
    { estimatedMinutes: 1.5, estimatedCostDollars: 0.05 },
  ],
  ['with a usual download where nobody knows', {}, { estimatedMinutes: 1.5, estimatedCostDollars: 0.0444 }],
])('without captions and provider the job fails, free, with a quote: %s', async (_, found, quote) => {
  const caller = await newCaller()
  const jobId = await caller.transcribe({})
  await findCaptions(caller, jobId, found)
  expect(await caller.status(jobId)).toMatchObject({ status: 'failed', code: 'TRANSCRIPTION_PROVIDER_REQUIRED', quote })
  expect(await caller.money()).toMatchObject({ balanceDollars: 10, heldDollars: 0 })
})

test('captions that are there and did not come are no missing captions: the job says why, and is free', async () => {
  const caller = await newCaller()
  const jobId = await caller.transcribe({})
  await findCaptions(caller, jobId, { withheld: 'SOURCE_RATE_LIMITED' })
  const job = await caller.status(jobId)
  expect(job).toMatchObject({ status: 'failed', code: 'SOURCE_RATE_LIMITED', retryable: true })
  expect(job).not.toHaveProperty('quote')
  expect(await caller.money()).toMatchObject({ balanceDollars: 10, heldDollars: 0 })
})

test('whoever named a provider gets words from it when captions did not come', async () => {
  const caller = await newCaller()
  const jobId = await caller.transcribe({ provider: 'builtin', captionsFirst: true })
  await findCaptions(caller, jobId, { withheld: 'SOURCE_RATE_LIMITED' })
  expect(await jobOf(caller, jobId)).toMatchObject({ step: 'audio', attempts: 0 })
})

test('captions first takes captions where there are any, and the provider where there are none', async () => {
  const caller = await newCaller()
  const [found, missed] = [
    await caller.transcribe({ provider: 'builtin', captionsFirst: true }),
    await caller.transcribe({ provider: 'builtin', captionsFirst: true }),
  ]
  await bringCaptions(caller, found)
  expect(await caller.status(found)).toMatchObject({ result: { source: 'platform_captions', costInDollars: 0.01 } })
  await findCaptions(caller, missed)
  expect(await jobOf(caller, missed)).toMatchObject({ step: 'audio', attempts: 0 })
})

describe('the ceiling of a transcription', () => {
  const heard = (durationSeconds: number | null, totalBytes: number | null = null) => ({
    stage: 'resolving',
    percent: null,
    downloadedBytes: 0,
    totalBytes,
    bytesPerSecond: null,
    durationSeconds,
  })
  const begun = async (request: object) => {
    const caller = await newCaller()
    const jobId = await caller.transcribe({ provider: 'builtin', ...request })
    return { caller, jobId, lease: await leaseOf(caller, jobId, 'audio') }
  }

  test('one that captions fit into is enough for them', async () => {
    const caller = await newCaller()
    const jobId = await caller.transcribe({ maxCostDollars: 0.01 })
    await bringCaptions(caller, jobId)
    expect(await caller.status(jobId)).toMatchObject({ status: 'completed', result: { costInDollars: 0.01 } })
  })

  test.each([{}, { provider: 'builtin', captionsFirst: true }])('captions are no way around it: %j', async (fields) => {
    const caller = await newCaller()
    const jobId = await caller.transcribe({ ...fields, maxCostDollars: 0.009 })
    await bringCaptions(caller, jobId)
    expect(await caller.status(jobId)).toMatchObject({ status: 'failed', code: 'MAX_COST_EXCEEDED' })
    expect(await caller.money()).toMatchObject({ balanceDollars: 10, heldDollars: 0 })
  })

  test('an estimate above it stops the container before the download, with a quote', async () => {
    const { caller, jobId, lease } = await begun({ maxCostDollars: 0.2 })
    expect(await caller.account.progress(lease, heard(600, 1_000_000))).toBe('stop')
    expect(await caller.status(jobId)).toMatchObject({
      status: 'failed',
      code: 'MAX_COST_EXCEEDED',
      quote: { estimatedMinutes: 10, estimatedCostDollars: 0.21 },
    })
    expect(await caller.money()).toMatchObject({ balanceDollars: 10, heldDollars: 0 })
  })

  test('media of unknown length goes no further without one', async () => {
    const { caller, jobId, lease } = await begun({})
    expect(await caller.account.progress(lease, heard(null))).toBe('stop')
    expect(await caller.status(jobId)).toMatchObject({ status: 'failed', code: 'MAX_COST_REQUIRED' })
  })

  test('media of unknown length holds it whole, and what is not used comes back', async () => {
    const { caller, jobId, lease } = await begun({ maxCostDollars: 1 })
    expect(await caller.account.progress(lease, heard(null))).toBe('go on')
    expect(await caller.money()).toMatchObject({ heldDollars: 1 })
    await caller.account.giveBack(lease)
    await bringSound(caller, jobId, { seconds: 600, downloadedBytes: 1_000_000 })
    await finish(caller, jobId)
    expect(await caller.status(jobId)).toMatchObject({ result: { costInDollars: 0.21, downloadCostInDollars: 0.01 } })
    expect(await caller.money()).toMatchObject({ balanceDollars: 9.79, heldDollars: 0 })
  })

  test('sound that turns out too long for it ends the job, free', async () => {
    const { caller, jobId, lease } = await begun({ maxCostDollars: 0.1 })
    await caller.account.giveBack(lease)
    await bringSound(caller, jobId, { seconds: 600 })
    expect(await caller.status(jobId)).toMatchObject({ status: 'failed', code: 'MAX_COST_EXCEEDED' })
    expect(await caller.money()).toMatchObject({ balanceDollars: 10, heldDollars: 0 })
  })
})

/** What the container's engine reports at its end. */
const finish = async (caller: Caller, jobId: string, segments = 1): Promise<void> => {
  const lease = await leaseOf(caller, jobId, 'recognize')
  const key = transcriptKey(jobId, 'recognize', lease.attempt)
  const body = JSON.stringify({ text: 'Heard.', segments: [{ start: 0, end: 1, text: 'Heard.' }] })
  await env.MEDIA.put(key, body)
  const transcript = { key, uploadId: null, parts: null, sizeBytes: body.length }
  await recognized(env, lease, { transcript, facts: { language: 'en', durationSeconds: 90, segments } })
}

test('an engine that heard nothing is not paid', async () => {
  const caller = await newCaller()
  const jobId = await caller.transcribe({ provider: 'builtin' })
  await bringSound(caller, jobId)
  await finish(caller, jobId, 0)
  expect(await caller.status(jobId)).toMatchObject({ status: 'failed', code: 'NO_SPEECH' })
  expect(await caller.money()).toMatchObject({ balanceDollars: 10, heldDollars: 0 })
})

test('where Workers AI is bound it makes the words, piece by piece', async () => {
  const caller = await newCaller()
  const jobId = await caller.transcribe({ provider: 'builtin', language: 'en' })
  const heard: unknown[] = []
  const AI = {
    run: async (model: string, input: object) => {
      heard.push([model, input])
      const segments = [{ start: 0, end: 2, text: ' It was heard.', words: [] }]
      return { text: 'It was heard.', word_count: 3, segments, transcription_info: { language: 'en', duration: 45 } }
    },
  }
  await bringSound(caller, jobId, { marks: [1, 2] })
  await deliver(caller, jobId, 'recognize', { ...env, AI, BUILTIN_SPEECH: 'workers-ai' } as unknown as Env)
  expect(heard).toHaveLength(2)
  expect(await caller.status(jobId)).toMatchObject({
    status: 'completed',
    result: {
      source: 'builtin',
      text: 'It was heard. It was heard.',
      data: { segments: [{ start: 0 }, { start: 45 }] },
    },
  })
})

test('an engine that cannot work is tried three times, and then the job fails with a code of its own, free', async () => {
  const caller = await newCaller()
  const jobId = await caller.transcribe({ provider: 'builtin' })
  await bringSound(caller, jobId)
  for (let attempt = 1; attempt <= 3; attempt++) await deskOf(env).gaveBack(await leaseOf(caller, jobId, 'recognize'))
  expect(await caller.status(jobId)).toMatchObject({ status: 'failed', code: 'SPEECH_UNAVAILABLE', retryable: true })
  expect(await caller.money()).toMatchObject({ balanceDollars: 10, heldDollars: 0 })
})
