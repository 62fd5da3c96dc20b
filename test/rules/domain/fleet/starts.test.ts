import { expect, test } from 'vitest'
import { IDLE_MS } from '../../../../domain/fleet/fleet-limits.ts'
import { fleetWith, GB, newFleet, placed, stateWith, step, waits } from './small-fleet.ts'

const none = { start: [], stop: [] }
const started = (...start: string[]) => ({ start, stop: [] })

const fleetWithLine = (requests: number, request: Parameters<typeof step>[2] = {}, engines = 5) => {
  const fleet = newFleet({ engines })
  for (let index = 0; index < requests; index++) fleet.request(step(`acc_${index}`, `job_${index}`, request), 0)
  return fleet
}

test.each([
  [0, {}, 0],
  [1, {}, 1],
  [4, {}, 1],
  [5, {}, 2],
  [1_000, {}, 5],
  [3, { work: 'cpu' }, 2],
  [3, { diskBytes: 6 * GB }, 2],
  [4, { diskBytes: 6 * GB }, 3],
  [6, { rank: 'probe' }, 2],
] as const)('%i steps that wait, %j: %i engines start', (requests, request, engines) => {
  expect(fleetWithLine(requests, request).scale(0).start).toHaveLength(engines)
})

test('21 accounts with two steps each share 11 engines, and all 42 steps run at once', () => {
  const fleet = newFleet()
  for (let index = 0; index < 42; index++) fleet.request(step(`acc_${index % 21}`, `job_${index}`), 0)
  const names = [0, 1_000, 2_000, 3_000].flatMap((now) => fleet.scale(now).start)
  for (const name of names) fleet.engineState(name, stateWith(), 4_000)
  expect([names.length, fleet.dispatch(4_000).length]).toEqual([11, 42])
})

test('engines that start already count', () => {
  const fleet = fleetWithLine(5)
  expect(fleet.scale(0)).toEqual(started('engine-0', 'engine-1'))
  expect(fleet.scale(1)).toEqual(none)
  for (let index = 0; index < 4; index++) fleet.request(step('other', `other_${index}`), 2)
  expect(fleet.scale(2)).toEqual(started('engine-2'))
})

test('beside an engine that has been starting for a minute, another is started', () => {
  const fleet = fleetWithLine(1)
  expect(fleet.scale(0)).toEqual(started('engine-0'))
  expect(fleet.scale(59_999)).toEqual(none)
  expect(fleet.scale(60_000)).toEqual(started('engine-1'))
  expect(fleet.scale(60_001)).toEqual(none)
})

test('at most five engines start in any second, whether they stay warm or not', () => {
  const fleet = fleetWithLine(100, {}, 13)
  const starts = [0, 500, 999, 1_000, 1_500, 2_000].map((now) => fleet.scale(now).start.length)
  expect(starts).toEqual([5, 0, 0, 5, 0, 3])
  const warm = newFleet({ engines: 7, warm: 7 })
  expect([0, 1_000].map((now) => warm.scale(now).start.length)).toEqual([5, 2])
})

test('engines that others start are all asked at once', () => {
  expect(newFleet({ engines: 7, warm: 7, areElsewhere: true }).scale(0).start).toHaveLength(7)
})

test('requests that wait because of their own account start no engine', () => {
  const fleet = fleetWith(1)
  for (const job of ['p1', 'p2']) placed(fleet, step('a', job, { rank: 'probe' }))
  for (const job of ['p3', 'p4', 'p5']) expect(waits(fleet, step('a', job, { rank: 'probe' }), 0)).toBe(true)
  expect(fleet.scale(0)).toEqual(none)
})

