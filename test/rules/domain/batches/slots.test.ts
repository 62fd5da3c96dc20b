import { expect, test } from 'vitest'
import { distinct, itemSlots, turnsAhead } from '../../../../domain/batches/slots.ts'

test.each([
  [1, 1],
  [2, 1],
  [5, 4],
  [100, 99],
])('of %i slots, items may take %i', (limit, slots) => expect(itemSlots(limit)).toBe(slots))

test.each([
  [1, 1],
  [2, 1],
  [5, 4],
  [11, 10],
  [100, 10],
])('with %i slots, %i items are checked ahead', (limit, ahead) => expect(turnsAhead(limit)).toBe(ahead))

test('of two items with the same url the first one stays, in its place', () => {
  const items = [
    { url: 'a', title: 'first' },
    { url: 'b', title: null },
    { url: 'a', title: 'second' },
  ]
  expect(distinct(items)).toEqual(items.slice(0, 2))
})
