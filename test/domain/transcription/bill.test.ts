import { expect, test } from 'vitest'
import type { PreparedAudio, TranscribeRequest, TranscriptionJob } from '../../../worker/domain/jobs/job.ts'
import { judge, quoteOf, transcriptionHold } from '../../../worker/domain/money/bill.ts'
import { micros } from '../../../worker/domain/money/money.ts'

const job = (request: Partial<TranscribeRequest>, changes: Partial<TranscriptionJob> = {}): TranscriptionJob => ({
  id: 'trn_1',
  kind: 'transcription',
  state: 'running',
  createdAt: 0,
  startedAt: 0,
  completedAt: null,
  step: 'audio',
  attempts: 1,
  failure: null,
  progress: null,
  removedAt: null,
  request: {
    url: 'https://media.example/film.mp4',
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

const sound = (durationSeconds: number, downloadedBytes: number): PreparedAudio => ({
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
  ['captions of a file of known size', { provider: null, captionsFirst: true }, 50_000_000, 10_000],
  ['built-in speech of a file of 2 MB', { provider: 'builtin', captionsFirst: false }, 2_000_000, 50_000],
  ['a provider, of a page', { provider: 'provider_a', captionsFirst: false }, null, 40_000],
  ['captions first, else built-in speech', { provider: 'builtin', captionsFirst: true }, null, 40_000],
] as const)(
  '%s: before anybody has looked, its download and the least of its minutes are held',
  (_, request, bytes, hold) => expect(transcriptionHold(request, bytes)).toBe(hold),
)

test.each([
  ['before the source was looked at', job({}), known(undefined), 30_000],
  ['ten minutes by the built-in speech', job({}), known(600, 1_000_000), 210_000],
  ['ten minutes by a provider', job({ provider: 'provider_b' }), known(600, 1_000_000), 110_000],
  ['captions, however large the film is', job({ provider: null }, { step: 'captions' }), known(600, 9_000_000), 10_000],
  ['captions first, while they are looked for', job({ captionsFirst: true }, { step: 'captions' }), known(600), 10_000],
  [
    'pieces that come back out of storage are no download',
    job({}, { step: 'recognize', carry: sound(600, 1_000_000) }),
    known(undefined, 40_000_000, 30_000_000),
    210_000,
  ],
  ['nobody knows how long it is: the ceiling', job({ maxCostMicros: micros(900_000) }), known(null), 900_000],
  [
    'a provider is not asked for a ceiling by media of unknown length',
    job({ provider: 'provider_a' }),
    known(null),
    30_000,
  ],
])('%s is what must be held', (_, given, told, owing) => expect(judge(given, told)).toEqual({ owing }))

test('without a ceiling, media of unknown length goes no further', () =>
  expect(judge(job({}), known(null))).toMatchObject({ failed: { code: 'MAX_COST_REQUIRED' } }))

test.each([
  ['the announced size counts', known(600, 1_000_000), { seconds: 600, costMicros: 210_000 }],
  ['a usual size is put in where none is announced', known(600), { seconds: 600, costMicros: 296_000 }],
])('an estimate above the ceiling ends the job with a quote: %s', (_, told, quote) =>
  expect(judge(job({ maxCostMicros: micros(199_999) }), told)).toMatchObject({
    failed: { code: 'MAX_COST_EXCEEDED', quote },
  }),
)

test('a ceiling binds what we charge for a provider, too', () =>
  expect(judge(job({ provider: 'provider_a', maxCostMicros: micros(99_999) }), known(600, 1_000_000))).toMatchObject({
    failed: { code: 'MAX_COST_EXCEEDED', quote: { seconds: 600, costMicros: 110_000 } },
  }))

test('a ceiling of exactly the cost is enough', () =>
  expect(judge(job({ maxCostMicros: micros(210_000) }), known(600, 1_000_000))).toEqual({ owing: 210_000 }))

test('sound that turns out longer than the ceiling pays for ends the job before anybody listens to it', () =>
  expect(judge(job({ maxCostMicros: micros(100_000) }), known(600, null, 500_000))).toMatchObject({
    failed: { code: 'MAX_COST_EXCEEDED', quote: { seconds: 600, costMicros: 205_000 } },
  }))

test('a quote covers the job that accepts it', () => {
  const quote = quoteOf(600, 1_234_567)
  const accepted = job({ maxCostMicros: quote?.costMicros ?? null })
  expect(judge(accepted, known(600, 1_234_567))).toEqual({ owing: quote?.costMicros })
})

test('no quote is made of media of unknown length', () => expect(quoteOf(null, 1_000_000)).toBeNull())
