import { env } from 'cloudflare:workers'
import { describe, expect, test } from 'vitest'
import { STORAGE_RECORD } from '../../../domain/bucket/storage-settings.ts'
import { type Failure, failure } from '../../../domain/codes/failures.ts'
import { RETENTION_DAYS } from '../../../domain/limits.ts'
import { audioKey, mediaKey, tracksKey, transcriptKey } from '../../../domain/media/media-keys.ts'
import type { FetchedMedia, Track } from '../../../domain/protocol/protocol.ts'
import { DAY_MS } from '../../../domain/time.ts'
import { putCredential } from '../../../worker/directory.ts'
import { leased, mediaFacts } from '../support/account.ts'
import { type Caller, callApi, FILM, namesIn, newCaller } from '../support/caller.ts'
import { eventually, runAlarm, skip } from '../support/clock.ts'
import { FILM_BYTES, filmCost } from '../support/film.ts'
import { plainLayout, putTranscript } from '../support/transcriptions.ts'

/** What an import makes beside its media, as steps report it: what is held and charged for it, and how long it is kept. */

const SECONDS = 120
const captionsCost = 0.01
const speechCost = 0.04
const ALL = { captions: ['en', 'de'], transcribe: { mode: 'speech' } }

const english = { start: 0, end: 2, text: 'Two seconds.' }
const factsOf = (segments: number) => ({ language: 'en', durationSeconds: SECONDS, segments, ...plainLayout })

const track = (language: string): Track => ({
  language,
  origin: 'manual',
  range: { offset: 0, length: 10 },
  facts: { ...factsOf(1), language },
})
const missing = (language: string, code = 'NOT_AT_SOURCE'): Track => ({ language, code })

type Captions = Omit<NonNullable<FetchedMedia['captions']>, 'upload'>

const start = async (caller: Caller, request: object = ALL, key = caller.apiKey): Promise<string> => {
  const { status, body } = await callApi('POST', '/import', { key, body: { url: FILM, ...request } })
  if (status !== 202) throw new Error(JSON.stringify(body))
  return body.data.jobId
}

const both: Captions = { files: [track('en'), missing('de')] }

/** Reports a film with its captions, as the container does. */
const fetch = async ({ account }: Caller, jobId: string, captions = both, facts: object = {}): Promise<void> => {
  const lease = await leased(account, jobId)
  const names = await namesIn(jobId)
  const { key } = await putTranscript(tracksKey(jobId, 'fetch', names), [english])
  const upload = { key, uploadId: null, parts: null, sizeBytes: 1 }
  await env.MEDIA.put(mediaKey(jobId, names), 'film')
  const fetched = {
    facts: mediaFacts(FILM_BYTES, { durationSeconds: SECONDS, ...facts }),
    captions: { ...captions, upload },
  }
  await account.finishFetch(lease, { ...fetched, stored: { ...names, hasThumbnail: false } })
}

/** Stores the sound that is to be recognized. */
const decode = async ({ account }: Caller, jobId: string, attempt = 2, durationSeconds = SECONDS): Promise<void> => {
  const lease = await leased(account, jobId, 'audio')
  const names = await namesIn(jobId, attempt)
  const upload = { key: audioKey(jobId, names, 0), uploadId: null, parts: null, sizeBytes: 1_000 }
  const pieces = [{ upload, offsetSeconds: 0, durationSeconds }]
  await account.finishTranscriptionStep(lease, { step: 'audio', durationSeconds, downloadedBytes: 0, pieces }, names)
}

const recognize = async ({ account }: Caller, jobId: string, attempt = 3): Promise<void> => {
  const lease = await leased(account, jobId, 'recognize')
  const names = await namesIn(jobId, attempt)
  const transcript = await putTranscript(transcriptKey(jobId, 'recognize', names), [english])
  await account.finishTranscriptionStep(lease, { step: 'recognize', transcript, facts: factsOf(1) }, names)
}

const speak = async (caller: Caller, jobId: string): Promise<void> => {
  await decode(caller, jobId)
  await recognize(caller, jobId)
}

const failIn = async (
  { account }: Caller,
  jobId: string,
  step: 'audio' | 'recognize',
  reason: Failure,
): Promise<void> => {
  await account.failStep(await leased(account, jobId, step), reason)
}

const read = async (caller: Caller, jobId: string) => (await caller.get(`/import/status?id=${jobId}`)).body.data
const money = async (caller: Caller) => (await caller.get('/account')).body.data
const held = async (caller: Caller): Promise<number> => (await money(caller)).heldDollars
const balance = async (caller: Caller): Promise<number> => (await money(caller)).balanceDollars

