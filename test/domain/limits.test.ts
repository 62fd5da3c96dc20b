import { expect, test } from 'vitest'
import { concurrency, fullRateState, RETENTION_MS, rateClasses } from '../../domain/limits.ts'

test('the limits match the contract', () => {
  expect(rateClasses).toEqual({
    import: { limit: 240, windowMs: 3_600_000 },
    transcribe: { limit: 240, windowMs: 3_600_000 },
    status: { limit: 3_600, windowMs: 3_600_000 },
    general: { limit: 3_600, windowMs: 3_600_000 },
  })
  expect(concurrency).toEqual({ import: 2, transcription: 5 })
  expect(RETENTION_MS).toBe(7 * 24 * 3_600_000)
})

test('a caller without an account sees a full window that starts now, with its end rounded up', () => {
  expect(fullRateState('import', 1_000)).toEqual({ class: 'import', limit: 240, remaining: 240, reset: 3_601 })
  expect(fullRateState('status', 1_001)).toMatchObject({ remaining: 3_600, reset: 3_602 })
})
