import { expect, test } from 'vitest'
import { KEEP_DISK_AFTER_MS, PROBE_PLACE_MS } from '../../../../domain/fleet/fleet-limits.ts'
import { fleetWith, GB, jobsOf, lostJobs, newFleet, placed, stateWith, step, waits } from './small-fleet.ts'

const SECOND = 1_000

test('an engine is filled before the next one gets a step', () => {
  const fleet = fleetWith(3)
  const jobs = ['a', 'b', 'c', 'd', 'e'].map((account) => placed(fleet, step(account, account)))
  expect(jobs.map(({ engine }) => engine)).toEqual(['engine-0', 'engine-0', 'engine-0', 'engine-0', 'engine-1'])
})

test('of engines with a free place, the one with the most steps gets the next', () => {
  const fleet = fleetWith(2)
  const jobs = ['a', 'b', 'c', 'd', 'e', 'f'].map((account) => placed(fleet, step(account, account)))
  for (const { id } of jobs.slice(0, 3)) fleet.free(id, 1)
  expect(placed(fleet, step('g', 'g'), 1).engine).toBe('engine-1')
  expect(placed(fleet, step('h', 'h', { work: 'cpu' }), 1).engine).toBe('engine-1')
})

test('a step gets an engine that has enough disk space', () => {
  const fleet = fleetWith(2)
  expect(placed(fleet, step('a', 'a1', { diskBytes: 6 * GB })).engine).toBe('engine-0')
  expect(placed(fleet, step('b', 'b1', { diskBytes: 6 * GB })).engine).toBe('engine-1')
  expect(waits(fleet, step('c', 'c1', { diskBytes: 6 * GB }), 0)).toBe(true)
  expect(placed(fleet, step('d', 'd1', { diskBytes: 4 * GB })).engine).toBe('engine-0')
})

test('a step that needs more disk space than any engine has is refused', () => {
  const fleet = fleetWith(1)
  expect(fleet.request(step('a', 'a1', { diskBytes: 10 * GB + 1 }), 0)).toBe('never')
  expect(newFleet().request(step('a', 'a1', { diskBytes: 10 * GB + 1 }), 0)).toBe('never')
})

test('a step that waits for the first engine leaves the line when the engine has less disk space than was expected', () => {
  const fleet = newFleet()
  fleet.request(step('a', 'large', { diskBytes: 9 * GB }), 0)
  fleet.request(step('b', 'small', { diskBytes: 8 * GB }), 0)
  fleet.engineState('engine-0', stateWith([], { diskBytes: 8 * GB }), 1)
  expect(fleet.takeTooLarge().map(({ jobId }) => jobId)).toEqual(['large'])
  expect(fleet.takeTooLarge()).toEqual([])
  expect(jobsOf(fleet.dispatch(1))).toEqual(['small'])
  expect(fleet.request(step('a', 'large', { diskBytes: 9 * GB }), 2)).toBe('never')
})

test('a step waits on while a larger engine runs', () => {
  const fleet = fleetWith(1)
  const { id } = placed(fleet, step('z', 'z1', { diskBytes: 10 * GB }))
  fleet.request(step('a', 'large', { diskBytes: 9 * GB }), 0)
  fleet.engineState('engine-1', stateWith([], { diskBytes: 8 * GB }), 1)
  expect(fleet.takeTooLarge()).toEqual([])
  fleet.free(id, 2)
  expect(jobsOf(fleet.dispatch(2))).toEqual(['large'])
})

test('a step that is requested again with more disk space keeps its position', () => {
  const fleet = fleetWith(1)
  const { id } = placed(fleet, step('z', 'z1', { diskBytes: 10 * GB }))
  fleet.request(step('a', 'a1', { diskBytes: GB }), 0)
  fleet.request(step('b', 'b1', { diskBytes: 9 * GB }), 1)
  fleet.request(step('a', 'a1', { diskBytes: 9 * GB }), 2)
  fleet.free(id, 3)
  expect(jobsOf(fleet.dispatch(3))).toEqual(['a1'])
})

test('a large step lets small ones pass for 30 s, then an engine is kept for it', () => {
  const fleet = fleetWith(1)
  const small = { diskBytes: 4 * GB }
  let [older, newer] = ['a', 'b'].map((account) => placed(fleet, step(account, account, small)))
  fleet.request(step('large', 'large', { diskBytes: 8 * GB }), 0)
  const pass = (count: number, now: number) => {
    fleet.request(step(`small-${count}`, `small-${count}`, small), now)
    fleet.free(older?.id ?? '', now)
    ;[older, newer] = [newer, fleet.dispatch(now)[0]]
    return newer?.jobId
  }
  expect(pass(1, SECOND)).toBe('small-1')
  expect(pass(2, KEEP_DISK_AFTER_MS - 1)).toBe('small-2')
  expect(pass(3, KEEP_DISK_AFTER_MS)).toBeUndefined()
  expect(pass(4, KEEP_DISK_AFTER_MS + SECOND)).toBe('large')
})

