import { expect, test } from 'vitest'
import { RecentValues } from '../../../domain/recent-values.ts'

test('when it is full, the oldest entry is dropped, and setting an entry again makes it the newest', () => {
  const values = new RecentValues<string, number>(2)
  values.set('a', 1)
  values.set('b', 2)
  values.set('a', 3)
  values.set('c', 4)
  expect(['a', 'b', 'c'].map((key) => values.get(key))).toEqual([3, undefined, 4])
})

test('a deleted entry is gone', () => {
  const values = new RecentValues<string, number>(2)
  values.set('a', 1)
  values.delete('a')
  expect(values.get('a')).toBeUndefined()
})

test('with sizes, a new entry takes the place of as many as it needs, and one that is too large is not kept', () => {
  const values = new RecentValues<string, string>(10, (text) => text.length)
  const kept = () => ['a', 'b', 'c', 'd'].map((key) => values.get(key))
  values.set('a', '1234')
  values.set('b', '1234')
  values.set('a', '12')
  values.set('c', '1234')
  expect(kept()).toEqual(['12', '1234', '1234', undefined])
  values.set('d', '12345')
  expect(kept()).toEqual([undefined, undefined, '1234', '12345'])
  values.delete('c')
  values.set('a', '12345')
  expect(kept()).toEqual(['12345', undefined, undefined, '12345'])
  values.set('b', '12345678901')
  expect(kept()).toEqual([undefined, undefined, undefined, undefined])
})
