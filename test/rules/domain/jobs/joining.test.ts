import { describe, expect, test } from 'vitest'
import { type FailureCode, failure, failures } from '../../../../domain/codes/failures.ts'
import { canJoin, JOIN_MS } from '../../../../domain/jobs/joining.ts'

const END = 1_000_000
const live = { completedAt: null, removedAt: null, failure: null }
const completed = { state: 'completed', completedAt: END, removedAt: null, failure: null } as const
const failed = (code: FailureCode) => ({ ...completed, state: 'failed', failure: failure(code) }) as const

describe('a repeated request', () => {
  test.each(['queued', 'running'] as const)('joins a job that is %s, however old it is', (state) => {
    expect(canJoin({ ...live, state }, END + 100 * JOIN_MS)).toBe(true)
  })

  test('joins a completed job until ten minutes after its end', () => {
    expect(canJoin(completed, END + JOIN_MS - 1)).toBe(true)
    expect(canJoin(completed, END + JOIN_MS)).toBe(false)
  })

  test('does not join a job whose transcript was removed', () => {
    expect(canJoin({ ...completed, removedAt: END + 1 }, END + 2)).toBe(false)
  })

  test.each(['NO_SPEECH', 'NO_AUDIO', 'SOURCE_UNSUPPORTED', 'MEDIA_TOO_LONG', 'MAX_COST_EXCEEDED'] as const)(
    'joins a job that failed with %s for ten minutes, because another one would fail too',
    (code) => {
      expect(canJoin(failed(code), END + 1)).toBe(true)
      expect(canJoin(failed(code), END + JOIN_MS)).toBe(false)
    },
  )

  test.each(['INSUFFICIENT_BALANCE', 'CANCELED', 'PROVIDER_KEY_REJECTED', 'PROVIDER_QUOTA', 'SOURCE_PRIVATE'] as const)(
    'does not join a job that failed with %s, which the caller can change',
    (code) => expect(canJoin(failed(code), END + 1)).toBe(false),
  )

  const retryable = (Object.keys(failures) as FailureCode[]).filter((code) => failures[code].retryable)
  test.each(retryable)('does not join a job that failed with %s, because the next one can succeed', (code) =>
    expect(canJoin(failed(code), END + 1)).toBe(false),
  )
})
