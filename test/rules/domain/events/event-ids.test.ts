import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  eventId,
  eventNumberAt,
  eventNumberOf,
  eventPositionId,
  nextEventNumber,
} from '../../../../domain/events/event-ids.ts'
import { isId, newId } from '../../../../domain/ids.ts'

const at = Date.UTC(2026, 10, 22)
const jobId = newId('import', at)
const numbers = fc.integer({ min: 0, max: eventNumberAt(Date.UTC(2200, 0)) })

test.each([
  ['the first event of an account', 0, at, at * 1_000],
  ['an event of a later millisecond', at * 1_000, at + 1, at * 1_000 + 1_000],
  ['an event of the same millisecond', at * 1_000, at, at * 1_000 + 1],
  ['the next of more than a thousand events of a millisecond', at * 1_000 + 999, at, at * 1_000 + 1_000],
  ['an event after the clock was set back', at * 1_000, at - 60_000, at * 1_000 + 1],
])('the number of %s is more than the last', (_, last, now, expected) => {
  expect(nextEventNumber(last, now)).toBe(expected)
})

test('the id of an event is well-formed, tells its number, and sorts by it', () => {
  fc.assert(
    fc.property(numbers, numbers, (one, other) => {
      const id = eventId(one, jobId)
      expect(isId('event', id)).toBe(true)
      expect(eventNumberOf(id)).toBe(one)
      expect(id < eventId(other, jobId)).toBe(one < other)
    }),
  )
})

test('the id of an event begins with its millisecond, as all ids do', () => {
  expect(eventId(eventNumberAt(at), jobId).slice(4, 14)).toBe(newId('import', at).slice(4, 14))
})

test('two accounts whose events have the same number give them different ids', () => {
  const number = eventNumberAt(at)
  expect(eventId(number, newId('import', at))).not.toBe(eventId(number, newId('import', at)))
})

test('a place in the order has an id that comes before those of later events', () => {
  const id = eventPositionId(eventNumberAt(at))
  expect(isId('event', id)).toBe(true)
  expect(eventNumberOf(id)).toBe(eventNumberAt(at))
  expect(id < eventId(eventNumberAt(at) + 1, jobId)).toBe(true)
})

test('the number of an id that was not made from one is of the same millisecond', () => {
  for (let count = 0; count < 100; count++) {
    expect(Math.floor(eventNumberOf(newId('event', at)) / 1_000)).toBe(at)
  }
})
