import { expect, test, vi } from 'vitest'
import { eventually, skip } from '../support/clock.ts'
import { expectLogged } from '../support/expected-log.ts'
import { openFleet, stepOf } from '../support/fleet.ts'

/** Both engines run and stay, as when they are at URLs. */
const twoEngines = async () => {
  const fleet = await openFleet({ warm: 2, areElsewhere: true })
  for (const name of ['engine-0', 'engine-1']) fleet.engine(name).isUp = true
  return fleet
}

test('when an engine is gone, its steps are given back and get places on another', async () => {
  expectLogged('warn', /an engine is gone engine-0 silent/)
  const fleet = await twoEngines()
  const first = await fleet.run('a', 'job-1')
  const second = await fleet.run('b', 'job-2')
  expect(second.engine).toBe(first.engine)
  fleet.engine(first.engine).isUp = false
  await fleet.round()
  expect(fleet.givenBack).toEqual([
    { jobId: 'job-1', placeId: first.id, isUsed: true },
    { jobId: 'job-2', placeId: second.id, isUsed: true },
  ])
  const again = await fleet.run('a', 'job-1', { attempt: 2 })
  expect(again.engine).not.toBe(first.engine)
  expect(again.id).not.toBe(first.id)
})

test('a step that its engine lists no longer is given back, without an attempt while the process is the same', async () => {
  const fleet = await twoEngines()
  const first = await fleet.run('a', 'job-1')
  fleet.engine(first.engine).end('job-1')
  await fleet.round()
  expect(fleet.givenBack).toEqual([{ jobId: 'job-1', placeId: first.id, isUsed: false }])
})

test('a step whose reports do not arrive gets a place on another engine, and the first is stopped and gets none for a while', async () => {
  vi.spyOn(console, 'warn').mockReturnValue()
  const fleet = await twoEngines()
  const first = await fleet.run('a', 'job-1')
  const again = await fleet.run('a', 'job-1', { attempt: 2 })
  expect(again.engine).not.toBe(first.engine)
  expect(fleet.engine(first.engine).stopped).toEqual([{ jobId: 'job-1', attempt: 1 }])
  await fleet.run('b', 'job-2')
  await fleet.add(stepOf('c', 'job-3'))
  expect(fleet.startedJobs()).toEqual(['job-1', 'job-1', 'job-2'])
  skip(30_000)
  await fleet.round()
  await eventually(async () => expect(fleet.starts.at(-1)).toMatchObject({ jobId: 'job-3', engine: first.engine }))
})

test('an engine from which an outcome arrives is not paused for a lease that ended', async () => {
  const fleet = await twoEngines()
  const lost = await fleet.run('a', 'job-1')
  const other = await fleet.run('b', 'job-2')
  skip(1_000)
  await fleet.end(other)
  expect((await fleet.run('a', 'job-1', { attempt: 2 })).engine).toBe(lost.engine)
})

test('an attempt that the account has ended is stopped although its start is still under way', async () => {
  vi.spyOn(console, 'warn').mockReturnValue()
  const fleet = await twoEngines()
  const { start } = fleet.targets
  const answer = Promise.withResolvers<'started'>()
  fleet.targets.start = async (place) => {
    fleet.starts.push(place)
    return answer.promise
  }
  await fleet.add(stepOf('a', 'job-1'))
  fleet.targets.start = start
  await fleet.run('a', 'job-1', { attempt: 2 })
  answer.resolve('started')
  await eventually(async () => {
    await fleet.round()
    expect(await fleet.placesTaken()).toBe(1)
  })
  expect(fleet.startedJobs()).toEqual(['job-1', 'job-1'])
})

test('an engine that answers the second time is not gone', async () => {
  const fleet = await twoEngines()
  const { engine: name } = await fleet.run('a', 'job-1')
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
  await fleet.add(stepOf('a', 'job-1'))
  expect(fleet.starts).toEqual([])
  fleet.engine('engine-0').launchResult = 'running'
  skip(3_000)
  await fleet.round()
  await eventually(async () => expect(fleet.starts).toMatchObject([{ jobId: 'job-1', engine: 'engine-0' }]))
})

test('an engine that refuses a step gets none for a while, and the step runs elsewhere', async () => {
  const fleet = await twoEngines()
  fleet.startsFail('busy', 'busy')
  await fleet.add(stepOf('a', 'job-1'))
  await eventually(async () => expect(fleet.starts).toHaveLength(2))
  const [first, second] = fleet.starts
  expect(second).toMatchObject({ attempt: 2 })
  expect(second?.engine).not.toBe(first?.engine)
  await fleet.round()
  expect(fleet.starts).toHaveLength(2)
  skip(5_000)
  await fleet.round()
  await eventually(async () => expect(fleet.starts).toHaveLength(3))
  expect(fleet.starts[2]).toMatchObject({ jobId: 'job-1', attempt: 3 })
})