/** What became of each file, and what it cost. */
const filesOf = async (caller: Caller, jobId: string) => {
  const { result } = await read(caller, jobId)
  return result.files.map(({ kind, language, status, code, costInDollars }: Record<string, string>) =>
    [kind, language, code ?? status, costInDollars].filter((value) => value !== undefined),
  )
}

describe('money is held for the download, then for captions, then for speech', () => {
  const limits = ['the balance', 'a ceiling', 'the budget of a key'] as const
  const codes = {
    'the balance': 'INSUFFICIENT_BALANCE',
    'a ceiling': 'MAX_COST_EXCEEDED',
    'the budget of a key': 'KEY_BUDGET_EXCEEDED',
  } as const

  const startWithin = async (limit: (typeof limits)[number], dollars: number) => {
    if (limit === 'the balance') {
      const poor = await newCaller(dollars)
      return { caller: poor, jobId: await start(poor) }
    }
    const caller = await newCaller()
    if (limit === 'a ceiling') return { caller, jobId: await start(caller, { ...ALL, maxCostDollars: dollars }) }
    const terms = { name: 'page', scopes: ['import', 'transcribe'], dollarsPerMonth: dollars }
    const { apiKey } = (await caller.post('/keys', terms)).body.data
    return { caller, jobId: await start(caller, ALL, apiKey) }
  }

  test.each(limits)('of %s, and the media is charged alone if only that can be paid for', async (limit) => {
    const { caller, jobId } = await startWithin(limit, filmCost)
    await fetch(caller, jobId)
    const code = codes[limit]
    expect(await filesOf(caller, jobId)).toEqual([
      ['media', 'completed', filmCost],
      ['captions', 'en', code, 0],
      ['captions', 'de', 'NOT_AT_SOURCE', 0],
      ['transcript', code, 0],
    ])
    const { result } = await read(caller, jobId)
    expect(result).toMatchObject({ complete: false, costInDollars: filmCost })
    expect(result.files.at(-1).quote).toEqual({ estimatedMinutes: 2, estimatedCostDollars: speechCost })
  })

  test.each(limits)('of %s, and the transcript fails if it cannot be paid for beside the captions', async (limit) => {
    const { caller, jobId } = await startWithin(limit, 0.2)
    await fetch(caller, jobId)
    expect(await filesOf(caller, jobId)).toEqual([
      ['media', 'completed', filmCost],
      ['captions', 'en', 'completed', captionsCost],
      ['captions', 'de', 'NOT_AT_SOURCE', 0],
      ['transcript', codes[limit], 0],
    ])
    expect((await read(caller, jobId)).result.costInDollars).toBe(0.163421)
    expect(await held(caller)).toBe(0)
  })

  test.each(limits)('of %s, and all is made if there is just enough', async (limit) => {
    const { caller, jobId } = await startWithin(limit, 0.203421)
    await fetch(caller, jobId)
    await speak(caller, jobId)
    expect(await filesOf(caller, jobId)).toEqual([
      ['media', 'completed', filmCost],
      ['captions', 'en', 'completed', captionsCost],
      ['captions', 'de', 'NOT_AT_SOURCE', 0],
      ['transcript', 'en', 'completed', speechCost],
    ])
    expect((await read(caller, jobId)).result).toMatchObject({ complete: true, costInDollars: 0.203421 })
  })

  test('of a ceiling, and without the download the import fails', async () => {
    const { caller, jobId } = await startWithin('a ceiling', 0.1534)
    await fetch(caller, jobId)
    expect(await read(caller, jobId)).toMatchObject({ status: 'failed', code: 'MAX_COST_EXCEEDED' })
    expect([await held(caller), await balance(caller)]).toEqual([0, 10])
  })

  test('of a ceiling, and speech that lasts longer than stated fails alone', async () => {
    const { caller, jobId } = await startWithin('a ceiling', 0.22)
    await fetch(caller, jobId)
    await decode(caller, jobId, 2, 2 * SECONDS)
    expect((await filesOf(caller, jobId)).at(-1)).toEqual(['transcript', 'MAX_COST_EXCEEDED', 0])
    expect((await read(caller, jobId)).result.files.at(-1).quote).toMatchObject({ estimatedMinutes: 4 })
    expect(await balance(caller)).toBe(10 - 0.163421)
  })
})

