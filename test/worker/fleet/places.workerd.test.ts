import { expect, test, vi } from 'vitest'
import { eventually, skip } from '../support/clock.ts'
import { openFleet, placeIn, stepOf } from '../support/fleet.ts'

/** One engine with two places, which runs. */
const warmFleet = async () => {
  const fleet = await openFleet({ names: ['engine-0'], warm: 1, areElsewhere: true })
  fleet.engine('engine-0').isUp = true
  return fleet
}

test('a step gets a place at once and writes no row; without a free place it waits until one is freed', async () => {
  const { request, free, sent, kept } = await warmFleet()
  const first = placeIn(await request(stepOf('a', 'job-1')))
  expect(first).toEqual({ id: expect.any(String), engine: 'engine-0' })
  expect((await kept()).line).toEqual([])
  placeIn(await request(stepOf('b', 'job-2')))
  expect(await request(stepOf('c', 'job-3'))).toBe('wait')
  expect((await kept()).line).toMatchObject([{ jobId: 'job-3', accountId: 'c', diskBytes: 1_000_000 }])
  expect(sent).toEqual([])
  await free(first.id)
  const place = { id: expect.any(String), engine: 'engine-0' }
  expect(sent).toEqual([{ v: 1, accountId: 'c', jobId: 'job-3', step: 'fetch', diskBytes: 1_000_000, place }])
})

test('a step that is requested again keeps its place in the line, and is sent once', async () => {
  const { request, free, sent } = await warmFleet()
  const first = placeIn(await request(stepOf('a', 'job-1')))
  placeIn(await request(stepOf('b', 'job-2')))
  for (let i = 0; i < 3; i++) expect(await request(stepOf('c', 'job-3'))).toBe('wait')
  expect(await request(stepOf('d', 'job-4'))).toBe('wait')
  await free(first.id)
  expect(sent.map(({ jobId }) => jobId)).toEqual(['job-3'])
})

test('when the first engine is cold, the step waits until it has started', async () => {
  const { request, sent, engine, kept } = await openFleet()
  expect(await request(stepOf('a', 'job-1'))).toBe('wait')
  await eventually(async () => expect(sent).toMatchObject([{ jobId: 'job-1', place: { engine: 'engine-0' } }]))
  expect([engine('engine-0').launches, engine('engine-1').launches]).toEqual([1, 0])
  expect((await kept()).startedEngines).toEqual(['engine-0'])
})

test('a place whose message was lost is given back after ten seconds, and its step is sent again', async () => {
  const { request, free, round, sent, givenBack, kept } = await warmFleet()
  const first = placeIn(await request(stepOf('a', 'job-1')))
  placeIn(await request(stepOf('b', 'job-2')))
  await request(stepOf('c', 'job-3'))
  await free(first.id)
  const [lost] = sent
  skip(11_000)
  await round()
  expect(givenBack).toContainEqual({ accountId: 'c', jobId: 'job-3', lease: lost?.place?.id })
  expect(sent.map(({ jobId }) => jobId)).toEqual(['job-3', 'job-3'])
  expect(sent[1]?.place?.id).not.toBe(lost?.place?.id)
  expect((await kept()).line).toHaveLength(1)
})

test('the row of a step that waited is deleted when an engine lists the step', async () => {
  const { request, free, round, sent, engine, kept } = await warmFleet()
  const first = placeIn(await request(stepOf('a', 'job-1')))
  placeIn(await request(stepOf('b', 'job-2')))
  const step = stepOf('c', 'job-3')
  await request(step)
  await free(first.id)
  if (!sent[0]?.place) throw new Error('the step was not sent')
  engine('engine-0').runs(step, sent[0].place)
  await round()
  expect((await kept()).line).toEqual([])
})

test('when the queue does not take a step, it is sent later', async () => {
  vi.spyOn(console, 'error').mockReturnValue()
  const { request, free, round, sent, targets } = await warmFleet()
  const first = placeIn(await request(stepOf('a', 'job-1')))
  placeIn(await request(stepOf('b', 'job-2')))
  await request(stepOf('c', 'job-3'))
  const { sendSteps } = targets
  targets.sendSteps = () => Promise.reject(new Error('overloaded'))
  await free(first.id)
  targets.sendSteps = sendSteps
  skip(11_000)
  await round()
  expect(sent.map(({ jobId }) => jobId)).toEqual(['job-3'])
})