test('steps that fit beside the large one run on the engine that is kept for it', () => {
  const fleet = fleetWith(1)
  const { id } = placed(fleet, step('a', 'a1', { diskBytes: 6 * GB }))
  fleet.request(step('large', 'large', { diskBytes: 8 * GB }), 0)
  fleet.dispatch(KEEP_DISK_AFTER_MS)
  const now = KEEP_DISK_AFTER_MS + SECOND
  placed(fleet, step('b', 'b1', { diskBytes: 2 * GB }), now)
  expect(waits(fleet, step('c', 'c1', { diskBytes: GB }), now)).toBe(true)
  placed(fleet, step('d', 'd1'), now)
  placed(fleet, step('e', 'e1', { work: 'cpu' }), now)
  fleet.free(id, now)
  expect(jobsOf(fleet.dispatch(now))).toEqual(['large'])
})

test('when the large step is canceled, its engine is kept no longer', () => {
  const fleet = fleetWith(1)
  placed(fleet, step('a', 'a1', { diskBytes: 6 * GB }))
  fleet.request(step('large', 'large', { diskBytes: 8 * GB }), 0)
  fleet.dispatch(KEEP_DISK_AFTER_MS)
  expect(waits(fleet, step('b', 'b1', { diskBytes: 4 * GB }), KEEP_DISK_AFTER_MS)).toBe(true)
  fleet.withdraw(step('large', 'large'))
  expect(jobsOf(fleet.dispatch(KEEP_DISK_AFTER_MS))).toEqual(['b1'])
})

test('of 16 engines at most two are kept for large steps', () => {
  const fleet = fleetWith(16)
  const names = Array.from({ length: 16 }, (_, index) => `${index}`)
  for (const name of names) placed(fleet, step(name, `full-${name}`, { diskBytes: 6 * GB }))
  for (const large of [{ rank: 'job' }, { rank: 'batch' }, { work: 'cpu' }] as const) {
    fleet.request(step('large', `large-${Object.values(large)}`, { diskBytes: 8 * GB, ...large }), 0)
  }
  fleet.dispatch(KEEP_DISK_AFTER_MS)
  for (const name of names) fleet.request(step(name, `small-${name}`, { diskBytes: 4 * GB }), KEEP_DISK_AFTER_MS)
  expect(fleet.dispatch(KEEP_DISK_AFTER_MS)).toHaveLength(14)
})

test('a place is lost when its engine does not list it in a state that was asked for after the step started', () => {
  const fleet = fleetWith(1)
  const first = placed(fleet, step('a', 'a1'), 1_000)
  fleet.request(step('b', 'b1'), 1_500)
  const [starting] = fleet.dispatch(1_500)
  expect(fleet.engineState('engine-0', stateWith(), 2_000, 999)).toEqual([])
  expect(fleet.engineState('engine-0', stateWith([first]), 3_000)).toEqual([])
  expect(fleet.engineState('engine-0', stateWith(), 4_000)).toEqual([{ place: first, hasEngineDied: false }])
  expect(fleet.place(starting?.id ?? '')).toEqual(starting)
})

test('an engine whose process was restarted has ended what it had before, and not what it got since', () => {
  const fleet = fleetWith(1)
  placed(fleet, step('a', 'a1'), 1_000)
  placed(fleet, step('b', 'b1'), 1_300)
  const lost = fleet.engineState('engine-0', stateWith([], { uptimeMs: 800 }), 2_000)
  expect(lost.map(({ place, hasEngineDied }) => [place.jobId, hasEngineDied])).toEqual([
    ['a1', true],
    ['b1', false],
  ])
})

test('a step that cannot start keeps its position, and stands in the line again after its rest', () => {
  const fleet = fleetWith(1, { places: { network: 1, cpu: 1 } })
  const { id } = placed(fleet, step('z', 'z1'))
  fleet.request(step('a', 'a1'), 1)
  fleet.request(step('b', 'b1'), 2)
  fleet.free(id, 3)
  const [first] = fleet.dispatch(3)
  if (!first) throw new Error('no place')
  fleet.again(first, { restMs: SECOND, attempt: 2 }, 4)
  const [second] = fleet.dispatch(5)
  expect(second?.jobId).toBe('b1')
  fleet.request(step('c', 'c1'), 6)
  fleet.free(second?.id ?? '', 4 + SECOND)
  expect(fleet.dispatch(4 + SECOND)).toMatchObject([{ jobId: 'a1', attempt: 2, since: 1 }])
})

