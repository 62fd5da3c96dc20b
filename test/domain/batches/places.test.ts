import { expect, test } from 'vitest'
import { distinct, itemPlaces, turnsAhead } from '../../../domain/batches/places.ts'

test.each([
  [1, 1],
  [2, 1],
  [5, 4],
  [100, 99],
])('of %i places, items may take %i', (limit, places) => expect(itemPlaces(limit)).toBe(places))

test.each([
  [1, 1],
  [2, 1],
  [5, 4],
  [11, 10],
  [100, 10],
])('with %i places, %i items are checked ahead', (limit, ahead) => expect(turnsAhead(limit)).toBe(ahead))

test('of two items with the same url the first one stays, in its place', () => {
  const items = [
    { url: 'a', title: 'first' },
    { url: 'b', title: null },
    { url: 'a', title: 'second' },
  ]
  expect(distinct(items)).toEqual(items.slice(0, 2))
})
