import { expect, test } from 'vitest'
import type { ImportJob, PreparedAudio, TranscribeRequest, TranscriptionJob } from '../../../../domain/jobs/job.ts'
import {
  agreedBytes,
  agreedSeconds,
  billedBytes,
  exceedsMaxCost,
  firstHold,
  quoteOf,
  requiredHold,
  usageOf,
  wantedHold,
} from '../../../../domain/money/bill.ts'
import { micros } from '../../../../domain/money/money.ts'
import { defaultPrices, freePrices } from '../../../../domain/money/prices.ts'
import type { MediaFacts } from '../../../../domain/protocol/protocol.ts'

const job = (request: Partial<TranscribeRequest>, changes: Partial<TranscriptionJob> = {}): TranscriptionJob => ({
  id: 'trn_1',
  kind: 'transcription',
  state: 'running',
  origin: null,
  createdAt: 0,
  startedAt: 0,
  completedAt: null,
  step: 'audio',
  usedAttempts: 1,
  attempt: 1,
  failure: null,
  progress: null,
  prices: defaultPrices,
  keyId: 'key_1',
  removedAt: null,
  request: {
    url: 'https://media.example/film.mp4',
    importId: null,
    uploadId: null,
    clip: null,
    words: false,
    speakers: null,
    language: null,
    provider: 'builtin',
    captionsFirst: false,
    providerOptions: null,
    maxCostMicros: null,
    webhookUrl: null,
    ...request,
  },
  carry: null,
  result: null,
  ...changes,
})

const importJob: ImportJob = {
  ...job({}),
  kind: 'import',
  step: 'fetch',
  request: {} as ImportJob['request'],
  carry: null,
  result: null,
}
const delivered = { billedBytes: 2_000_000 } as NonNullable<ImportJob['carry']>

const audio = (durationSeconds: number, downloadedBytes: number): PreparedAudio => ({
  attempt: 1,
  durationSeconds,
  downloadedBytes,
  pieces: [],
  waits: 0,
})

const known = (durationSeconds?: number | null, totalBytes: number | null = null, downloadedBytes = 0) => ({
  durationSeconds,
  totalBytes,
  downloadedBytes,
})

test.each([
  ['captions', { provider: null, captionsFirst: false }, null, 10_000],
  ['captions, of a file of known size', { provider: null, captionsFirst: true }, 50_000_000, 10_000],
  ['built-in provider, of a file of 2 MB', { provider: 'builtin', captionsFirst: false }, 2_000_000, 50_000],
  ['third-party provider, of a page', { provider: 'provider_a', captionsFirst: false }, null, 40_000],
  ['captions first, else the built-in provider', { provider: 'builtin', captionsFirst: true }, null, 40_000],
] as const)('%s: the first hold covers the download and the minimum price of speech', (_, request, bytes, hold) =>
  expect(firstHold(defaultPrices, { kind: 'transcription', request: { ...request, maxCostMicros: null } }, bytes)).toBe(
    hold,
  ),
)

const limitedTo = (maxCostMicros: number, request: Partial<TranscribeRequest> = {}): TranscriptionJob =>
  job({ ...request, maxCostMicros: micros(maxCostMicros) })

const stored = job({}, { step: 'recognize', carry: audio(600, 1_000_000) })

test.each([
  ['before the source has been resolved', job({}), known(undefined), 30_000],
  ['ten minutes by the built-in provider', job({}), known(600, 1_000_000), 210_000],
  ['ten minutes by a third-party provider', job({ provider: 'provider_b' }), known(600, 1_000_000), 110_000],
  ['captions, of a large film', job({ provider: null }, { step: 'captions' }), known(600, 9_000_000), 10_000],
  ['captions first, in the captions step', job({ captionsFirst: true }, { step: 'captions' }), known(600), 10_000],
  ['pieces from our own storage: no download', stored, known(undefined, 40_000_000, 30_000_000), 210_000],
  ['unknown duration: maxCostDollars', limitedTo(900_000), known(null), 900_000],
  ['unknown duration, third-party provider: the minimum', job({ provider: 'provider_a' }), known(null), 30_000],
  ['a cost that is maxCostDollars', limitedTo(210_000), known(600, 1_000_000), 210_000],
  ['an estimated size: nothing for it', job({}), { ...known(600), estimatedBytes: 2_000_000 }, 200_000],
  ['an import that is re-encoded', importJob, { ...known(null, null, 1_000_000), neededBytes: 5_000_000 }, 50_000],
])('the required hold: %s', (_, given, usage, holdMicros) => expect(requiredHold(given, usage)).toEqual({ holdMicros }))

