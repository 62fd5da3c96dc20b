import { expect, test } from 'vitest'
import { eventually, skip } from '../support/clock.ts'
import { openFleet, placeIn, stepOf } from '../support/fleet.ts'

type Fleet = Awaited<ReturnType<typeof openFleet>>

/** Both engines run and stay, as when they are at URLs. */
const twoEngines = async () => {
  const fleet = await openFleet({ warm: 2, areElsewhere: true })
  for (const name of ['engine-0', 'engine-1']) fleet.engine(name).isUp = true
  return fleet
}

/** Gets a place for a step, which then runs there. */
const run = async ({ request, engine }: Fleet, accountId: string, jobId: string) => {
  const step = stepOf(accountId, jobId)
  const place = placeIn(await request(step))
  engine(place.engine).runs(step, place)
  return place
}

test('when an engine is gone, its steps are given back and get places on another', async () => {
  const fleet = await twoEngines()
  const first = await run(fleet, 'a', 'job-1')
  const second = await run(fleet, 'b', 'job-2')
  expect(second.engine).toBe(first.engine)
  fleet.engine(first.engine).isUp = false
  await fleet.round()
  expect(fleet.givenBack).toEqual([
    { accountId: 'a', jobId: 'job-1', lease: first.id },
    { accountId: 'b', jobId: 'job-2', lease: second.id },
  ])
  const again = placeIn(await fleet.request(stepOf('a', 'job-1')))
  expect(again.engine).not.toBe(first.engine)
  expect(again.id).not.toBe(first.id)
})

test('an engine that answers the second time is not gone', async () => {
  const fleet = await twoEngines()
  const { engine: name } = await run(fleet, 'a', 'job-1')
  const engine = fleet.engine(name)
  const state = engine.state.bind(engine)
  let asked = 0
  engine.state = async () => (++asked === 1 ? null : state())
  await fleet.round()
  expect([asked, fleet.givenBack]).toEqual([2, []])
})

test('an engine that is down is used again when it answers', async () => {
  const fleet = await openFleet({ names: ['engine-0'], warm: 1, areElsewhere: true })
  fleet.engine('engine-0').launchResult = 'failed'
  expect(await fleet.request(stepOf('a', 'job-1'))).toBe('wait')
  fleet.engine('engine-0').launchResult = 'running'
  skip(3_000)
  await fleet.round()
  await eventually(async () => expect(fleet.sent).toMatchObject([{ jobId: 'job-1', place: { engine: 'engine-0' } }]))
})

test('an engine that drains finishes its steps and gets no more', async () => {
  const fleet = await twoEngines()
  const first = await run(fleet, 'a', 'job-1')
  fleet.engine(first.engine).status = 'draining'
  await fleet.round()
  const second = await run(fleet, 'b', 'job-2')
  expect(second.engine).not.toBe(first.engine)
  await fleet.round()
  expect(fleet.givenBack).toEqual([])
})

test('an engine that refuses a step gets none for a while, and the step runs elsewhere', async () => {
  const fleet = await twoEngines()
  const refused = placeIn(await fleet.request(stepOf('a', 'job-1')))
  await fleet.call((object) => object.engineFailed(refused))
  const second = placeIn(await fleet.request(stepOf('a', 'job-1')))
  expect(second.engine).not.toBe(refused.engine)
  await fleet.call((object) => object.engineFailed(second))
  expect(await fleet.request(stepOf('a', 'job-1'))).toBe('wait')
  skip(5_000)
  await fleet.round()
  expect(fleet.sent.map(({ jobId }) => jobId)).toEqual(['job-1'])
})

test('an engine that cannot be reached is gone at once, with all of its steps', async () => {
  const fleet = await twoEngines()
  const other = await run(fleet, 'a', 'job-1')
  const failed = placeIn(await fleet.request(stepOf('b', 'job-2')))
  fleet.engine(failed.engine).isUp = false
  await fleet.call((object) => object.engineFailed(failed))
  expect(fleet.givenBack).toEqual([{ accountId: 'a', jobId: 'job-1', lease: other.id }])
})

test('when all engines are full, another is started, up to the last', async () => {
  const fleet = await openFleet()
  for (let i = 0; i < 6; i++) await fleet.request(stepOf(`account-${i}`, `job-${i}`))
  await eventually(async () => {
    const { engines, placesTaken, waiting } = await fleet.call((object) => object.metrics())
    expect([engines.running, placesTaken.network, waiting.get('fetch')?.count]).toEqual([2, 4, 2])
  })
  await fleet.round()
  expect([fleet.engine('engine-0').launches, fleet.engine('engine-1').launches]).toEqual([1, 1])
})

test('when the platform has no container left, steps wait until it has one', async () => {
  const fleet = await openFleet()
  for (const name of ['engine-0', 'engine-1']) fleet.engine(name).launchResult = 'full'
  expect(await fleet.request(stepOf('a', 'job-1'))).toBe('wait')
  await fleet.round()
  expect(fleet.engine('engine-0').launches + fleet.engine('engine-1').launches).toBe(1)
  for (const name of ['engine-0', 'engine-1']) fleet.engine(name).launchResult = 'running'
  skip(6_000)
  await fleet.round()
  await eventually(async () => expect(fleet.sent).toHaveLength(1))
})