test('an engine without steps stops after 45 s, the first ones stay warm', () => {
  const fleet = newFleet({ warm: 1 })
  expect(fleet.scale(0)).toEqual(started('engine-0'))
  for (const name of ['engine-0', 'engine-1', 'engine-2']) fleet.engineState(name, stateWith(), 0)
  const { id } = placed(fleet, step('a', 'a1', { diskBytes: 6 * GB }))
  const second = placed(fleet, step('b', 'b1', { diskBytes: 6 * GB }))
  fleet.free(second.id, 10_000)
  expect(fleet.scale(IDLE_MS - 1)).toEqual(none)
  expect(fleet.scale(IDLE_MS)).toEqual({ start: [], stop: ['engine-2'] })
  expect(fleet.scale(IDLE_MS)).toEqual(none)
  expect(fleet.scale(IDLE_MS + 10_000)).toEqual({ start: [], stop: ['engine-1'] })
  fleet.free(id, IDLE_MS + 10_000)
  expect(fleet.scale(10 * IDLE_MS)).toEqual(none)
})

test('an engine that is stopping gets no step, and starts again when it has stopped and something waits', () => {
  const fleet = newFleet({ engines: 1 })
  fleet.engineState('engine-0', stateWith(), 0)
  expect(fleet.scale(IDLE_MS).stop).toEqual(['engine-0'])
  expect(waits(fleet, step('a', 'a1'), IDLE_MS)).toBe(true)
  fleet.engineState('engine-0', stateWith(), IDLE_MS)
  expect(fleet.dispatch(IDLE_MS)).toEqual([])
  expect(fleet.scale(IDLE_MS)).toEqual(none)
  fleet.engineGone('engine-0', IDLE_MS + 1)
  expect(fleet.scale(IDLE_MS + 1)).toEqual(started('engine-0'))
})

test('while the platform has no instance, starts are tried after delays that grow up to a minute', () => {
  const fleet = fleetWithLine(5)
  let now = 0
  const delays = []
  for (let attempt = 0; attempt < 6; attempt++) {
    for (const name of fleet.scale(now).start) fleet.startFailed(name, 'full', now)
    const failedAt = now
    while (fleet.scale(now).start.length === 0) now += 1_000
    for (const name of ['engine-0', 'engine-1']) fleet.startFailed(name, 'failed', failedAt - 1)
    delays.push((now - failedAt) / 1_000)
  }
  expect(delays).toEqual([5, 10, 20, 40, 60, 60])
})

test('an engine that does not start is tried later, another one at once', () => {
  const fleet = fleetWithLine(1)
  expect(fleet.scale(0)).toEqual(started('engine-0'))
  fleet.startFailed('engine-0', 'failed', 1_000)
  expect(fleet.scale(1_000)).toEqual(started('engine-1'))
})

test('an engine that cannot isolate its steps gets none and is replaced', () => {
  const fleet = fleetWithLine(1)
  fleet.scale(0)
  fleet.engineState('engine-0', stateWith([], { status: 'unfit' }), 1_000)
  expect(fleet.dispatch(1_000)).toEqual([])
  expect(fleet.scale(1_000)).toEqual({ start: ['engine-1'], stop: ['engine-0'] })
})

test('a warm engine that ended is started again', () => {
  const fleet = newFleet({ warm: 2 })
  expect(fleet.scale(0)).toEqual(started('engine-0', 'engine-1'))
  for (const name of ['engine-0', 'engine-1']) fleet.engineState(name, stateWith(), 1_000)
  fleet.engineGone('engine-1', 2_000)
  expect(fleet.scale(3_999)).toEqual(none)
  expect(fleet.scale(4_000)).toEqual(started('engine-1'))
})

test('an engine that others start is asked again within 15 s, however often it was not there', () => {
  const fleet = newFleet({ engines: 1, warm: 1, areElsewhere: true })
  const startsAt: number[] = []
  for (let now = 0; now < 120_000; now += 1_000) {
    if (fleet.scale(now).start.length === 0) continue
    startsAt.push(now)
    fleet.startFailed('engine-0', 'failed', now)
  }
  expect(startsAt.slice(0, 5)).toEqual([0, 2_000, 6_000, 14_000, 29_000])
})
