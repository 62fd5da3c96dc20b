import { expect, test } from 'vitest'
import { secondsOf } from '../../../domain/media/clip-times.ts'

test.each([
  ['0:00', 0],
  ['2:30', 150],
  ['02:30.5', 150.5],
  ['75:00', 4_500],
  ['1:02:03', 3_723],
  ['1:02:03.125', 3_723.125],
])('%s is %d seconds', (text, seconds) => expect(secondsOf(text)).toBe(seconds))

test.each(['', '5', '1:75', '1:60:00', '-1:00', '1:2', '1:02:03.1234', ' 1:00', '1:00 ', '1e3:00', '１:02'])(
  '%j is not a time',
  (text) => expect(secondsOf(text)).toBeNull(),
)