test('a container that does not come up is replaced by another', async () => {
  const fleet = await openFleet()
  fleet.engine('engine-0').launchResult = 'failed'
  expect(await fleet.request(stepOf('a', 'job-1'))).toBe('wait')
  await eventually(async () => expect(fleet.sent).toMatchObject([{ place: { engine: 'engine-1' } }]))
  expect((await fleet.kept()).startedEngines).toEqual(['engine-1'])
})

test('an idle container is stopped after a while, and the warm one stays', async () => {
  const fleet = await openFleet({ warm: 1 })
  const given = []
  for (let i = 0; i < 4; i++) given.push(await fleet.request(stepOf(`account-${i}`, `job-${i}`)))
  await eventually(async () => {
    expect((await fleet.call((object) => object.metrics())).placesTaken.network).toBe(4)
  })
  for (const place of [...given, ...fleet.sent.map((message) => message.place)]) {
    if (typeof place === 'object') await fleet.free(place.id)
  }
  await fleet.round()
  expect([fleet.engine('engine-0').isUp, fleet.engine('engine-1').isUp]).toEqual([true, true])
  skip(60_000)
  await fleet.round()
  expect([fleet.engine('engine-0').isUp, fleet.engine('engine-1').isUp]).toEqual([true, false])
  await fleet.round()
  expect((await fleet.kept()).startedEngines).toEqual(['engine-0'])
})

test('while nothing runs or waits, the object sleeps: engines at URLs need no alarm, containers one each 20 seconds', async () => {
  const elsewhere = await twoEngines()
  await elsewhere.free(placeIn(await elsewhere.request(stepOf('a', 'job-1'))).id)
  const before = elsewhere.alarms.length
  await elsewhere.round()
  expect(elsewhere.alarms.length).toBe(before)
  const containers = await openFleet({ warm: 1 })
  await containers.round()
  await eventually(async () => expect(containers.engine('engine-0').isUp).toBe(true))
  const now = Date.now()
  await containers.round()
  expect(containers.alarms.at(-1)).toBeGreaterThan(now + 15_000)
})

test('after an eviction, places come from the states of the engines and the line keeps its order', async () => {
  const fleet = await openFleet({ names: ['engine-0'], warm: 1, areElsewhere: true })
  fleet.engine('engine-0').isUp = true
  const first = await run(fleet, 'a', 'job-1')
  await run(fleet, 'b', 'job-2')
  await fleet.request(stepOf('c', 'job-3'))
  await fleet.request(stepOf('d', 'job-4'))
  await fleet.evict()
  expect(await fleet.request(stepOf('e', 'job-5'))).toBe('wait')
  expect(fleet.sent).toEqual([])
  fleet.engine('engine-0').end('job-1')
  await fleet.free(first.id)
  expect(fleet.sent.map(({ jobId }) => jobId)).toEqual(['job-3'])
  expect(await fleet.request(stepOf('b', 'job-2'))).toEqual({ id: expect.any(String), engine: 'engine-0' })
})

test('a container that stopped while the object was evicted is started again', async () => {
  const fleet = await openFleet({ names: ['engine-0'] })
  await fleet.request(stepOf('a', 'job-1'))
  await eventually(async () => expect(fleet.sent).toHaveLength(1))
  fleet.engine('engine-0').isUp = false
  await fleet.evict()
  await fleet.request(stepOf('b', 'job-2'))
  await eventually(async () => expect(fleet.sent.map(({ jobId }) => jobId)).toEqual(['job-1', 'job-1', 'job-2']))
  expect(fleet.engine('engine-0').launches).toBe(2)
})

test('each start of an engine is counted with the time until its first answer, and the count survives an eviction', async () => {
  const fleet = await openFleet()
  for (let i = 0; i < 4; i++) await fleet.request(stepOf(`account-${i}`, `job-${i}`))
  const starts = () => fleet.call(async (object) => (await object.metrics()).starts)
  await eventually(async () => expect((await starts()).counts).toEqual([2, 0, 0, 0, 0, 0, 0, 0, 0, 0]))
  await fleet.evict()
  expect((await starts()).counts[0]).toBe(2)
})

test('an engine that does not come up is no start, and neither is one that someone else starts', async () => {
  const failing = await openFleet()
  for (const name of ['engine-0', 'engine-1']) failing.engine(name).launchResult = 'failed'
  await failing.request(stepOf('a', 'job-1'))
  await eventually(async () => expect(failing.engine('engine-0').launches).toBe(1))
  await failing.round()
  const elsewhere = await openFleet({ warm: 2, areElsewhere: true })
  await elsewhere.request(stepOf('a', 'job-1'))
  await eventually(async () => expect(elsewhere.engine('engine-0').launches).toBe(1))
  await elsewhere.round()
  for (const { call } of [failing, elsewhere]) {
    const { counts } = await call(async (object) => (await object.metrics()).starts)
    expect(counts.every((count) => count === 0)).toBe(true)
  }
})