test('the built-in provider requires maxCostDollars for media of unknown duration', () =>
  expect(requiredHold(job({}), known(null))).toMatchObject({ failed: { code: 'MAX_COST_REQUIRED' } }))

const quoting = (bytes: object, downloadedBytes = 0) => ({ ...known(600, null, downloadedBytes), ...bytes })

test.each([
  ['the announced size', limitedTo(199_999), known(600, 1_000_000), 210_000],
  ['a typical size if none is announced', limitedTo(199_999), known(600), 296_000],
  ['what a third-party provider costs', limitedTo(99_999, { provider: 'provider_a' }), known(600, 1_000_000), 110_000],
  ['what was downloaded, before recognition', limitedTo(100_000), known(600, null, 500_000), 205_000],
  ['the estimated size, until more than that is needed', limitedTo(199_999), quoting({ estimatedBytes: 2e6 }), 220_000],
  [
    'what is needed, if that is more',
    limitedTo(199_999),
    quoting({ estimatedBytes: 2e6, neededBytes: 3e6 }, 2_900_000),
    230_000,
  ],
  [
    'the announced size, whatever was estimated',
    limitedTo(199_999),
    quoting({ totalBytes: 1e6, estimatedBytes: 2e6 }),
    210_000,
  ],
])('a job that costs more than maxCostDollars fails with a quote: %s', (_, given, usage, costMicros) =>
  expect(requiredHold(given, usage)).toMatchObject({
    failed: { code: 'MAX_COST_EXCEEDED', quote: { seconds: 600, costMicros } },
  }),
)

test('maxCostDollars set to the quote covers the job', () => {
  const quote = quoteOf(defaultPrices, 600, 1_234_567)
  const accepted = job({ maxCostMicros: quote?.costMicros ?? null })
  expect(requiredHold(accepted, known(600, 1_234_567))).toEqual({ holdMicros: quote?.costMicros })
})

const report = { stage: 'downloading', percent: null, downloadedBytes: 0, bytesPerSecond: null } as const
const estimate = { ...report, totalBytes: 1_000_000, durationSeconds: 600, durationIsEstimate: true }

test('an estimated length is for the quote only: the built-in provider still requires maxCostDollars', () =>
  expect(requiredHold(job({}), usageOf(estimate))).toMatchObject({
    failed: { code: 'MAX_COST_REQUIRED', quote: { seconds: 600, costMicros: 210_000, isEstimate: true } },
  }))

test('an estimate above maxCostDollars does not fail the job: the hold is maxCostDollars until the length is known', () => {
  expect(requiredHold(limitedTo(100_000), usageOf(estimate))).toEqual({ holdMicros: 100_000 })
})

test('a download above maxCostDollars fails the job with a quote from the estimated length', () =>
  expect(requiredHold(limitedTo(9_999), usageOf(estimate))).toMatchObject({
    failed: { code: 'MAX_COST_EXCEEDED', quote: { seconds: 600, costMicros: 210_000, isEstimate: true } },
  }))

test('a stated length, and one that is not known yet, count as they are', () => {
  expect(usageOf({ ...estimate, durationIsEstimate: false })).toMatchObject({ durationSeconds: 600 })
  expect(usageOf({ ...report, totalBytes: null }).durationSeconds).toBeUndefined()
})

test('media of unknown duration has no quote', () => expect(quoteOf(defaultPrices, null, 1_000_000)).toBeNull())

test('the hold must cover what a download needs, and should cover what it wants up to the ceiling', () => {
  const usage = { ...known(600, null, 1_000_000), neededBytes: 2_000_000, wantedBytes: 9_000_000 }
  expect(requiredHold(job({}), usage)).toEqual({ holdMicros: 220_000 })
  expect(wantedHold(job({}), usage)).toBe(290_000)
  expect(wantedHold(limitedTo(250_000), usage)).toBe(250_000)
})