test('a place that two messages brought is freed by the second only while no engine lists its step', async () => {
  const { request, round, engine, call } = await warmFleet()
  const step = stepOf('a', 'job-1')
  const place = placeIn(await request(step))
  expect(await request(step)).toEqual(place)
  engine('engine-0').runs(step, place)
  await round()
  await call((fleet) => fleet.freeUnused(place.id))
  expect(await request(step)).toEqual(place)
  const unused = placeIn(await request(stepOf('b', 'job-2')))
  await call((fleet) => fleet.freeUnused(unused.id))
  expect(placeIn(await request(stepOf('b', 'job-2'))).id).not.toBe(unused.id)
})

test('a canceled step leaves the line, or its engine', async () => {
  const { request, sent, engine, call, kept } = await warmFleet()
  const running = stepOf('a', 'job-1')
  engine('engine-0').runs(running, placeIn(await request(running)))
  placeIn(await request(stepOf('b', 'job-2')))
  await request(stepOf('c', 'job-3'))
  await request(stepOf('d', 'job-4'))
  await call((fleet) => fleet.cancel({ jobId: 'job-3', attempt: 0 }))
  expect((await kept()).line).toMatchObject([{ jobId: 'job-4' }])
  await call((fleet) => fleet.cancel({ jobId: 'job-1', attempt: 7 }))
  expect(engine('engine-0').stopped).toEqual([{ jobId: 'job-1', attempt: 7 }])
  expect(sent.map(({ jobId }) => jobId)).toEqual(['job-4'])
})

test('a step that needs more disk space than any engine has is refused', async () => {
  const { request, round } = await warmFleet()
  await round()
  expect(await request(stepOf('a', 'job-1', { diskBytes: 11_000_000_000 }))).toBe('never')
})

test('before an engine runs, a step is refused for what is expected of one, and no engine starts for it', async () => {
  const { request, engine } = await openFleet({ expectedDiskBytes: 8_000_000_000 })
  expect(await request(stepOf('a', 'job-1', { diskBytes: 8_000_000_001 }))).toBe('never')
  expect(engine('engine-0').launches).toBe(0)
})

test('when the first engine has less disk space than expected, the message of a step that is too large comes again', async () => {
  const { request, engine, sent, kept } = await openFleet({ expectedDiskBytes: 20_000_000_000 })
  const tooLarge = stepOf('a', 'job-1', { diskBytes: 11_000_000_000 })
  expect(await request(tooLarge)).toBe('wait')
  await eventually(async () =>
    expect(sent).toEqual([{ v: 1, accountId: 'a', jobId: 'job-1', step: 'fetch', diskBytes: 11_000_000_000 }]),
  )
  expect(engine('engine-0').launches).toBe(1)
  expect(await request(tooLarge)).toBe('never')
  expect((await kept()).line).toEqual([])
})

test('a metadata request waits for a place, before the steps in the line', async () => {
  const { request, free, sent, call } = await warmFleet()
  const first = placeIn(await request(stepOf('a', 'job-1')))
  placeIn(await request(stepOf('b', 'job-2')))
  await request(stepOf('c', 'job-3'))
  const probing = call((fleet) => fleet.placeForProbe('d', 20_000))
  await free(first.id)
  const place = await probing
  expect(place?.engine).toBe('engine-0')
  expect(sent).toEqual([])
  await free(`${place?.id}`)
  expect(sent.map(({ jobId }) => jobId)).toEqual(['job-3'])
})

test('a metadata request without a place in time gets none, and takes none later', async () => {
  const { request, free, call } = await warmFleet()
  const first = placeIn(await request(stepOf('a', 'job-1')))
  placeIn(await request(stepOf('b', 'job-2')))
  expect(await call((fleet) => fleet.placeForProbe('d', 1))).toBeNull()
  await free(first.id)
  placeIn(await request(stepOf('c', 'job-3')))
})

test('operators see the places that are taken and the steps that wait', async () => {
  const { request, call } = await warmFleet()
  await request(stepOf('a', 'job-1'))
  await request(stepOf('b', 'job-2'))
  await request(stepOf('c', 'job-3'))
  expect(await call((fleet) => fleet.metrics())).toMatchObject({
    engines: { running: 1, starting: 0 },
    places: { network: 2, cpu: 1 },
    placesTaken: { network: 2, cpu: 0 },
    waiting: new Map([['fetch', { count: 1, oldestMs: expect.any(Number) }]]),
  })
})
