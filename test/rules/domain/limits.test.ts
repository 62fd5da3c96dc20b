import { expect, test } from 'vitest'
import { MAX_MEDIA_SECONDS, RETENTION_DAYS } from '../../../domain/limits.ts'

test('media is stored for seven days and lasts up to twelve hours, unless the operator sets something else', () => {
  expect(RETENTION_DAYS).toBe(7)
  expect(MAX_MEDIA_SECONDS).toBe(12 * 3_600)
})
