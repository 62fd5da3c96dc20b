import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, test, vi } from 'vitest'
import type { TranscriptionJob } from '../../../domain/jobs/job.ts'
import { transcriptKey, turnsKey } from '../../../domain/media/media-keys.ts'
import type { TranscriptFacts } from '../../../domain/protocol/protocol.ts'
import { ORDER_VERSION, StepOrder } from '../../../domain/protocol/protocol.ts'
import worker from '../../../worker/index.ts'
import { orderFor, runsInWorker } from '../../../worker/steps/start-step.ts'
import { namesIn } from '../support/caller.ts'
import { eventually } from '../support/clock.ts'
import {
  type Caller,
  deliver,
  findCaptions,
  finishAudioStep,
  jobOf,
  leaseOf,
  newCaller,
  plainLayout,
  putTranscript,
  recognizeAs,
  report,
  SOURCE,
} from '../support/transcriptions.ts'

const asked = {
  provider: 'builtin',
  language: 'fr',
  translate: 'en',
  speakers: { max: 3 },
  prompt: '  A talk\nabout   Haul. ',
  keywords: ['Zoé Durand', ' Haul ', 'Zoé Durand'],
}
const vocabulary = { prompt: 'A talk about Haul.', keywords: ['Zoé Durand', 'Haul'] }

const orderOf = async ({ accountId }: Caller, job: TranscriptionJob, within: Env = env) => {
  const callback = { url: 'https://haul.test/job', token: 'token' }
  const claimed = { job, stored: null, agreed: { bytes: null, seconds: null }, names: null }
  const order = await orderFor(within, claimed, { callback, accountId, placeId: 'place', diskBytes: 0 })
  return StepOrder.parse(JSON.parse(JSON.stringify(order)))
}

/** Reports the end of the audio step as the container does, with turns. */
const finishAudioWithTurns = async (caller: Caller, jobId: string, turns: object[]) => {
  const lease = await leaseOf(caller, jobId, 'audio')
  const names = await namesIn(jobId, lease.attempt)
  const upload = async (key: string, body: string) => {
    await env.MEDIA.put(key, body)
    await caller.account.noteUpload(lease, { key, uploadId: null })
    return { key, uploadId: null, parts: null, sizeBytes: body.length }
  }
  const key = turnsKey(jobId, names)
  const result = {
    ...{ step: 'audio', durationSeconds: 10, downloadedBytes: 1_000 },
    pieces: [{ upload: await upload(key.replace(/turns$/, '0'), 'samples'), offsetSeconds: 0, durationSeconds: 10 }],
    turns: await upload(key, JSON.stringify({ turns })),
  }
  expect(await report(lease, { status: 'done', result })).toBe(200)
  return key
}

describe('the container', () => {
  test('is asked who speaks while it has the whole audio, and hears with the turns and the vocabulary', async () => {
    const caller = await newCaller()
    const jobId = await caller.transcribe(asked)
    expect(await orderOf(caller, { ...(await jobOf(caller, jobId)), step: 'audio' })).toMatchObject({
      ...{ step: 'audio', speakers: { min: null, max: 3 } },
    })
    const key = await finishAudioWithTurns(caller, jobId, [{ start: 0, end: 10, speaker: 'A' }])
    const order = await orderOf(caller, await jobOf(caller, jobId))
    expect(order).toMatchObject({ step: 'recognize', language: 'fr', translate: 'en', vocabulary })
    expect(order).toMatchObject({ turns: { url: expect.stringContaining(key), sizeBytes: 46 } })
  })

  test('is asked for words', async () => {
    const caller = await newCaller()
    const jobId = await caller.transcribe({ provider: 'builtin', words: true })
    await finishAudioStep(caller, jobId)
    expect(await orderOf(caller, await jobOf(caller, jobId))).toMatchObject({ step: 'recognize', words: true })
  })

  test('is asked for neither by a job without them', async () => {
    const caller = await newCaller()
    const jobId = await caller.transcribe({ provider: 'builtin', keywords: [], prompt: ' ' })
    const audio = await orderOf(caller, { ...(await jobOf(caller, jobId)), step: 'audio' })
    await finishAudioStep(caller, jobId)
    for (const order of [audio, await orderOf(caller, await jobOf(caller, jobId))]) {
      expect(Object.keys(order)).not.toEqual(expect.arrayContaining([expect.stringMatching(/^(speakers|turns)$/)]))
      for (const field of ['vocabulary', 'words']) expect(order).not.toHaveProperty(field)
    }
  })

  test('is not asked who speaks for a provider that tells it itself', async () => {
    const caller = await newCaller()
    const jobId = await caller.transcribe({ provider: 'provider_b', apiKey: 'k', speakers: true })
    expect(await orderOf(caller, { ...(await jobOf(caller, jobId)), step: 'audio' })).not.toHaveProperty('speakers')
  })

  test('does not report turns of another job as its own', async () => {
    const caller = await newCaller()
    const [one, other] = [await caller.transcribe(asked), await caller.transcribe(asked)]
    await finishAudioWithTurns(caller, one, [])
    const lease = await leaseOf(caller, other, 'audio')
    const key = (await jobOf(caller, one)).carry?.turns?.key ?? ''
    const turns = { key, uploadId: null, parts: null, sizeBytes: 12 }
    const result = { step: 'audio', durationSeconds: 10, downloadedBytes: 1_000, pieces: [], turns }
    expect(await report(lease, { status: 'done', result })).toBe(409)
  })
})