test('a step whose account has ended its attempt gets a place elsewhere, while its engine still has it', () => {
  const fleet = fleetWith(2, { places: { network: 2, cpu: 1 } })
  const old = placed(fleet, step('a', 'a1'), 1)
  placed(fleet, step('b', 'b1'), 1)
  expect(fleet.abandon(old)).toBe(true)
  const again = placed(fleet, step('a', 'a1', { attempt: 2 }), 2)
  expect([old.engine, again.engine]).toEqual(['engine-0', 'engine-1'])
  expect(fleet.place(old.id)).toEqual(old)
  expect(lostJobs(fleet.engineState('engine-0', stateWith(), 3))).toEqual(['a1', 'b1'])
  expect(fleet.placeOf(step('a', 'a1'))).toEqual(again)
})

test('an engine from which a report has arrived since the attempt started is not silent', () => {
  const fleet = fleetWith(1)
  const [first, second] = [placed(fleet, step('a', 'a1'), 1), placed(fleet, step('b', 'b1'), 3)]
  fleet.heardFrom('engine-0', 2)
  expect([fleet.abandon(first), fleet.abandon(second)]).toEqual([false, true])
})

test('an engine that accepts a step, or whose report arrives, is alive', () => {
  const fleet = fleetWith(1)
  expect(fleet.isAliveSince('engine-0', 0)).toBe(false)
  placed(fleet, step('a', 'a1'), 5)
  expect([fleet.isAliveSince('engine-0', 4), fleet.isAliveSince('engine-0', 5)]).toEqual([true, false])
  fleet.heardFrom('engine-0', 9)
  expect(fleet.isAliveSince('engine-0', 8)).toBe(true)
  expect(fleet.isAliveSince('engine-7', 0)).toBe(false)
})

test('an engine that is paused gets no step before its next state', () => {
  const fleet = fleetWith(1)
  fleet.pause('engine-0')
  expect(waits(fleet, step('a', 'a1'), 1)).toBe(true)
  fleet.engineState('engine-0', stateWith(), 2)
  expect(jobsOf(fleet.dispatch(2))).toEqual(['a1'])
})

test('a message that was sent before the last lease of its step changes nothing', () => {
  const fleet = fleetWith(1)
  const place = placed(fleet, step('a', 'a1', { attempt: 2 }))
  fleet.request(step('a', 'a1'), 1)
  expect([fleet.dispatch(1), fleet.placeOf(step('a', 'a1'))]).toEqual([[], place])
})

test('the place of a metadata request, which no engine lists, is kept for 30 s', () => {
  const fleet = fleetWith(1)
  placed(fleet, step('a', 'a1', { rank: 'probe' }))
  expect(fleet.engineState('engine-0', stateWith(), PROBE_PLACE_MS)).toEqual([])
  expect(lostJobs(fleet.engineState('engine-0', stateWith(), PROBE_PLACE_MS + 1))).toEqual(['a1'])
})

test('a new fleet learns from the states of engines what runs where', () => {
  const before = fleetWith(1)
  const places = ['a', 'b', 'c', 'd'].map((account) => placed(before, step(account, account, { diskBytes: 2 * GB })))
  const fleet = newFleet()
  fleet.engineState('engine-0', stateWith(places), 2)
  expect(fleet.dispatch(2)).toEqual([])
  fleet.request(step('a', 'a'), 3)
  expect([fleet.dispatch(3), fleet.placeOf(step('a', 'a'))?.id]).toEqual([[], places[0]?.id])
  expect(waits(fleet, step('e', 'e'), 3)).toBe(true)
  expect(waits(fleet, step('f', 'f', { work: 'cpu', diskBytes: 3 * GB }), 3)).toBe(true)
  fleet.free(places[1]?.id ?? '', 4)
  expect(jobsOf(fleet.dispatch(4)).sort()).toEqual(['e', 'f'])
})

test('a state that was on its way when a place was freed does not bring the place back', () => {
  const fleet = fleetWith(1, { places: { network: 1, cpu: 1 } })
  const place = placed(fleet, step('a', 'a1'))
  fleet.free(place.id, 1)
  fleet.engineState('engine-0', stateWith([place], { places: { network: 1, cpu: 1 } }), 2)
  placed(fleet, step('b', 'b1'), 3)
})