test('the hold grows with what follows, and ends with the charge', async () => {
  const caller = await newCaller()
  const jobId = await start(caller)
  const holds = [await held(caller)]
  await fetch(caller, jobId)
  holds.push(await held(caller))
  await decode(caller, jobId, 2, 10 * SECONDS)
  holds.push(await held(caller))
  await recognize(caller, jobId)
  holds.push(await held(caller))
  expect(holds).toEqual([filmCost, 0.3, 0.6, 0])
  expect(await balance(caller)).toBe(10 - (filmCost + captionsCost + 10 * speechCost))
})

describe('captions cost as much as one transcript of them', () => {
  const en = track('en')

  test.each([
    ['as files', { captions: ['en', 'de'] }, { files: [en, track('de')] }, [captionsCost, 0]],
    ['as the transcript', { transcribe: {} }, { files: [], transcript: en }, [captionsCost]],
    [
      'as both, with the first that could be read',
      { captions: ['fr', 'en'], transcribe: {} },
      { files: [missing('fr', 'SOURCE_RATE_LIMITED'), en], transcript: en },
      [0, captionsCost, 0],
    ],
    ['and nothing if there are none', { captions: ['fr'], transcribe: {} }, { files: [missing('fr')] }, [0, 0]],
  ] as const)('%s', async (_, request, captions, costs) => {
    const caller = await newCaller()
    const jobId = await start(caller, request)
    await fetch(caller, jobId, captions as unknown as Captions)
    const { result } = await read(caller, jobId)
    const [media, ...parts] = result.files
    expect(parts.map(({ costInDollars }: { costInDollars: number }) => costInDollars)).toEqual(costs)
    const paid = costs.some((cost) => cost > 0) ? captionsCost : 0
    expect([media.costInDollars, result.costInDollars]).toEqual([filmCost, filmCost + paid])
    expect(await balance(caller)).toBe(10 - filmCost - paid)
  })
})

test('captions that the source has in no language at all are one file that was skipped', async () => {
  const caller = await newCaller()
  const jobId = await start(caller, { captions: 'all' })
  await fetch(caller, jobId, { files: [] })
  expect(await filesOf(caller, jobId)).toEqual([
    ['media', 'completed', filmCost],
    ['captions', 'NOT_AT_SOURCE', 0],
  ])
  expect((await read(caller, jobId)).result).toMatchObject({ complete: true, costInDollars: filmCost })
})

describe('speech that fails', () => {
  test.each([
    ['NO_SPEECH', true, 'skipped'],
    ['MEDIA_TOO_LONG', false, 'failed'],
    ['TIMED_OUT', false, 'failed'],
    ['SPEECH_UNAVAILABLE', false, 'failed'],
  ] as const)('with %s leaves the import completed, and costs nothing', async (code, complete, status) => {
    const caller = await newCaller()
    const jobId = await start(caller)
    await fetch(caller, jobId)
    await failIn(caller, jobId, 'audio', failure(code))
    const { result } = await read(caller, jobId)
    expect(result).toMatchObject({ complete, costInDollars: filmCost + captionsCost })
    expect(result.files.at(-1)).toMatchObject({ kind: 'transcript', status, code, costInDollars: 0 })
  })

  test('by being canceled fails the import, for free, with nothing left', async () => {
    const caller = await newCaller()
    const jobId = await start(caller)
    await fetch(caller, jobId)
    await decode(caller, jobId)
    await caller.delete(`/jobs/${jobId}`)
    expect((await read(caller, jobId)).code).toBe('CANCELED')
    expect([await held(caller), await balance(caller)]).toEqual([0, 10])
    const left = async () => {
      const listed = await Promise.all(['media', 'transcripts', 'audio'].map((kind) => objectsOf(kind, jobId)))
      return listed.flat()
    }
    await eventually(async () => expect(await left()).toEqual([]))
  })
})

const objectsOf = async (kind: string, jobId: string): Promise<string[]> =>
  (await env.MEDIA.list({ prefix: `${kind}/${jobId}/` })).objects.map(({ key }) => key)