describe('where it is heard', () => {
  const workersAi = { ...env, AI: {}, BUILTIN_SPEECH: 'workers-ai' } as unknown as Env
  const turbo = 'whisper-large-v3-turbo'

  /** A job that was started with the model, at a step. */
  const jobWith = async (caller: Caller, step: 'audio' | 'recognize', model?: string) => {
    const jobId = await caller.transcribe({ provider: 'builtin' })
    if (step === 'recognize') await finishAudioStep(caller, jobId)
    const job = await jobOf(caller, jobId)
    return { ...job, step, request: { ...job.request, ...(model !== undefined && { model }) } }
  }

  test.each([
    ['the default model of the container', env, undefined, { encoding: 'samples' }],
    ['a model of the container', env, 'small', { encoding: 'samples', model: 'small' }],
    ['one with the name of that of Workers AI', env, turbo, { encoding: 'samples', model: turbo }],
    ['a model of the container although the default is Workers AI', workersAi, 'small', { model: 'small' }],
    ['Workers AI', workersAi, undefined, { encoding: 'opus' }],
    ['Workers AI by the name of its model', workersAi, turbo, { encoding: 'opus' }],
  ])('the audio is prepared for %s', async (_, within, model, pieces) => {
    const caller = await newCaller()
    const job = await jobWith(caller, 'audio', model)
    const order = await orderOf(caller, job, within)
    expect(order).toMatchObject({ pieces })
    const named = 'model' in pieces ? pieces.model : undefined
    expect(order.step === 'audio' && [order.v, order.pieces.model]).toEqual([named && ORDER_VERSION, named])
    expect(runsInWorker(within, job, 'recognize')).toBe('encoding' in pieces && pieces.encoding === 'opus')
  })

  test('the container is told the model, and an older one is not asked', async () => {
    const caller = await newCaller()
    const named = await orderOf(caller, await jobWith(caller, 'recognize', 'small'))
    expect(named).toMatchObject({ step: 'recognize', v: ORDER_VERSION, model: 'small' })
    const unnamed = await orderOf(caller, await jobWith(caller, 'recognize'))
    for (const field of ['v', 'model']) expect(unnamed).not.toHaveProperty(field)
  })
})

describe('speakers where the engines have no models for them', () => {
  const start = async (tellsSpeakers: () => Promise<boolean>, fields: object) => {
    const models = async () => ({ models: null, tellsSpeakers: await tellsSpeakers() })
    const { apiKey } = await newCaller()
    const ctx = createExecutionContext()
    const request = new Request('https://haul.test/transcribe', {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ url: SOURCE, provider: 'builtin', ...fields }),
    })
    const fleet = { getByName: () => ({ models }) } as unknown as Env['FLEET_OBJECTS']
    const response = await worker.fetch(request, { ...env, FLEET_OBJECTS: fleet }, ctx)
    await waitOnExecutionContext(ctx)
    return { status: response.status, body: await response.json<{ code?: string; error?: string }>() }
  }

  test('are refused at once', async () => {
    const { status, body } = await start(async () => false, { speakers: true })
    expect([status, body.code]).toEqual([400, 'OPTION_UNSUPPORTED'])
    expect(body.error).toContain('speakers is not supported')
    expect((await start(async () => false, {})).status).toBe(202)
  })

  test('are accepted while the fleet cannot be asked', async () => {
    vi.spyOn(console, 'warn').mockReturnValue()
    const fails = () => Promise.reject(new Error('the fleet cannot be reached'))
    expect((await start(fails, { speakers: true })).status).toBe(202)
  })
})

test('the turns are deleted with the audio', async () => {
  const caller = await newCaller()
  const jobId = await caller.transcribe(asked)
  const key = await finishAudioWithTurns(caller, jobId, [])
  const lease = await leaseOf(caller, jobId, 'recognize')
  await caller.account.failStep(lease, { code: 'NO_SPEECH', message: '', retryable: false })
  await eventually(async () => expect(await env.MEDIA.head(key)).toBeNull())
})