test('an engine that was silent and still runs a step has no place for another, and the step gets a new one', () => {
  const one = { places: { network: 1, cpu: 1 } }
  const fleet = fleetWith(1, one)
  const old = placed(fleet, step('a', 'a1'))
  expect(lostJobs(fleet.engineGone('engine-0', 1))).toEqual(['a1'])
  fleet.engineState('engine-0', stateWith([old], one), 2)
  expect(waits(fleet, step('a', 'a1'), 3)).toBe(true)
  expect(lostJobs(fleet.engineState('engine-0', stateWith([], one), 4))).toEqual(['a1'])
  const [again] = fleet.dispatch(4)
  expect(again?.jobId).toBe('a1')
  expect(again?.id).not.toBe(old.id)
})

test('an engine reserves what its state says that a step needs', () => {
  const fleet = fleetWith(1)
  const place = placed(fleet, step('a', 'a1', { diskBytes: GB }))
  fleet.engineState('engine-0', stateWith([{ ...place, diskBytes: 9 * GB }]), 1)
  expect(waits(fleet, step('b', 'b1', { diskBytes: 2 * GB }), 2)).toBe(true)
  fleet.free(place.id, 3)
  expect(jobsOf(fleet.dispatch(3))).toEqual(['b1'])
})

test('an engine that drains gets nothing more and keeps its steps', () => {
  const fleet = fleetWith(2)
  const place = placed(fleet, step('a', 'a1'))
  expect(fleet.engineState('engine-0', stateWith([place], { status: 'draining' }), 1)).toEqual([])
  expect(placed(fleet, step('b', 'b1'), 2).engine).toBe('engine-1')
  expect(fleet.place(place.id)).toEqual(place)
})

test('an engine that said that it drains has not died, whether it is gone or was started again', () => {
  const fleet = fleetWith(2)
  const place = placed(fleet, step('a', 'a1'))
  fleet.engineState('engine-0', stateWith([place], { status: 'draining' }), 1)
  expect(fleet.engineGone('engine-0', 2)).toEqual([{ place, hasEngineDied: false }])
  const again = placed(fleet, step('a', 'a1'), 3)
  fleet.engineState('engine-1', stateWith([again], { status: 'draining' }), 4)
  const lost = fleet.engineState('engine-1', stateWith([], { uptimeMs: 10 }), SECOND)
  expect(lost).toEqual([{ place: again, hasEngineDied: false }])
})

test('an engine that is gone loses its places, and its steps are placed elsewhere when they come again', () => {
  const fleet = fleetWith(2)
  placed(fleet, step('a', 'a1'))
  placed(fleet, step('b', 'b1'))
  expect(lostJobs(fleet.engineGone('engine-0', 1))).toEqual(['a1', 'b1'])
  expect(fleet.engineGone('engine-0', 1)).toEqual([])
  expect(placed(fleet, step('a', 'a1'), 2).engine).toBe('engine-1')
})

test('an engine that is only silent has not died', () => {
  const fleet = fleetWith(1)
  const place = placed(fleet, step('a', 'a1'))
  expect(fleet.engineGone('engine-0', 1, { hasExited: false })).toEqual([{ place, hasEngineDied: false }])
})

test('a report lists engines with their places, and counts what waits', () => {
  const fleet = fleetWith(1, { places: { network: 2, cpu: 1 } })
  for (const account of ['a', 'b']) placed(fleet, step(account, account))
  fleet.request(step('c', 'c'), 1_000)
  fleet.request(step('d', 'd'), 2_000)
  fleet.request(step('e', 'e', { step: 'audio' }), 2_500)
  fleet.scale(3_000)
  const { engines, waiting } = fleet.report(3_000)
  expect(engines.map(({ name, state }) => [name, state])).toEqual([
    ['engine-0', 'running'],
    ['engine-1', 'starting'],
    ['engine-2', 'starting'],
  ])
  expect(engines[0]).toMatchObject({
    places: { network: { total: 2, taken: 2 }, cpu: { total: 1, taken: 0 } },
    disk: { totalBytes: 10 * GB, reservedBytes: 0 },
    extractor: { version: null },
  })
  expect(waiting).toEqual(
    new Map([
      ['fetch', { count: 2, oldestMs: 2_000 }],
      ['audio', { count: 1, oldestMs: 500 }],
    ]),
  )
})

test('an item of a batch that waits is counted, and is not the oldest step, because it waits behind all others', () => {
  const fleet = fleetWith(1, { places: { network: 2, cpu: 1 } })
  for (const account of ['a', 'b']) placed(fleet, step(account, account))
  fleet.request(step('c', 'c', { rank: 'batch' }), 1_000)
  fleet.request(step('d', 'd'), 2_000)
  fleet.request(step('e', 'e', { step: 'audio', rank: 'batch' }), 1_000)
  expect(fleet.report(3_000).waiting).toEqual(
    new Map([
      ['fetch', { count: 2, oldestMs: 1_000 }],
      ['audio', { count: 1, oldestMs: 0 }],
    ]),
  )
})
