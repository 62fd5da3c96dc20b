import { expect, test } from 'vitest'
import { type Passage, passageOf, type WatchFilter } from '../../../../domain/watches/filter.ts'

const item = { title: 'An Interview with Ada', seconds: 600 }

test.each<[WatchFilter, Passage]>([
  [{}, 'passes'],
  [{ title: ['interview'] }, 'passes'],
  [{ title: ['trailer', 'ADA'] }, 'passes'],
  [{ title: ['trailer'] }, 'filtered'],
  [{ title: [] }, 'filtered'],
  [{ notTitle: ['trailer'] }, 'passes'],
  [{ notTitle: [] }, 'passes'],
  [{ notTitle: ['trailer', 'INTERVIEW'] }, 'filtered'],
  [{ title: ['ada'], notTitle: ['interview'] }, 'filtered'],
  [{ minSeconds: 600 }, 'passes'],
  [{ minSeconds: 601 }, 'filtered'],
  [{ maxSeconds: 600 }, 'passes'],
  [{ maxSeconds: 599 }, 'filtered'],
  [{ minSeconds: 0, maxSeconds: 0 }, 'filtered'],
  [{ title: ['ada'], minSeconds: 120, maxSeconds: 7_200 }, 'passes'],
])('of a filter %j, an interview of ten minutes %s', (filter, passage) => expect(passageOf(filter, item)).toBe(passage))

test.each<[WatchFilter, Passage]>([
  [{ minSeconds: 0 }, 'unmeasured'],
  [{ maxSeconds: 1 }, 'unmeasured'],
  [{ title: ['ada'], maxSeconds: 1 }, 'unmeasured'],
  [{ title: ['trailer'], maxSeconds: 1 }, 'filtered'],
  [{ notTitle: ['ada'], maxSeconds: 1 }, 'filtered'],
  [{ title: ['ada'] }, 'passes'],
])('of a filter %j, an interview without a stated length is %s', (filter, passage) => {
  expect(passageOf(filter, { ...item, seconds: null })).toBe(passage)
})

test('an item without a title has none of the words', () => {
  expect(passageOf({ title: ['null'] }, { title: null, seconds: 1 })).toBe('filtered')
  expect(passageOf({ notTitle: ['null'] }, { title: null, seconds: 1 })).toBe('passes')
})
