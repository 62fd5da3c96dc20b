import { expect, test } from 'vitest'
import { type Batch, batchStatus, itemStatus } from '../../../../domain/batches/batch.ts'
import { failure } from '../../../../domain/codes/failures.ts'
import { micros } from '../../../../domain/money/money.ts'

const batch: Batch = {
  id: 'bat_1',
  kind: 'transcription',
  state: 'running',
  title: null,
  createdAt: 0,
  completedAt: null,
  counts: { total: 3, waiting: 1, running: 1, completed: 1, failed: 0, skipped: 0 },
  costMicros: micros(20_000),
  maxCostMicros: micros(1_500_000),
  watchId: null,
  failure: null,
  webhookUrl: 'https://receiver.example/hook',
  origin: null,
}

test('a batch is shown with its counts, its cost, its ceiling and its metadata', () => {
  expect(batchStatus(batch)).toEqual({
    batchId: 'bat_1',
    watchId: null,
    kind: 'transcription',
    status: 'running',
    title: null,
    createdAt: '1970-01-01T00:00:00.000Z',
    completedAt: null,
    metadata: {},
    counts: batch.counts,
    costInDollars: 0.02,
    maxCostDollars: 1.5,
  })
  expect(batchStatus({ ...batch, metadata: { show: 'news' } })).toMatchObject({ metadata: { show: 'news' } })
})

test('a failed batch says why', () => {
  const failed = { ...batch, state: 'failed' as const, completedAt: 1_000, failure: failure('NO_ITEMS') }
  expect(batchStatus(failed)).toMatchObject({
    status: 'failed',
    completedAt: '1970-01-01T00:00:01.000Z',
    code: 'NO_ITEMS',
    message: 'The playlist has no items.',
  })
})

test('an item is shown with its job, its code and what it cost', () => {
  const item = { index: 4, url: 'https://media.example/4', title: 'film', jobId: 'trn_1' }
  const result = { costMicros: micros(10_000), isComplete: false }
  const ended = { ...item, state: 'completed' as const, code: null, message: null, ...result }
  const shown = { status: 'completed', code: null, message: null, costInDollars: 0.01, complete: false }
  expect(itemStatus(ended)).toEqual({ ...item, ...shown })
  expect(itemStatus({ ...ended, costMicros: null })).toMatchObject({ costInDollars: null })
})
