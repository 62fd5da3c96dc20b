import { expect, test, vi } from 'vitest'
import { eventually, skip } from '../support/clock.ts'
import { openFleet, stepOf } from '../support/fleet.ts'

/** One engine with two places, which runs. */
const warmFleet = async () => {
  const fleet = await openFleet({ names: ['engine-0'], warm: 1, areElsewhere: true })
  fleet.engine('engine-0').isUp = true
  return fleet
}

/** Both places of the engine are taken, and so the next step waits. */
const fullFleet = async () => {
  const fleet = await warmFleet()
  const first = await fleet.run('a', 'job-1')
  await fleet.run('b', 'job-2')
  return { ...fleet, first }
}

test('a step starts at once and writes no row; without a free place its account is told, and it waits in a row until one is free', async () => {
  const { add, end, first, startedJobs, toldToWait, kept } = await fullFleet()
  expect((await kept()).line).toEqual([])
  await add(stepOf('c', 'job-3'))
  expect((await kept()).line).toMatchObject([{ jobId: 'job-3', accountId: 'c', diskBytes: 1_000_000, attempt: 1 }])
  expect(toldToWait).toEqual(['job-3'])
  await end(first)
  expect(startedJobs()).toEqual(['job-1', 'job-2', 'job-3'])
  expect((await kept()).line).toEqual([])
})

test('a step is taken from its message before it has started, so that those behind it do not wait', async () => {
  const { add, targets, starts } = await warmFleet()
  const answer = Promise.withResolvers<'started'>()
  targets.start = async (place) => {
    starts.push(place)
    return answer.promise
  }
  await add(stepOf('a', 'job-1'))
  await add(stepOf('b', 'job-2'))
  expect(starts.map(({ jobId }) => jobId)).toEqual(['job-1', 'job-2'])
  answer.resolve('started')
})

test('a step that is brought again keeps its position in the line, and starts once', async () => {
  const { add, end, first, startedJobs } = await fullFleet()
  for (let i = 0; i < 3; i++) await add(stepOf('c', 'job-3'))
  await add(stepOf('d', 'job-4'))
  await end(first)
  expect(startedJobs()).toEqual(['job-1', 'job-2', 'job-3'])
})

test('a step that runs is left alone when its first message comes again', async () => {
  const { run, add, round, startedJobs, engine } = await warmFleet()
  await run('a', 'job-1')
  await add(stepOf('a', 'job-1'))
  await round()
  await add(stepOf('a', 'job-1'))
  expect([startedJobs(), engine('engine-0').stopped]).toEqual([['job-1'], []])
})

test('when the first engine is cold, the step waits until it has started', async () => {
  const { add, starts, engine, kept } = await openFleet()
  await add(stepOf('a', 'job-1'))
  await eventually(async () => expect(starts).toMatchObject([{ jobId: 'job-1', engine: 'engine-0' }]))
  expect([engine('engine-0').launches, engine('engine-1').launches]).toEqual([1, 0])
  expect((await kept()).startedEngines).toEqual(['engine-0'])
})

test('a step that is not needed any more frees its place for the next', async () => {
  const { add, end, first, startsFail, startedJobs, kept } = await fullFleet()
  await add(stepOf('c', 'job-3'))
  await add(stepOf('d', 'job-4'))
  startsFail('not needed')
  await end(first)
  await eventually(async () => expect(startedJobs()).toEqual(['job-1', 'job-2', 'job-3', 'job-4']))
  expect((await kept()).line).toEqual([])
})

test('when its account cannot be reached, the step keeps its row, and starts some seconds later', async () => {
  const { add, end, first, round, startsFail, starts, startedJobs, kept } = await fullFleet()
  await add(stepOf('c', 'job-3'))
  startsFail('fault')
  await end(first)
  expect(startedJobs()).toEqual(['job-1', 'job-2', 'job-3'])
  expect((await kept()).line).toMatchObject([{ jobId: 'job-3', attempt: 1 }])
  skip(5_000)
  await round()
  expect(startedJobs()).toEqual(['job-1', 'job-2', 'job-3', 'job-3'])
  expect(starts[3]?.id).not.toBe(starts[2]?.id)
  expect((await kept()).line).toEqual([])
})

