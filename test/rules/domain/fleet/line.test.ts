import { expect, test } from 'vitest'
import { fleetWith, jobsOf, placed, step, waits } from './small-fleet.ts'

const oneEngine = (network = 2) => fleetWith(1, { places: { network, cpu: 1 } })

/** Frees the oldest place, again and again, and tells in what order the steps that waited were placed. */
const orderOf = (fleet: ReturnType<typeof oneEngine>, running: string[], now = 1): string[] => {
  const order: string[] = []
  for (let place = running.shift(); place; place = running.shift()) {
    fleet.free(place, now)
    const granted = fleet.dispatch(now)
    order.push(...jobsOf(granted))
    running.push(...granted.map(({ id }) => id))
  }
  return order
}

test('within an account, steps are served in the order in which they came', () => {
  const fleet = oneEngine(1)
  const { id } = placed(fleet, step('a', 'a1'))
  for (const job of ['a2', 'a3', 'a4']) expect(waits(fleet, step('a', job), 0)).toBe(true)
  expect(orderOf(fleet, [id])).toEqual(['a2', 'a3', 'a4'])
})

test('an account with many steps takes turns with accounts that came later', () => {
  const fleet = oneEngine(1)
  const { id } = placed(fleet, step('a', 'a1'))
  for (const job of ['a2', 'a3', 'a4']) fleet.request(step('a', job), 0)
  for (const job of ['b1', 'b2']) fleet.request(step('b', job), 0)
  fleet.request(step('c', 'c1'), 0)
  expect(orderOf(fleet, [id])).toEqual(['b1', 'c1', 'a2', 'b2', 'a3', 'a4'])
})

test('an account that starts to wait begins behind those that wait already', () => {
  const fleet = oneEngine(1)
  const { id } = placed(fleet, step('a', 'a1'))
  for (const job of ['a2', 'a3']) fleet.request(step('a', job), 0)
  fleet.free(id, 1)
  const [second] = fleet.dispatch(1)
  fleet.request(step('b', 'b1'), 2)
  expect(orderOf(fleet, [second?.id ?? ''], 3)).toEqual(['a3', 'b1'])
})

test('an account that had two places before others came lets them have two first', () => {
  const fleet = oneEngine(3)
  const running = ['a1', 'a2'].map((job) => placed(fleet, step('a', job)).id)
  placed(fleet, step('y', 'y1'))
  for (const job of ['c1', 'c2', 'b1', 'a3']) fleet.request(step(job.charAt(0), job), 0)
  expect(orderOf(fleet, running)).toEqual(['c1', 'b1', 'c2', 'a3'])
})

test('an account that had places for long while nobody waited falls behind by two turns', () => {
  const fleet = oneEngine(3)
  placed(fleet, step('y', 'y1'))
  let { id } = placed(fleet, step('a', 'a0'))
  for (let job = 1; job < 100; job++) {
    const next = placed(fleet, step('a', `a${job}`))
    fleet.free(id, 0)
    id = next.id
  }
  placed(fleet, step('z', 'z1'))
  for (const job of ['b1', 'b2', 'b3', 'b4', 'a100', 'a101']) fleet.request(step(job.charAt(0), job), 0)
  expect(orderOf(fleet, [id])).toEqual(['b1', 'b2', 'a100', 'b3', 'a101', 'b4'])
})

test('an account whose step could not start at its place has the next turn, also if other steps of it wait', () => {
  const fleet = oneEngine(1)
  const { id } = placed(fleet, step('a', 'a1'))
  for (const [since, job] of ['b1', 'b2', 'c1', 'd1'].entries()) fleet.request(step(job.charAt(0), job), since)
  fleet.free(id, 4)
  const [refused] = fleet.dispatch(4)
  if (!refused) throw new Error('no place')
  fleet.again(refused, { restMs: 0, attempt: 2 }, 4)
  const [again] = fleet.dispatch(4)
  expect([refused.jobId, again?.jobId]).toEqual(['b1', 'b1'])
  expect(orderOf(fleet, [again?.id ?? ''], 5)).toEqual(['c1', 'd1', 'b2'])
})

