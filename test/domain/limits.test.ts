import { expect, test } from 'vitest'
import { RETENTION_MS } from '../../domain/limits.ts'

test('the retention matches the contract', () => {
  expect(RETENTION_MS).toBe(7 * 24 * 3_600_000)
})
