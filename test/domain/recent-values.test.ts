import { expect, test } from 'vitest'
import { RecentValues } from '../../domain/recent-values.ts'

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