test('the result says what recognized the speech, and with what', async () => {
  const caller = await newCaller()
  const jobId = await caller.transcribe(asked)
  await finishAudioStep(caller, jobId)
  const lease = await leaseOf(caller, jobId, 'recognize')
  const key = transcriptKey(jobId, 'recognize', await namesIn(jobId, lease.attempt))
  const transcript = await putTranscript(key, [{ start: 0, end: 1, text: 'Hello.' }])
  const facts: TranscriptFacts = {
    ...{ language: 'fr', languageProbability: 0.97, model: 'whisper-base', vocabulary: true },
    ...{ durationSeconds: 90, segments: 1, ...plainLayout },
  }
  expect(await report(lease, { status: 'done', result: { step: 'recognize', transcript, facts } })).toBe(200)
  const said = {
    ...{ source: 'builtin', model: 'whisper-base', language: 'fr', languageProbability: 0.97 },
    ...{ translatedTo: 'en', vocabulary: true },
  }
  expect((await caller.status(jobId)).result).toMatchObject(said)
  expect(await (await caller.fetch(`/transcribe/transcript?id=${jobId}`)).json()).toMatchObject(said)
})

describe('mode auto', () => {
  const withCaptions = async (fields: object, hasSpeakers: boolean) => {
    const caller = await newCaller()
    const jobId = await caller.transcribe({ mode: 'auto', maxCostDollars: 1, ...fields })
    const order = await orderOf(caller, { ...(await jobOf(caller, jobId)), step: 'captions' })
    const key = transcriptKey(jobId, 'captions', await namesIn(jobId))
    await findCaptions(caller, jobId, {
      transcript: await putTranscript(key, [{ start: 0, end: 1, text: 'Hello.' }]),
      facts: { language: 'en', durationSeconds: 90, segments: 1, ...plainLayout, hasSpeakers },
    })
    return { order, job: await jobOf(caller, jobId) }
  }

  test('takes captions without speakers only if nobody asks who speaks', async () => {
    expect((await withCaptions({}, false)).job.state).toBe('completed')
    expect((await withCaptions({ speakers: true }, true)).job.state).toBe('completed')
    expect((await withCaptions({ speakers: true }, false)).job).toMatchObject({ state: 'running', step: 'audio' })
  })

  test('takes captions in English before it translates', async () => {
    const { order, job } = await withCaptions({ translate: 'en', language: 'fr' }, false)
    expect(order).toMatchObject({ step: 'captions', language: 'en' })
    expect(job.result).not.toHaveProperty('translatedTo')
  })

  test('with a vocabulary takes captions, and says that they were not made with it', async () => {
    const { job } = await withCaptions({ keywords: ['Haul'] }, false)
    expect(job).toMatchObject({ state: 'completed', request: { vocabulary: { prompt: null, keywords: ['Haul'] } } })
    expect(job.result?.vocabulary ?? false).toBe(false)
  })
})

test('a job with another vocabulary is not reused', async () => {
  const caller = await newCaller()
  const fields = { provider: 'builtin', reuseWithinSeconds: 600 }
  const jobId = await caller.transcribe({ ...fields, keywords: ['Haul'] })
  await recognizeAs(caller, jobId, [{ start: 0, end: 1, text: 'Haul.' }])
  expect(await caller.transcribe({ ...fields, keywords: ['Haul', 'Zoe'] })).not.toBe(jobId)
  expect(await caller.transcribe({ ...fields, keywords: [' Haul'] })).toBe(jobId)
})

test('words of Workers AI have the speakers that the container has found', async () => {
  const caller = await newCaller()
  const jobId = await caller.transcribe({ provider: 'builtin', speakers: true, words: true })
  const turns = [
    { start: 0, end: 1.9, speaker: 'A' },
    { start: 2, end: 4, speaker: 'B' },
  ]
  await finishAudioWithTurns(caller, jobId, turns)
  const words = ['Who', 'is', 'it?', 'Me.'].map((word, at) => ({
    word: ` ${word}`,
    start: at * 0.6,
    end: at * 0.6 + 0.5,
  }))
  const AI = {
    run: async () => ({
      ...{ text: 'Who is it? Me.', segments: [{ start: 0, end: 3, text: ' Who is it? Me.', words }] },
      transcription_info: { language: 'en', duration: 10 },
    }),
  }
  words[3] = { word: ' Me.', start: 1.8, end: 2.4 }
  await deliver(caller, jobId, 'recognize', { ...env, AI, BUILTIN_SPEECH: 'workers-ai' } as unknown as Env)
  const { body } = await caller.callApi('GET', `/transcribe/status?id=${jobId}&words=1`)
  expect(body.data.result.data.segments).toMatchObject([
    { text: 'Who is it?', speaker: 'A', words: [{ speaker: 'A' }, { speaker: 'A' }, { speaker: 'A' }] },
    { text: 'Me.', speaker: 'B', words: [{ text: 'Me.', speaker: 'B' }] },
  ])
})
