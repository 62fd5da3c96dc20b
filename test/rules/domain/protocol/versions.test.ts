import { expect, test } from 'vitest'
import {
  EngineState,
  isForLaterImage,
  ORDER_VERSION,
  Progress,
  StepOrder,
  StepOutcome,
} from '../../../../domain/protocol/protocol.ts'

/** Messages of the first version. Every later version must accept them. */
const common = {
  jobId: 'imp_1',
  attempt: 1,
  callback: { url: 'https://haul.example/internal/jobs/imp_1', token: 'token' },
  ...{ accountId: 'acct_1', placeId: 'place', heartbeatMs: 1, diskBytes: 0 },
  agreed: { bytes: null, seconds: null },
  limits: { maxBytes: 1, maxDiskBytes: 1, maxDurationSeconds: 1, timeoutMs: 1 },
}
const url = 'https://media.example/film.mp4'
const selection = { includeVideo: true, includeAudio: true, videoQuality: '720p', audioQuality: 'best' }
const piece = { url, offsetSeconds: 0, durationSeconds: 1, sizeBytes: 1 }
const orders = [
  { ...common, step: 'fetch', url, selection },
  { ...common, step: 'captions', url, language: null },
  { ...common, step: 'audio', url, pieces: { encoding: 'opus', maxBytes: 1, maxSeconds: 1 } },
  { ...common, step: 'recognize', language: null, pieces: [piece] },
]

test.each(orders)(
  'a container accepts the $step order of the first version, and ignores fields that it does not know',
  (order) => {
    expect(StepOrder.parse(order)).toEqual(order)
    expect(StepOrder.parse({ ...order, later: { than: 'this' } })).toEqual(order)
    expect(isForLaterImage(order)).toBe(false)
  },
)

test.each([
  ['a step that does not exist yet', { ...common, step: 'dance' }, true],
  ['a version that does not exist yet', { ...orders[0], v: ORDER_VERSION + 1 }, true],
  ['a version of its own', { ...orders[0], v: ORDER_VERSION }, false],
  ['the first version', { ...orders[0], v: 1 }, false],
  ['a malformed order of a known step', { step: 'fetch' }, false],
  ['a malformed version', { ...orders[0], v: 'two' }, false],
  ['no step', common, false],
  ['a step that is not a string', { ...common, step: 1 }, false],
  ['no object', null, false],
])('%s: for a later image is %s', (_, order, expected) => {
  expect(isForLaterImage(order)).toBe(expected)
})

test('a Worker accepts the messages of a container of the first version, and ignores fields of a later one', () => {
  const progress = {
    stage: 'downloading',
    percent: null,
    downloadedBytes: 1,
    totalBytes: null,
    bytesPerSecond: null,
  }
  const extractor = { version: null, channel: 'pinned', problem: null }
  const state = { status: 'ok', uptimeMs: 1, places: { network: 1, cpu: 1 }, diskBytes: 1, extractor, running: [] }
  const outcome = { status: 'gaveBack', reason: 'a restart' }
  const later = { later: { than: 'this' } }
  expect(Progress.parse({ ...progress, ...later })).toEqual(progress)
  expect(EngineState.parse({ ...state, ...later })).toEqual(state)
  expect(StepOutcome.parse({ ...outcome, ...later })).toEqual(outcome)
})