describe('the engine-seconds of speech that is not paid for', () => {
  const WORK_SECONDS = 40
  /** How many times so much work has been counted. */
  const timesCounted = async (caller: Caller): Promise<number> =>
    Math.round((1_200 - (await money(caller)).freeWork.engineSecondsLeft) / WORK_SECONDS)

  /** The step runs for a while under its lease. */
  const failAfter = async (caller: Caller, jobId: string, step: 'audio' | 'recognize', reason: Failure) => {
    const lease = await leased(caller.account, jobId, step)
    skip(WORK_SECONDS * 1_000)
    await caller.account.failStep(lease, reason)
  }

  test.each([
    ['count', 'builtin', 'NO_SPEECH', 1],
    ['do not count if it is our fault', 'builtin', 'INTERNAL', 0],
    ['do not count where a provider works', 'provider_a', 'PROVIDER_FAILED', 0],
  ] as const)('%s', async (_, provider, code, times) => {
    const caller = await newCaller()
    const transcribe = { provider, ...(provider === 'builtin' ? {} : { apiKey: 'k' }) }
    const jobId = await start(caller, { transcribe })
    await fetch(caller, jobId, { files: [] })
    await decode(caller, jobId)
    await failAfter(caller, jobId, 'recognize', failure(code))
    expect(await timesCounted(caller)).toBe(times)
  })

  test('do not count of an attempt whose engine has died', async () => {
    const caller = await newCaller()
    const jobId = await start(caller, { transcribe: { mode: 'speech' } })
    await fetch(caller, jobId, { files: [] })
    const lease = await leased(caller.account, jobId, 'audio')
    skip(WORK_SECONDS * 1_000)
    await caller.account.giveBack(lease, {})
    await failAfter(caller, jobId, 'audio', failure('NO_SPEECH'))
    expect(await timesCounted(caller)).toBe(1)
  })

  test('count once if the copy into the bucket fails too', async () => {
    const caller = await newCaller()
    await putCredential(env.DB, caller.accountId, {
      record: STORAGE_RECORD,
      sealed: 'a bucket',
      shown: '{}',
      updatedAt: 0,
    })
    const jobId = await start(caller, { transcribe: { mode: 'speech' }, store: true })
    await fetch(caller, jobId, { files: [] })
    await failAfter(caller, jobId, 'audio', failure('NO_SPEECH'))
    await caller.account.failStep(await leased(caller.account, jobId, 'deliver'), failure('STORAGE_FAILED'))
    expect(await timesCounted(caller)).toBe(1)
  })
})

describe('an earlier import is the answer to the same request', () => {
  test.each([
    ['if it is complete', failure('NO_SPEECH'), true],
    ['but not if a file has failed', failure('PROVIDER_FAILED'), false],
  ] as const)('%s', async (_, reason, reused) => {
    const caller = await newCaller()
    const request = { ...ALL, reuseWithinSeconds: 3_600 }
    const jobId = await start(caller, request)
    await fetch(caller, jobId)
    await failIn(caller, jobId, 'audio', reason)
    const again = await caller.post('/import', { url: FILM, ...request })
    expect(again.body.data.jobId === jobId).toBe(reused)
  })
})

describe('a key with the scope import only', () => {
  test.each([
    ['captions', { captions: ['en'] }, 403],
    ['a transcript', { transcribe: {} }, 403],
    ['other files', { files: ['info'] }, 202],
  ] as const)('and %s', async (_, request, expected) => {
    const caller = await newCaller()
    const { apiKey: key } = (await caller.post('/keys', { name: 'page', scopes: ['import'] })).body.data
    const { status, body } = await callApi('POST', '/import', { key, body: { url: FILM, ...request } })
    expect(status).toBe(expected)
    if (expected === 403) expect(body).toMatchObject({ code: 'SCOPE_MISSING', scope: 'transcribe' })
    const batch = await callApi('POST', '/batches', { key, body: { urls: [FILM], import: request } })
    expect(batch.status).toBe(expected)
  })
})

test('words are kept when the media expires, until their caller removes them', async () => {
  const caller = await newCaller()
  const jobId = await start(caller)
  await fetch(caller, jobId)
  await speak(caller, jobId)
  skip(RETENTION_DAYS * DAY_MS + DAY_MS)
  await runAlarm(caller.account)
  await eventually(async () => expect(await objectsOf('media', jobId)).toEqual([]))
  expect(await objectsOf('transcripts', jobId)).toHaveLength(2)
  expect((await caller.get(`/transcribe/transcript?id=${jobId}&format=txt`)).status).toBe(200)
  await caller.delete(`/jobs/${jobId}`)
  await eventually(async () => expect(await objectsOf('transcripts', jobId)).toEqual([]))
  expect((await caller.get(`/transcribe/transcript?id=${jobId}&format=txt`)).status).toBe(410)
})
