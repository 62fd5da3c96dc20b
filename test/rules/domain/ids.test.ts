import fc from 'fast-check'
import { expect, test } from 'vitest'
import { firstPositionAt, isId, newId, positionOf } from '../../../domain/ids.ts'

const now = Date.UTC(2026, 10, 21)

test.each([
  ['import', 'imp'],
  ['transcription', 'trn'],
  ['account', 'acct'],
  ['key', 'key'],
  ['event', 'evt'],
  ['request', 'req'],
] as const)('an ID of kind %s starts with %s_ and is valid', (kind, prefix) => {
  const id = newId(kind, now)
  expect(id).toMatch(new RegExp(`^${prefix}_[0-9a-hjkmnp-tv-z]{26}$`))
  expect(isId(kind, id)).toBe(true)
})

test('IDs sort by creation time', () => {
  fc.assert(
    fc.property(fc.nat({ max: 2 ** 40 }), fc.integer({ min: 1, max: 2 ** 30 }), (at, later) => {
      expect(newId('import', at) < newId('import', at + later)).toBe(true)
      expect(positionOf(newId('transcription', at)) < positionOf(newId('import', at + later))).toBe(true)
    }),
  )
})

test('the first position of a time is before all IDs of it and after all earlier ones', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2 ** 47 }), (at) => {
      expect(firstPositionAt(at) < positionOf(newId('import', at))).toBe(true)
      expect(positionOf(newId('import', at)) < firstPositionAt(at + 1)).toBe(true)
    }),
  )
  expect(firstPositionAt(-1)).toBe('0000000000')
  expect(firstPositionAt(Date.UTC(12_000, 0))).toBe('7zzzzzzzzz')
})

test('a thousand IDs of one millisecond are different', () => {
  expect(new Set(Array.from({ length: 1_000 }, () => newId('import', now))).size).toBe(1_000)
})

test.each([
  '',
  'imp_',
  'imp',
  'trn_01m7y0000000000000000000000',
  'imp_01m7y000000000000000000000x',
  'IMP_01m7y00000000000000000000',
])('"%s" is not an import ID', (text) => expect(isId('import', text)).toBe(false))