test('the only engine, which has refused a step, gets it as soon as an outcome arrives from there', async () => {
  const fleet = await openFleet({ names: ['engine-0'], warm: 1, areElsewhere: true })
  fleet.engine('engine-0').isUp = true
  const first = await fleet.run('a', 'job-1')
  fleet.startsFail('busy')
  await fleet.add(stepOf('b', 'job-2'))
  await eventually(async () => expect((await fleet.kept()).line).toMatchObject([{ jobId: 'job-2', attempt: 2 }]))
  await fleet.round()
  expect(fleet.startedJobs()).toEqual(['job-1', 'job-2'])
  await fleet.end(first)
  expect(fleet.startedJobs()).toEqual(['job-1', 'job-2', 'job-2'])
})

test('an engine that cannot be reached is gone at once, with all of its steps', async () => {
  const fleet = await twoEngines()
  const other = await fleet.run('a', 'job-1')
  fleet.engine(other.engine).isUp = false
  fleet.startsFail('unreachable')
  await fleet.add(stepOf('b', 'job-2'))
  await eventually(async () => expect(fleet.givenBack).toEqual([{ jobId: 'job-1', placeId: other.id, isUsed: true }]))
  expect(fleet.starts.at(-1)).toMatchObject({ jobId: 'job-2', attempt: 2 })
  expect(fleet.starts.at(-1)?.engine).not.toBe(other.engine)
})

test('while a silent container is asked, another is started for the step that it did not take', async () => {
  const fleet = await openFleet()
  await fleet.add(stepOf('a', 'job-1'))
  await eventually(async () => expect(fleet.startedJobs()).toEqual(['job-1']))
  const silent = fleet.engine('engine-0')
  const state = silent.state.bind(silent)
  silent.state = () => new Promise(() => {})
  fleet.startsFail('unreachable')
  const adding = fleet.add(stepOf('b', 'job-2'))
  await eventually(async () => expect(fleet.startedJobs()).toEqual(['job-1', 'job-2', 'job-2']))
  const { engines } = await fleet.call((object) => object.report())
  expect([engines.map(({ state }) => state), fleet.givenBack]).toEqual([['draining', 'running'], []])
  silent.state = state
  await adding
})

test('when all engines are full, another is started, up to the last', async () => {
  const fleet = await openFleet()
  for (let i = 0; i < 6; i++) await fleet.add(stepOf(`account-${i}`, `job-${i}`))
  await eventually(async () => {
    const { engines, waiting } = await fleet.call((object) => object.report())
    expect(engines.map(({ state, places }) => [state, places.network.taken])).toEqual([
      ['running', 2],
      ['running', 2],
    ])
    expect(waiting.get('fetch')?.count).toBe(2)
  })
  await fleet.round()
  expect([fleet.engine('engine-0').launches, fleet.engine('engine-1').launches]).toEqual([1, 1])
})

test('when the platform has no container left, steps wait until it has one', async () => {
  const fleet = await openFleet()
  for (const name of ['engine-0', 'engine-1']) fleet.engine(name).launchResult = 'full'
  await fleet.add(stepOf('a', 'job-1'))
  await fleet.round()
  expect(fleet.engine('engine-0').launches + fleet.engine('engine-1').launches).toBe(1)
  for (const name of ['engine-0', 'engine-1']) fleet.engine(name).launchResult = 'running'
  skip(6_000)
  await fleet.round()
  await eventually(async () => expect(fleet.starts).toHaveLength(1))
})

test('a container that does not come up is replaced by another', async () => {
  const fleet = await openFleet()
  fleet.engine('engine-0').launchResult = 'failed'
  await fleet.add(stepOf('a', 'job-1'))
  await eventually(async () => expect(fleet.starts).toMatchObject([{ engine: 'engine-1' }]))
  expect((await fleet.kept()).startedEngines).toEqual(['engine-1'])
})

test('an idle container is stopped after a while, and the warm one stays', async () => {
  const fleet = await openFleet({ warm: 1 })
  for (let i = 0; i < 4; i++) await fleet.add(stepOf(`account-${i}`, `job-${i}`))
  await eventually(async () => expect(fleet.starts).toHaveLength(4))
  for (const place of fleet.starts) await fleet.end(place)
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
  await elsewhere.end(await elsewhere.run('a', 'job-1'))
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
  const first = await fleet.run('a', 'job-1')
  await fleet.run('b', 'job-2')
  await fleet.add(stepOf('c', 'job-3'))
  await fleet.add(stepOf('d', 'job-4'))
  await fleet.evict()
  await fleet.add(stepOf('e', 'job-5'))
  await fleet.add(stepOf('b', 'job-2'))
  expect(fleet.startedJobs()).toEqual(['job-1', 'job-2'])
  await fleet.end(first)
  expect(fleet.startedJobs()).toEqual(['job-1', 'job-2', 'job-3'])
})