test.each([
  ['an import', importJob, known(), 50_000, 5_000_000],
  ['an import that is being delivered', { ...importJob, carry: delivered }, known(), 50_000, null],
  ['captions', job({}, { step: 'captions' }), known(), 10_000, null],
  ['recognition', job({}, { step: 'recognize', carry: audio(600, 1) }), known(), 300_000, null],
  ['the audio of ten minutes', job({}), known(600), 230_000, 3_000_000],
  ['audio of a length that is not known yet', job({}), known(), 40_000, 1_000_000],
  ['audio below a ceiling that is less than the hold', limitedTo(220_000), known(600), 300_000, 2_000_000],
  ['audio whose speech alone takes the hold', job({}), known(600), 200_000, 0],
  ['audio whose speech takes more than the hold', job({}), known(6_000), 200_000, 0],
])('the bytes that a hold agrees to for %s', (_, of, usage, held, bytes) =>
  expect(agreedBytes(of, usage, micros(held))).toBe(bytes),
)

test.each([
  ['an import', importJob, known(), 50_000, null],
  ['recognition', job({}, { step: 'recognize', carry: audio(600, 1) }), known(), 300_000, null],
  ['the audio of ten minutes', job({}), known(600, 1_000_000), 210_000, 600],
  ['the same of a file that was uploaded', job({ url: null }), known(600), 200_000, 600],
  ['a file of two seconds: the minimum price', job({}), known(2), 30_000, 90],
  ['the same by a provider', job({ provider: 'provider_a' }), known(2), 30_000, 180],
  ['less than the minimum price', job({}), known(2, 100), 30_000, 0],
  ['a ceiling that is less than the hold', limitedTo(100_000), known(2), 300_000, 300],
])('the seconds of speech that a hold agrees to for %s', (_, of, usage, held, seconds) =>
  expect(agreedSeconds(of, usage, micros(held))).toBe(seconds),
)

test('speech that lasts longer than it stated is wanted as far as the ceiling allows, and required as far as it goes', () => {
  const usage = { ...known(148), wantedSeconds: 296 }
  expect(requiredHold(job({}), usage)).toEqual({ holdMicros: 49_334 })
  expect(wantedHold(job({}), usage)).toBe(98_667)
  expect(wantedHold(limitedTo(60_000), usage)).toBe(60_000)
})

const facts = { downloadedBytes: 53_578, sizeBytes: 691_200_114 } as MediaFacts

test.each([
  ['a copy is billed by its download', facts, 53_578],
  ['a re-encoded file that grew is billed by its size', { ...facts, transcoded: true }, 691_200_114],
  ['one that shrank is billed by its download', { ...facts, sizeBytes: 100, transcoded: true }, 53_578],
])('%s', (_, measured, bytes) => expect(billedBytes(measured)).toBe(bytes))

const limited = (limits: Partial<ImportJob['request']>): ImportJob => ({
  ...importJob,
  request: limits as ImportJob['request'],
})
const ofBytes = (downloadedBytes: number, totalBytes: number | null = null) =>
  known(undefined, totalBytes, downloadedBytes)

test.each([
  ['an announced size', { maxBytes: 1_000_000 }, ofBytes(0, 1_000_001), 'MEDIA_TOO_LARGE'],
  ['bytes that have arrived', { maxBytes: 1_000_000 }, ofBytes(1_000_001), 'MEDIA_TOO_LARGE'],
  ['bytes that it needs', { maxBytes: 1_000_000 }, { ...ofBytes(999_999), neededBytes: 1_000_001 }, 'MEDIA_TOO_LARGE'],
  ['what an announced size costs', { maxCostMicros: micros(10_000) }, ofBytes(0, 1_000_001), 'MAX_COST_EXCEEDED'],
  ['what has arrived costs', { maxCostMicros: micros(10_000) }, ofBytes(1_000_001), 'MAX_COST_EXCEEDED'],
])('an import ends beyond its ceiling: %s', (_, limits, usage, code) =>
  expect(requiredHold(limited(limits), usage)).toMatchObject({ failed: { code } }),
)

