import fc from 'fast-check'
import { expect, test } from 'vitest'
import { partsOf } from '../../../../console/assets/search/marked.js'
import { runs } from '../../../support/runs.ts'

/** The parts, with brackets around those that match. */
const marked = (text: string, matches: readonly (readonly number[])[]): string =>
  partsOf(text, matches)
    .map((part) => (part.isMatch ? `[${part.text}]` : part.text))
    .join('')

test.each([
  ['… the lease expires …', [[6, 5]], '… the [lease] expires …'],
  [
    'lease, lease',
    [
      [0, 5],
      [7, 5],
    ],
    '[lease], [lease]',
  ],
  ['<script>', [[1, 6]], '<[script]>'],
  // Offsets are of UTF-16, as JavaScript counts.
  ['😀 lease', [[3, 5]], '😀 [lease]'],
  ['租约到期', [[0, 2]], '[租约]到期'],
  ['nothing', [], 'nothing'],
  // What cannot be is left out.
  ['short', [[3, 9]], 'sho[rt]'],
  ['short', [[9, 2]], 'short'],
  [
    'overlaps',
    [
      [0, 4],
      [2, 4],
    ],
    '[over][la]ps',
  ],
])('of %j the matches %j are marked', (text, matches, shown) => expect(marked(text, matches)).toBe(shown))

test('no character is lost or told twice, whatever the matches are', () => {
  const matches = fc.array(fc.tuple(fc.integer({ min: -5, max: 30 }), fc.integer({ min: -5, max: 30 })))
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), matches, (text, given) => {
      const parts = partsOf(text, given)
      expect(parts.map((part) => part.text).join('')).toBe(text)
    }),
    runs(500),
  )
})
