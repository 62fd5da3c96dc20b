import fc from 'fast-check'
import { expect, test } from 'vitest'
import { backoffMs, retry, retryAfterMs } from '../../../domain/retry.ts'

test.each([
  [1, 500],
  [2, 1_000],
  [3, 2_000],
  [10, 30_000],
  [1_000, 30_000],
])('after %i attempts the backoff is %i ms', (attempt, waitMs) => {
  expect(backoffMs(attempt, { firstMs: 500, longestMs: 30_000 })).toBe(waitMs)
})

const now = Date.parse('2026-11-21T09:00:00Z')

test.each([
  ['120', 120_000],
  [' 3 ', 3_000],
  ['Sat, 21 Nov 2026 09:01:00 GMT', 60_000],
  ['Sat, 21 Nov 2026 08:00:00 GMT', 0],
  ['Saturday, 21-Nov-26 09:01:00 GMT', 60_000],
  ['2026-11-21T09:01:00Z', null],
  ['1.5', null],
  ['soon', null],
  ['-5', null],
  ['', null],
  [null, null],
])('Retry-After %j is %j ms', (header, waitMs) => {
  expect(retryAfterMs(header, now)).toBe(waitMs)
})

test('any other Retry-After is ignored or a finite delay', () => {
  fc.assert(
    fc.property(fc.string(), (header) => {
      const waitMs = retryAfterMs(header, now)
      expect(waitMs === null || (Number.isFinite(waitMs) && waitMs >= 0)).toBe(true)
    }),
  )
})

const isTemporary = (error: unknown) => error instanceof Error && error.message.startsWith('temporary')

/** Work that fails with these messages, one after the other, and then succeeds. `pauses` are the delays between attempts. */
const failing = (...messages: string[]) => {
  const pauses: number[] = []
  const attempts: number[] = []
  const act = async (attempt: number) => {
    attempts.push(attempt)
    const message = messages[attempt - 1]
    if (message !== undefined) throw new Error(message)
    return 'done'
  }
  return { act, attempts, pauses, pause: async (ms: number) => void pauses.push(ms), isRetryable: isTemporary }
}

test('work is tried again after each temporary failure, with the delays of its backoff', async () => {
  const { act, pauses, ...options } = failing('temporary 1', 'temporary 2')
  expect(await retry(act, { ...options, attempts: 3, delayMs: (failures) => failures * 100 })).toBe('done')
  expect(pauses).toEqual([100, 200])
})

test('after the last attempt the last error is thrown', async () => {
  const { act, attempts, ...options } = failing('temporary 1', 'temporary 2', 'temporary 3')
  await expect(retry(act, { ...options, attempts: 2 })).rejects.toThrow('temporary 2')
  expect(attempts).toEqual([1, 2])
})

test('an error that retrying will not change is thrown at once', async () => {
  const { act, attempts, ...options } = failing('final')
  await expect(retry(act, { ...options, attempts: 5 })).rejects.toThrow('final')
  expect(attempts).toEqual([1])
})

test('after progress, earlier failures do not count', async () => {
  const { act, pauses, ...options } = failing('temporary 1', 'temporary 2', 'temporary 3')
  let failures = 0
  const policy = { ...options, attempts: 3, delayMs: (inARow: number) => inARow, hasProgressed: () => ++failures === 2 }
  expect(await retry(act, policy)).toBe('done')
  expect(pauses).toEqual([1, 1, 2])
})

test('an abort ends the pause, and no further attempt starts', async () => {
  const { act, attempts } = failing('temporary 1')
  const stop = new AbortController()
  const { signal } = stop
  const running = retry(act, { attempts: 3, isRetryable: isTemporary, delayMs: () => 1_000_000, signal })
  for (let ticks = 0; ticks < 10; ticks++) await null
  stop.abort(new Error('stopped'))
  await expect(running).rejects.toThrow('stopped')
  await expect(retry(act, { attempts: 3, isRetryable: isTemporary, signal })).rejects.toThrow('stopped')
  expect(attempts).toEqual([1])
})
