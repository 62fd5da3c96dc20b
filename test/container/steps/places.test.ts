import { expect, test } from 'vitest'
import { createPlaces, type Place } from '../../../container/steps/places.ts'

const never = new AbortController().signal

/** The order in which probes get their places; `null` for those that get none. */
const probesAt = (places: ReturnType<typeof createPlaces>) => {
  const granted: string[] = []
  const refused: string[] = []
  const held = new Map<string, Place>()
  const ask = (name: string, accountId: string | undefined, signal = never) =>
    places.takeForProbe(accountId, signal).then((place) => {
      if (place) held.set(name, place)
      ;(place ? granted : refused).push(name)
    })
  return { ask, granted, refused, free: (name: string) => held.get(name)?.free() }
}

const settled = () => new Promise((resolve) => setImmediate(resolve))

test('probes get freed places in the order in which they came', async () => {
  const places = createPlaces(1)
  const step = places.take('acct_a')
  const { ask, granted, free } = probesAt(places)
  void ask('first', 'acct_b')
  void ask('second', 'acct_c')
  step?.free()
  await settled()
  expect(granted).toEqual(['first'])
  free('first')
  await settled()
  expect(granted).toEqual(['first', 'second'])
})

test('a third probe of an account waits behind its own, and others pass it', async () => {
  const places = createPlaces(5)
  const { ask, granted, free } = probesAt(places)
  for (const name of ['a1', 'a2', 'a3']) void ask(name, 'acct_a')
  void ask('b1', 'acct_b')
  await settled()
  expect(granted).toEqual(['a1', 'a2', 'b1'])
  expect(places.take('acct_c')).not.toBeNull()
  free('b1')
  await settled()
  expect(granted).toHaveLength(3)
  free('a1')
  await settled()
  expect(granted).toEqual(['a1', 'a2', 'b1', 'a3'])
})

test('steps and probes of an account share its places', async () => {
  const places = createPlaces(3)
  const step = places.take('acct_a')
  const { ask, granted } = probesAt(places)
  void ask('a1', 'acct_a')
  void ask('a2', 'acct_a')
  await settled()
  expect(granted).toEqual(['a1'])
  expect(places.take('acct_a')).toBeNull()
  step?.free()
  await settled()
  expect(granted).toEqual(['a1', 'a2'])
})

test('a container with one place gives it to anyone', () => {
  const places = createPlaces(1)
  expect(places.take('acct_a')).not.toBeNull()
  expect(places.take('acct_b')).toBeNull()
})

test('a probe whose time is over, or whose caller has left, leaves the line', async () => {
  const places = createPlaces(1)
  const step = places.take('acct_a')
  const { ask, granted, refused } = probesAt(places)
  const left = new AbortController()
  void ask('first', 'acct_b', left.signal)
  void ask('second', 'acct_c')
  left.abort()
  step?.free()
  await settled()
  expect([granted, refused]).toEqual([['second'], ['first']])
  await ask('too late', 'acct_d', left.signal)
  expect(refused).toEqual(['first', 'too late'])
})

test('at most 64 probes wait, and at most 8 of one account', async () => {
  const places = createPlaces(1)
  places.take(undefined)
  const { ask, refused } = probesAt(places)
  for (let i = 0; i < 9; i++) void ask(`of one account ${i}`, 'acct_a')
  await settled()
  expect(refused).toEqual(['of one account 8'])
  for (let i = 8; i < 64; i++) void ask(`of many accounts ${i}`, `acct_${i}`)
  void ask('one too many', 'acct_b')
  await settled()
  expect(refused).toEqual(['of one account 8', 'one too many'])
})

test('a place that is freed twice is free once', () => {
  const places = createPlaces(2)
  const first = places.take('acct_a')
  first?.free()
  places.take('acct_a')
  first?.free()
  expect(places.taken).toBe(1)
})

test('requests of a Worker that names no account have only the limits of the container', () => {
  const places = createPlaces(2)
  expect([places.take(undefined), places.take(undefined)]).not.toContain(null)
  expect(places.take(undefined)).toBeNull()
})
