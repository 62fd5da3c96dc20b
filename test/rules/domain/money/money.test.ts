import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  fromDollars,
  isWholeMicros,
  max,
  micros,
  minus,
  negative,
  sum,
  toDollars,
  zero,
} from '../../../../domain/money/money.ts'

test.each([
  [0, 0],
  [1, 0.000001],
  [10_000, 0.01],
  [153_421, 0.153421],
  [1_000_000, 1],
  [9_846_579, 9.846579],
  [1_000_000_000_000, 1_000_000],
])('%i micro-dollars print as %d dollars and convert back', (amount, dollars) => {
  expect(toDollars(micros(amount))).toBe(dollars)
  expect(fromDollars(dollars)).toBe(amount)
})

test('every amount up to a million dollars converts to dollars and back, with at most six decimals', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 1_000_000_000_000 }), (amount) => {
      const dollars = toDollars(micros(amount))
      expect(fromDollars(dollars)).toBe(amount)
      expect(dollars.toFixed(6)).toBe(`${Math.floor(amount / 1e6)}.${`${amount % 1e6}`.padStart(6, '0')}`)
    }),
  )
})

test.each([0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53])('%d is not a valid amount', (amount) => {
  expect(() => micros(amount)).toThrow(RangeError)
})

test.each([0, 0.07, 1.1, 0.1 + 0.2, 123_456.789_012, 999_999.999_999, 1e-6])(
  '%d has at most six decimals',
  (dollars) => {
    expect(isWholeMicros(dollars)).toBe(true)
  },
)

test.each([5e-324, 1e-7, 1.000_000_1, 999_999.999_999_9])('%d has more than six decimals', (dollars) => {
  expect(isWholeMicros(dollars)).toBe(false)
})

test('sums and differences are whole amounts', () => {
  expect(sum()).toBe(zero)
  expect(sum(micros(1), micros(2), micros(3))).toBe(6)
  expect(minus(micros(1), micros(3))).toBe(-2)
  expect(max(micros(1), micros(2))).toBe(2)
})

test('zero is never negative zero', () => {
  expect(Object.is(negative(zero), 0)).toBe(true)
  expect(negative(micros(5))).toBe(-5)
})