test('an import may reach its ceilings, and a copy to a bucket is not measured by them', () => {
  const both = { maxBytes: 1_000_000, maxCostMicros: micros(10_000) }
  expect(requiredHold(limited(both), ofBytes(0, 1_000_000))).toEqual({ holdMicros: 10_000 })
  const copied = { ...limited(both), step: 'deliver' as const, carry: delivered }
  expect(requiredHold(copied, ofBytes(2_000_000))).toEqual({ holdMicros: 20_000 })
  expect(exceedsMaxCost(limited(both), micros(10_000))).toBe(false)
  expect(exceedsMaxCost(limited(both), micros(10_001))).toBe(true)
  expect(exceedsMaxCost(importJob, micros(1e9))).toBe(false)
})

test('no more bytes are agreed to than an import may have, whatever is held', () => {
  const agreed = (limits: Partial<ImportJob['request']>) => agreedBytes(limited(limits), known(), micros(50_000))
  expect(agreed({ maxBytes: 3_000_000 })).toBe(3_000_000)
  expect(agreed({ maxCostMicros: micros(20_000) })).toBe(2_000_000)
  expect(agreed({ maxBytes: 1_000_000, maxCostMicros: micros(20_000) })).toBe(1_000_000)
  expect(agreedBytes({ ...limited({ maxBytes: 7 }), prices: freePrices }, known(), micros(0))).toBe(7)
  expect(wantedHold(limited({ maxCostMicros: micros(20_000) }), { ...known(), wantedBytes: 9e6 })).toBe(20_000)
})

test('a new import holds no more than it may cost', () => {
  const hold = (ceiling: Partial<ImportJob['request']>) =>
    firstHold(defaultPrices, { kind: 'import', request: limited(ceiling).request }, 5_000_000)
  const most = (maxCostMicros: number) => hold({ maxCostMicros: micros(maxCostMicros) })
  expect([hold({}), most(50_000), most(49_999)]).toEqual([50_000, 50_000, 49_999])
})

test('a new transcription holds no more than it may cost', () => {
  const hold = (maxCostMicros: number) => {
    const request = { provider: 'builtin', captionsFirst: true, maxCostMicros: micros(maxCostMicros) } as const
    return firstHold(defaultPrices, { kind: 'transcription', request }, 100_000_000)
  }
  expect([hold(2_000_000), hold(500_000)]).toEqual([1_030_000, 500_000])
})

test('a job is charged by the prices that it was accepted with', () => {
  const prices = { ...defaultPrices, downloadPerMegabyte: micros(1_000), builtinPerMinute: micros(60_000) }
  expect(requiredHold({ ...job({}), prices }, known(600, 1_000_000))).toEqual({ holdMicros: 601_000 })
  expect(requiredHold({ ...job({}), prices: { ...prices, speechMinimum: micros(700_000) } }, known(600, 0))).toEqual({
    holdMicros: 700_000,
  })
  expect(requiredHold({ ...importJob, prices }, known(undefined, 1_000_000))).toEqual({ holdMicros: 1_000 })
  expect(agreedBytes({ ...importJob, prices }, known(), micros(50_000))).toBe(50_000_000)
  expect(quoteOf(prices, 60, 1_000_000)).toEqual({ seconds: 60, costMicros: 61_000 })
})

test('where everything is free nothing is held, media of unknown length needs no ceiling, and nothing is limited', () => {
  const free = { ...job({}), prices: freePrices }
  expect(requiredHold(free, known(null))).toEqual({ holdMicros: 0 })
  expect(requiredHold({ ...limitedTo(5), prices: freePrices }, known(null))).toEqual({
    holdMicros: 0,
  })
  expect(firstHold(freePrices, { kind: 'transcription', request: free.request }, null)).toBe(0)
  expect(agreedBytes(free, known(600), micros(0))).toBeNull()
  expect(agreedSeconds(free, known(600), micros(0))).toBeNull()
  expect(agreedBytes({ ...importJob, prices: freePrices }, known(), micros(0))).toBeNull()
})