test('a step that waits for a deploy starts half a minute later under the next lease, and others go on', async () => {
  const { run, add, round, startsFail, starts, kept } = await warmFleet()
  startsFail('later')
  await add(stepOf('a', 'job-1'))
  await eventually(async () => expect((await kept()).line).toMatchObject([{ jobId: 'job-1', attempt: 2 }]))
  await run('b', 'job-2')
  skip(29_000)
  await round()
  expect(starts).toHaveLength(2)
  skip(1_000)
  await round()
  expect(starts[2]).toMatchObject({ jobId: 'job-1', attempt: 2 })
})

test('a step that runs although the answer to its order was lost is not started again', async () => {
  const { engine, targets, add, round, starts, placesTaken } = await warmFleet()
  const answer = Promise.withResolvers<'unreachable'>()
  targets.start = async (place) => {
    starts.push(place)
    engine('engine-0').runs(place)
    return answer.promise
  }
  await add(stepOf('a', 'job-1'))
  await round()
  answer.resolve('unreachable')
  await round()
  expect(starts).toHaveLength(1)
  expect(await placesTaken()).toBe(1)
})

test('a canceled step leaves the line, or its engine', async () => {
  const { add, first, engine, call, kept, startedJobs } = await fullFleet()
  await add(stepOf('c', 'job-3'))
  await add(stepOf('d', 'job-4'))
  await call((fleet) => fleet.cancel({ jobId: 'job-3', attempt: 0 }))
  expect((await kept()).line).toMatchObject([{ jobId: 'job-4' }])
  await call((fleet) => fleet.cancel({ jobId: first.jobId, attempt: 7 }))
  expect(engine('engine-0').stopped).toEqual([{ jobId: 'job-1', attempt: 7 }])
  expect(startedJobs()).toEqual(['job-1', 'job-2', 'job-4'])
})

test('a canceled step leaves its place also when its engine does not answer', async () => {
  vi.spyOn(console, 'warn').mockReturnValue()
  const { add, first, engine, call, startedJobs } = await fullFleet()
  await add(stepOf('c', 'job-3'))
  engine('engine-0').stopStep = () => Promise.reject(new Error('it hangs'))
  await call((fleet) => fleet.cancel({ jobId: first.jobId, attempt: 1 }))
  expect(startedJobs()).toEqual(['job-1', 'job-2', 'job-3'])
})

test('before an engine runs, a step is refused for what is expected of one, and no engine starts for it', async () => {
  const { add, refused, engine } = await openFleet({ expectedDiskBytes: 8_000_000_000 })
  await add(stepOf('a', 'job-1', { diskBytes: 8_000_000_001 }))
  expect([refused, engine('engine-0').launches]).toEqual([['job-1'], 0])
})

test('when the first engine has less disk space than expected, a step that waits and is too large is refused', async () => {
  const { add, engine, refused, kept } = await openFleet({ expectedDiskBytes: 20_000_000_000 })
  await add(stepOf('a', 'job-1', { diskBytes: 11_000_000_000 }))
  await eventually(async () => expect(refused).toEqual(['job-1']))
  expect(engine('engine-0').launches).toBe(1)
  expect((await kept()).line).toEqual([])
})

test('when the account cannot be told that its step is too large, it is told later', async () => {
  vi.spyOn(console, 'error').mockReturnValue()
  const { add, round, targets, refused, kept } = await warmFleet()
  const { refuse } = targets
  targets.refuse = () => Promise.reject(new Error('overloaded'))
  await add(stepOf('a', 'job-1', { diskBytes: 11_000_000_000 }))
  expect((await kept()).line).toMatchObject([{ jobId: 'job-1' }])
  targets.refuse = refuse
  skip(5_000)
  await round()
  await eventually(async () => expect([refused, (await kept()).line]).toEqual([['job-1'], []]))
})

test('a metadata request waits for a place, before the steps in the line', async () => {
  const { add, end, first, call, startedJobs } = await fullFleet()
  await add(stepOf('c', 'job-3'))
  const probing = call((fleet) => fleet.placeForProbe('d', 20_000))
  await end(first)
  const place = await probing
  expect(place?.engine).toBe('engine-0')
  expect(startedJobs()).toEqual(['job-1', 'job-2'])
  await call((fleet) => fleet.ended(`${place?.id}`))
  expect(startedJobs()).toEqual(['job-1', 'job-2', 'job-3'])
})

test('a metadata request without a place in time gets none, and takes none later', async () => {
  const { run, end, first, call } = await fullFleet()
  expect(await call((fleet) => fleet.placeForProbe('d', 1))).toBeNull()
  await end(first)
  await run('c', 'job-3')
})