test('a step that its engine accepted while the object was evicted is not started again', async () => {
  const fleet = await openFleet({ names: ['engine-0'], warm: 1, areElsewhere: true })
  fleet.engine('engine-0').isUp = true
  const first = await fleet.run('a', 'job-1')
  await fleet.run('b', 'job-2')
  await fleet.add(stepOf('c', 'job-3'))
  const { start } = fleet.targets
  fleet.targets.start = (place) => {
    fleet.engine('engine-0').runs(place)
    return new Promise(() => {})
  }
  await fleet.end(first)
  await fleet.evict()
  fleet.targets.start = start
  await fleet.round()
  expect([fleet.startedJobs(), (await fleet.kept()).line]).toEqual([['job-1', 'job-2'], []])
})

test('when the line cannot be read after an eviction, the next call reads it again', async () => {
  const fleet = await openFleet({ names: ['engine-0'], warm: 1, areElsewhere: true })
  const engine = fleet.engine('engine-0')
  engine.isUp = true
  const state = engine.state.bind(engine)
  engine.state = () => Promise.resolve({ status: 'ok' } as never)
  await expect(fleet.add(stepOf('a', 'job-1'))).rejects.toThrow()
  engine.state = state
  await fleet.run('a', 'job-1')
})

test('a container that stopped while the object was evicted is started again', async () => {
  const fleet = await openFleet({ names: ['engine-0'] })
  await fleet.add(stepOf('a', 'job-1'))
  await eventually(async () => expect(fleet.startedJobs()).toEqual(['job-1']))
  fleet.engine('engine-0').isUp = false
  fleet.engine('engine-0').end('job-1')
  await fleet.evict()
  await fleet.add(stepOf('b', 'job-2'))
  await eventually(async () => expect(fleet.startedJobs()).toEqual(['job-1', 'job-2']))
  expect(fleet.engine('engine-0').launches).toBe(2)
})

test('each start of an engine is counted with the time until its first answer, and the count survives an eviction', async () => {
  const fleet = await openFleet()
  for (let i = 0; i < 4; i++) await fleet.add(stepOf(`account-${i}`, `job-${i}`))
  const starts = () => fleet.call(async (object) => (await object.report()).starts)
  await eventually(async () => expect((await starts()).counts).toEqual([2, 0, 0, 0, 0, 0, 0, 0, 0, 0]))
  await fleet.evict()
  expect((await starts()).counts[0]).toBe(2)
})

test('an engine that does not come up is no start, and neither is one that someone else starts', async () => {
  const failing = await openFleet()
  for (const name of ['engine-0', 'engine-1']) failing.engine(name).launchResult = 'failed'
  await failing.add(stepOf('a', 'job-1'))
  await eventually(async () => expect(failing.engine('engine-0').launches).toBe(1))
  await failing.round()
  const elsewhere = await openFleet({ warm: 2, areElsewhere: true })
  await elsewhere.add(stepOf('a', 'job-1'))
  await eventually(async () => expect(elsewhere.engine('engine-0').launches).toBe(1))
  await elsewhere.round()
  for (const { call } of [failing, elsewhere]) {
    const { counts } = await call(async (object) => (await object.report()).starts)
    expect(counts.every((count) => count === 0)).toBe(true)
  }
})

test('operators see which yt-dlp each engine uses, and why it is not the newest', async () => {
  const fleet = await openFleet({ warm: 2, areElsewhere: true })
  for (const name of ['engine-0', 'engine-1']) fleet.engine(name).isUp = true
  const problem = 'yt-dlp 2026.11.2 was refused.'
  fleet.engine('engine-0').extractor = { version: '2026.11.1', channel: 'stable', problem }
  await fleet.run('a', 'job-1')
  const { engines } = await fleet.call((object) => object.report())
  expect(engines.map(({ name, extractor }) => [name, extractor])).toEqual([
    ['engine-0', { version: '2026.11.1', channel: 'stable', problem }],
    ['engine-1', { version: null, channel: 'pinned', problem: null }],
  ])
})

test('speakers are told if one engine tells them, and nobody knows before an engine has said it', async () => {
  const fleet = await twoEngines()
  const tells = () => fleet.call(async (object) => object.tellsSpeakers())
  await fleet.round()
  expect(await tells()).toBe(null)
  Object.assign(fleet.engine('engine-0'), { speakers: false })
  await fleet.round()
  expect(await tells()).toBe(false)
  Object.assign(fleet.engine('engine-1'), { speakers: true })
  await fleet.round()
  fleet.engine('engine-1').isUp = false
  await fleet.round()
  expect(await tells()).toBe(true)
})
