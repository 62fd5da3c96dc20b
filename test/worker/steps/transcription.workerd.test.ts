import { env } from 'cloudflare:workers'
import { describe, expect, test, vi } from 'vitest'
import { transcriptKey } from '../../../domain/media/media-keys.ts'
import { namesIn } from '../support/caller.ts'
import {
  type Caller,
  completedWithCaptions,
  deliver,
  findCaptions,
  finishAudioStep,
  finishCaptionsStep,
  finishStep,
  jobOf,
  leaseOf,
  newCaller,
  plainLayout,
  putTranscript,
  report,
  SOURCE,
} from '../support/transcriptions.ts'

test('an accepted job is queued and holds the price of captions', async () => {
  const caller = await newCaller()
  const { status, headers, body } = await caller.callApi('POST', '/transcribe', { url: SOURCE })
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

test('captions cost one cent, and the status has their text with times', async () => {
  const { caller, jobId } = await completedWithCaptions()
  expect(await caller.status(jobId)).toEqual({
    jobId,
    metadata: {},
    status: 'completed',
    startedAt: expect.any(String),
    completedAt: expect.any(String),
    result: {
      text: 'Caption number 1. Caption number 2.',
      source: 'platform_captions',
      title: null,
      language: 'en',
      duration: 90,
      extractor: null,
      extractorVersion: null,
      vocabulary: false,
      wordsAvailable: false,
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

test('a running transcription is shown as queued, with its progress', async () => {
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
})

test.each([
  [
    'with what its download would bring',
    { audioBytes: 2_000_000 },
    { estimatedMinutes: 1.5, estimatedCostDollars: 0.05 },
  ],
  ['with an assumed download when its size is unknown', {}, { estimatedMinutes: 1.5, estimatedCostDollars: 0.0444 }],
  [
    'that says that its length is an estimate',
    { audioBytes: 2_000_000, durationIsEstimate: true },
    { estimatedMinutes: 1.5, estimatedCostDollars: 0.05, estimated: true },
  ],
])('without captions and provider the job fails, free, with a quote: %s', async (_, found, quote) => {
  const caller = await newCaller()
  const jobId = await caller.transcribe({})
  await findCaptions(caller, jobId, found)
  const job = await caller.status(jobId)
  expect(job).toMatchObject({ status: 'failed', code: 'TRANSCRIPTION_PROVIDER_REQUIRED' })
  expect(job.quote).toEqual(quote)
  expect(await caller.money()).toMatchObject({ balanceDollars: 10, heldDollars: 0 })
})

test('a quote of a clip is for the seconds that the container reports of the clip', async () => {
  const caller = await newCaller()
  const jobId = await caller.transcribe({ clip: { start: 60, end: 120 } })
  await findCaptions(caller, jobId, { durationSeconds: 30 })
  expect((await caller.status(jobId)).quote).toMatchObject({ estimatedMinutes: 0.5 })
})

test('captions that exist but could not be downloaded fail the job with that reason, free', async () => {
  const caller = await newCaller()
  const jobId = await caller.transcribe({})
  await findCaptions(caller, jobId, { withheld: 'SOURCE_RATE_LIMITED' })
  const job = await caller.status(jobId)
  expect(job).toMatchObject({ status: 'failed', code: 'SOURCE_RATE_LIMITED', retryable: true })
  expect(job).not.toHaveProperty('quote')
  expect(await caller.money()).toMatchObject({ balanceDollars: 10, heldDollars: 0 })
})

test('captionsFirst takes existing captions, and the provider otherwise, also when they could not be downloaded', async () => {
  const caller = await newCaller()
  const start = () => caller.transcribe({ provider: 'builtin', captionsFirst: true })
  const [found, missed, withheld] = [await start(), await start(), await start()]
  await finishCaptionsStep(caller, found)
  expect(await caller.status(found)).toMatchObject({ result: { source: 'platform_captions', costInDollars: 0.01 } })
  await findCaptions(caller, missed)
  await findCaptions(caller, withheld, { withheld: 'SOURCE_RATE_LIMITED' })
  for (const jobId of [missed, withheld]) {
    expect(await jobOf(caller, jobId)).toMatchObject({ step: 'audio', usedAttempts: 0 })
  }
})

describe('the ceiling of a transcription', () => {
  const heard = (durationSeconds: number | null, totalBytes: number | null = null) => ({
    stage: 'resolving' as const,
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

  test.each([
    [{ maxCostDollars: 0.01 }, { status: 'completed', result: { costInDollars: 0.01 } }, 9.99],
    [{ maxCostDollars: 0.009 }, { status: 'failed', code: 'MAX_COST_EXCEEDED' }, 10],
    [
      { maxCostDollars: 0.009, provider: 'builtin', captionsFirst: true },
      { status: 'failed', code: 'MAX_COST_EXCEEDED' },
      10,
    ],
  ])(
    'captions are delivered within the ceiling and fail their job above it: %j',
    async (request, end, balanceDollars) => {
      const caller = await newCaller()
      const jobId = await caller.transcribe(request)
      await finishCaptionsStep(caller, jobId)
      expect(await caller.status(jobId)).toMatchObject(end)
      expect(await caller.money()).toMatchObject({ balanceDollars, heldDollars: 0 })
    },
  )

  test('an estimate above the ceiling stops the container before the download, with a quote', async () => {
    const { caller, jobId, lease } = await begun({ maxCostDollars: 0.2 })
    expect(await caller.account.progress(lease, heard(600, 1_000_000))).toBe('stop')
    expect(await caller.status(jobId)).toMatchObject({
      status: 'failed',
      code: 'MAX_COST_EXCEEDED',
      quote: { estimatedMinutes: 10, estimatedCostDollars: 0.21 },
    })
    expect(await caller.money()).toMatchObject({ balanceDollars: 10, heldDollars: 0 })
  })

  test.each([
    ['unknown length', heard(null), undefined],
    [
      'estimated length',
      { ...heard(600, 1_000_000), durationIsEstimate: true },
      { estimatedMinutes: 10, estimatedCostDollars: 0.21, estimated: true },
    ],
  ])('media of %s fails without a ceiling, with a quote that says so', async (_, report, quote) => {
    const { caller, jobId, lease } = await begun({})
    expect(await caller.account.progress(lease, report)).toBe('stop')
    expect(await caller.status(jobId)).toMatchObject({ status: 'failed', code: 'MAX_COST_REQUIRED' })
    expect((await caller.status(jobId)).quote).toEqual(quote)
  })

  test('media of unknown length holds the whole ceiling, and the unused part is released', async () => {
    const { caller, jobId, lease } = await begun({ maxCostDollars: 1 })
    expect(await caller.account.progress(lease, heard(null))).toBe('continue')
    expect(await caller.money()).toMatchObject({ heldDollars: 1 })
    await caller.account.giveBack(lease)
    await finishAudioStep(caller, jobId, { seconds: 600, downloadedBytes: 1_000_000 })
    await finish(caller, jobId)
    expect(await caller.status(jobId)).toMatchObject({ result: { costInDollars: 0.21, downloadCostInDollars: 0.01 } })
    expect(await caller.money()).toMatchObject({ balanceDollars: 9.79, heldDollars: 0 })
  })

  test('audio that turns out too long for the ceiling fails the job, free', async () => {
    const { caller, jobId, lease } = await begun({ maxCostDollars: 0.1 })
    await caller.account.giveBack(lease)
    await finishAudioStep(caller, jobId, { seconds: 600 })
    expect(await caller.status(jobId)).toMatchObject({ status: 'failed', code: 'MAX_COST_EXCEEDED' })
    expect(await caller.money()).toMatchObject({ balanceDollars: 10, heldDollars: 0 })
  })
})

/** What the container's engine reports at its end. */
const finish = async (caller: Caller, jobId: string, segments = 1): Promise<void> => {
  const lease = await leaseOf(caller, jobId, 'recognize')
  const key = transcriptKey(jobId, 'recognize', await namesIn(jobId, lease.attempt))
  const transcript = await putTranscript(key, [{ start: 0, end: 1, text: 'Heard.' }])
  await finishStep(lease, {
    step: 'recognize',
    transcript,
    facts: { language: 'en', durationSeconds: 90, segments, ...plainLayout },
  })
}

test('media without speech is not charged', async () => {
  const caller = await newCaller()
  const jobId = await caller.transcribe({ provider: 'builtin' })
  await finishAudioStep(caller, jobId)
  await finish(caller, jobId, 0)
  expect(await caller.status(jobId)).toMatchObject({ status: 'failed', code: 'NO_SPEECH' })
  expect(await caller.money()).toMatchObject({ balanceDollars: 10, heldDollars: 0 })
})

test('with a Workers AI binding the built-in route uses it, piece by piece', async () => {
  const caller = await newCaller()
  const jobId = await caller.transcribe({ provider: 'builtin', language: 'en', words: true })
  const heard: unknown[] = []
  const words = ['It', 'was', 'heard.'].map((word, at) => ({ word: ` ${word}`, start: at / 2, end: (at + 1) / 2 }))
  const AI = {
    run: async (model: string, input: object) => {
      heard.push([model, input])
      const segments = [{ start: 0, end: 2, text: ' It was heard.', words }]
      return { text: 'It was heard.', word_count: 3, segments, transcription_info: { language: 'en', duration: 45 } }
    },
  }
  await finishAudioStep(caller, jobId, { marks: [1, 2] })
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
  expect((await jobOf(caller, jobId)).result?.hasWords).toBe(true)
})

test('a container without working speech weights gives the step back: three tries, then SPEECH_UNAVAILABLE, free', async () => {
  vi.spyOn(console, 'warn').mockReturnValue()
  const caller = await newCaller()
  const jobId = await caller.transcribe({ provider: 'builtin' })
  await finishAudioStep(caller, jobId)
  const outcome = { status: 'gaveBack', reason: 'the model is damaged', code: 'SPEECH_UNAVAILABLE' }
  for (let attempt = 1; attempt <= 3; attempt++) {
    expect(await caller.status(jobId)).toMatchObject({ status: 'queued' })
    expect(await report(await leaseOf(caller, jobId, 'recognize'), outcome)).toBe(200)
  }
  expect(await caller.status(jobId)).toMatchObject({ status: 'failed', code: 'SPEECH_UNAVAILABLE', retryable: true })
  expect(await caller.money()).toMatchObject({ balanceDollars: 10, heldDollars: 0 })
})

test('an outcome whose lease is lost while its transcript is looked up is refused, and is no error', async () => {
  const caller = await newCaller()
  const jobId = await caller.transcribe({})
  const lease = await leaseOf(caller, jobId, 'captions')
  // The end of the lease has discarded the transcript.
  vi.spyOn(env.MEDIA, 'head').mockImplementationOnce(async () => {
    await caller.account.giveBack(lease)
    return null
  })
  const key = transcriptKey(jobId, 'captions', await namesIn(jobId))
  const transcript = { key, uploadId: null, parts: null, sizeBytes: 100 }
  const facts = { language: 'en', durationSeconds: 90, segments: 2, ...plainLayout }
  const result = { step: 'captions', transcript, facts, durationSeconds: 90 }
  expect(await report(lease, { status: 'done', result })).toBe(409)
})