test('the account with the fewest places is served first', () => {
  const fleet = oneEngine(4)
  placed(fleet, step('a', 'a1'))
  placed(fleet, step('a', 'a2'))
  placed(fleet, step('b', 'b1'))
  const { id } = placed(fleet, step('c', 'c1'))
  for (const job of ['a3', 'b2', 'd1']) fleet.request(step(job.charAt(0), job), 0)
  fleet.free(id, 1)
  expect(jobsOf(fleet.dispatch(1))).toEqual(['d1'])
})

test('a metadata request is served before jobs, and jobs before items of batches', () => {
  const fleet = oneEngine(1)
  const { id } = placed(fleet, step('a', 'a1'))
  fleet.request(step('b', 'item', { rank: 'batch' }), 0)
  fleet.request(step('c', 'job'), 0)
  fleet.request(step('d', 'probe', { rank: 'probe' }), 0)
  expect(orderOf(fleet, [id])).toEqual(['probe', 'job', 'item'])
})

test('a step that is requested again keeps its position, and a placed step its place', () => {
  const fleet = oneEngine(1)
  const place = placed(fleet, step('a', 'a1'))
  fleet.request(step('b', 'b1'), 0)
  fleet.request(step('c', 'c1'), 1)
  expect(waits(fleet, step('b', 'b1'), 2)).toBe(true)
  fleet.request(step('a', 'a1'), 2)
  expect([fleet.dispatch(2), fleet.placeOf(step('a', 'a1'))]).toEqual([[], place])
  expect(orderOf(fleet, [place.id], 3)).toEqual(['b1', 'c1'])
})

test('a step that is withdrawn leaves the line', () => {
  const fleet = oneEngine(1)
  const { id } = placed(fleet, step('a', 'a1'))
  for (const job of ['b1', 'b2', 'b3']) fleet.request(step('b', job), 0)
  expect(fleet.withdraw(step('b', 'b1'))).toBe(true)
  expect(fleet.withdraw(step('b', 'b1'))).toBe(false)
  expect(orderOf(fleet, [id])).toEqual(['b2', 'b3'])
})

test('steps of one kind of work do not wait for places of the other', () => {
  const fleet = oneEngine(1)
  placed(fleet, step('a', 'a1'))
  expect(waits(fleet, step('b', 'b1'), 0)).toBe(true)
  placed(fleet, step('c', 'c1', { step: 'recognize', work: 'cpu' }))
})

test('an account never has all places while there are two or more', () => {
  const fleet = oneEngine(4)
  for (const job of ['a1', 'a2', 'a3']) placed(fleet, step('a', job))
  expect(waits(fleet, step('a', 'a4'), 0)).toBe(true)
  placed(fleet, step('b', 'b1'))
})

test('a metadata request of an account that has two waits, and others pass it', () => {
  const fleet = oneEngine(8)
  const probe = { rank: 'probe', step: 'probe' } as const
  const { id } = placed(fleet, step('a', 'p1', probe))
  placed(fleet, step('a', 'p2', probe))
  expect(waits(fleet, step('a', 'p3', probe), 0)).toBe(true)
  placed(fleet, step('b', 'p4', probe))
  placed(fleet, step('a', 'a1'))
  fleet.free(id, 1)
  expect(jobsOf(fleet.dispatch(1))).toEqual(['p3'])
})

test('at most 8 metadata requests of an account wait, and 64 in all', () => {
  const fleet = oneEngine(1)
  const probe = { rank: 'probe', step: 'probe' } as const
  placed(fleet, step('z', 'z1'))
  const answers = (accountId: string, count: number) =>
    Array.from({ length: count }, (_, index) => fleet.request(step(accountId, `${accountId}${index}`, probe), 0))
  expect(answers('a', 9)).toEqual([...Array(8).fill('known'), 'full'])
  for (const accountId of ['b', 'c', 'd', 'e', 'f', 'g', 'h']) answers(accountId, 8)
  expect(answers('i', 1)).toEqual(['full'])
  expect(waits(fleet, step('i', 'job'), 0)).toBe(true)
})
