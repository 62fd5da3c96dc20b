import { expect, test } from 'vitest'
import type { ImportJob, PreparedAudio, TranscribeRequest, TranscriptionJob } from '../../../domain/jobs/job.ts'
import {
  agreedBytes,
  agreedSeconds,
  billedBytes,
  quoteOf,
  requiredHold,
  transcriptionHold,
  usageOf,
  wantedHold,
} from '../../../domain/money/bill.ts'
import { micros } from '../../../domain/money/money.ts'
import type { MediaFacts } from '../../../domain/protocol/protocol.ts'

const job = (request: Partial<TranscribeRequest>, changes: Partial<TranscriptionJob> = {}): TranscriptionJob => ({
  id: 'trn_1',
  kind: 'transcription',
  state: 'running',
  origin: null,
  createdAt: 0,
  startedAt: 0,
  completedAt: null,
  step: 'audio',
  attempts: 1,
  leaseNumber: 1,
  failure: null,
  progress: null,
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
const delivered = {} as NonNullable<ImportJob['carry']>

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
  expect(transcriptionHold(request, bytes)).toBe(hold),
)

test.each([
  ['before the source has been resolved', job({}), known(undefined), 30_000],
  ['ten minutes by the built-in provider', job({}), known(600, 1_000_000), 210_000],
  ['ten minutes by a third-party provider', job({ provider: 'provider_b' }), known(600, 1_000_000), 110_000],
  ['captions, of a large film', job({ provider: null }, { step: 'captions' }), known(600, 9_000_000), 10_000],
  ['captions first, in the captions step', job({ captionsFirst: true }, { step: 'captions' }), known(600), 10_000],
  [
    'pieces from our own storage are not charged as a download',
    job({}, { step: 'recognize', carry: audio(600, 1_000_000) }),
    known(undefined, 40_000_000, 30_000_000),
    210_000,
  ],
  ['unknown duration: maxCostDollars', job({ maxCostMicros: micros(900_000) }), known(null), 900_000],
  ['unknown duration, third-party provider: the minimum', job({ provider: 'provider_a' }), known(null), 30_000],
])('%s is the required hold', (_, given, usage, holdMicros) =>
  expect(requiredHold(given, usage)).toEqual({ holdMicros }),
)

test('the built-in provider requires maxCostDollars for media of unknown duration', () =>
  expect(requiredHold(job({}), known(null))).toMatchObject({ failed: { code: 'MAX_COST_REQUIRED' } }))

test.each([
  ['with the announced size', known(600, 1_000_000), { seconds: 600, costMicros: 210_000 }],
  ['with a typical size if none is announced', known(600), { seconds: 600, costMicros: 296_000 }],
])('an estimate above maxCostDollars fails the job with a quote, %s', (_, usage, quote) =>
  expect(requiredHold(job({ maxCostMicros: micros(199_999) }), usage)).toMatchObject({
    failed: { code: 'MAX_COST_EXCEEDED', quote },
  }),
)

test('maxCostDollars applies to third-party providers', () =>
  expect(
    requiredHold(job({ provider: 'provider_a', maxCostMicros: micros(99_999) }), known(600, 1_000_000)),
  ).toMatchObject({
    failed: { code: 'MAX_COST_EXCEEDED', quote: { seconds: 600, costMicros: 110_000 } },
  }))

test('maxCostDollars may equal the cost', () =>
  expect(requiredHold(job({ maxCostMicros: micros(210_000) }), known(600, 1_000_000))).toEqual({ holdMicros: 210_000 }))

test('audio that is too long for maxCostDollars fails the job before recognition', () =>
  expect(requiredHold(job({ maxCostMicros: micros(100_000) }), known(600, null, 500_000))).toMatchObject({
    failed: { code: 'MAX_COST_EXCEEDED', quote: { seconds: 600, costMicros: 205_000 } },
  }))

test('maxCostDollars set to the quote covers the job', () => {
  const quote = quoteOf(600, 1_234_567)
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
  const limited = job({ maxCostMicros: micros(100_000) })
  expect(requiredHold(limited, usageOf(estimate))).toEqual({ holdMicros: 100_000 })
})

test('a download above maxCostDollars fails the job with a quote from the estimated length', () =>
  expect(requiredHold(job({ maxCostMicros: micros(9_999) }), usageOf(estimate))).toMatchObject({
    failed: { code: 'MAX_COST_EXCEEDED', quote: { seconds: 600, costMicros: 210_000, isEstimate: true } },
  }))

test('a stated length, and one that is not known yet, count as they are', () => {
  expect(usageOf({ ...estimate, durationIsEstimate: false })).toMatchObject({ durationSeconds: 600 })
  expect(usageOf({ ...report, totalBytes: null }).durationSeconds).toBeUndefined()
})

test('media of unknown duration has no quote', () => expect(quoteOf(null, 1_000_000)).toBeNull())

test('the hold must cover what a download needs, and should cover what it wants up to the ceiling', () => {
  const usage = { ...known(600, null, 1_000_000), neededBytes: 2_000_000, wantedBytes: 9_000_000 }
  expect(requiredHold(job({}), usage)).toEqual({ holdMicros: 220_000 })
  expect(wantedHold(job({}), usage)).toBe(290_000)
  expect(wantedHold(job({ maxCostMicros: micros(250_000) }), usage)).toBe(250_000)
})

test.each([
  ['an import', importJob, known(), 50_000, 5_000_000],
  ['an import that is being delivered', { ...importJob, carry: delivered }, known(), 50_000, null],
  ['captions', job({}, { step: 'captions' }), known(), 10_000, null],
  ['recognition', job({}, { step: 'recognize', carry: audio(600, 1) }), known(), 300_000, null],
  ['the audio of ten minutes', job({}), known(600), 230_000, 3_000_000],
  ['audio of a length that is not known yet', job({}), known(), 40_000, 1_000_000],
  [
    'audio below a ceiling that is less than the hold',
    job({ maxCostMicros: micros(220_000) }),
    known(600),
    300_000,
    2_000_000,
  ],
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
  ['a ceiling that is less than the hold', job({ maxCostMicros: micros(100_000) }), known(2), 300_000, 300],
])('the seconds of speech that a hold agrees to for %s', (_, of, usage, held, seconds) =>
  expect(agreedSeconds(of, usage, micros(held))).toBe(seconds),
)

test('speech that lasts longer than it stated is wanted as far as the ceiling allows, and required as far as it goes', () => {
  const usage = { ...known(148), wantedSeconds: 296 }
  expect(requiredHold(job({}), usage)).toEqual({ holdMicros: 49_334 })
  expect(wantedHold(job({}), usage)).toBe(98_667)
  expect(wantedHold(job({ maxCostMicros: micros(60_000) }), usage)).toBe(60_000)
})

test('the hold of an import covers what a re-encoded file may weigh', () => {
  expect(requiredHold(importJob, { ...known(null, null, 1_000_000), neededBytes: 5_000_000 })).toEqual({
    holdMicros: 50_000,
  })
})

const facts = { downloadedBytes: 53_578, sizeBytes: 691_200_114 } as MediaFacts

test.each([
  ['a copy is billed by its download', facts, 53_578],
  ['a re-encoded file that grew is billed by its size', { ...facts, transcoded: true }, 691_200_114],
  ['one that shrank is billed by its download', { ...facts, sizeBytes: 100, transcoded: true }, 53_578],
])('%s', (_, measured, bytes) => expect(billedBytes(measured)).toBe(bytes))
