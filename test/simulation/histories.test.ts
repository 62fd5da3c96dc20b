import { expect, onTestFinished, test } from 'vitest'
import findings from './findings.json' with { type: 'json' }
import { runHistory } from './history.ts'
import { importFilm, newKey, openWorld } from './imports.ts'

/** Those that once broke an invariant. `npm run test:all` runs more. */
test.each(findings)('the history of seed $seed breaks no invariant', { timeout: 600_000 }, async ({ seed, acts }) => {
  expect((await runHistory({ seed, acts })).violations).toEqual([])
})

test('the same seed gives the same history again in the same process, and another seed another', {
  timeout: 600_000,
}, async () => {
  const story = async (seed: string) => (await runHistory({ seed, acts: 20, isTold: true })).story.of([])
  const [first, other, again] = [await story('7'), await story('8'), await story('7')]
  expect(again).toEqual(first)
  expect(other).not.toEqual(first)
})

test('imports of an account run on one engine with one message each, which stops when it is idle; for one that is killed, a message more', async () => {
  let messages = 0
  const onSend = (queue: string) => {
    if (queue === 'haul-steps') messages += 1
    return undefined
  }
  const { world } = openWorld({ seed: 'one engine', engines: { drainMs: 0 }, hooks: { queues: { onSend } } })
  onTestFinished(() => world.close())
  const { clock, containers } = world
  const importAll = (...names: string[]) =>
    world.perform(world.caller('caller'), async () => {
      const key = await newKey(world)
      return Promise.all(names.map((name) => importFilm(world, key, name)))
    })
  let mostEngines = 0
  let isDoomed = false
  clock.onEvent = () => {
    const [engine, ...others] = containers.processes()
    mostEngines = Math.max(mostEngines, others.length + 1)
    if (!isDoomed || !engine?.pool.running) return
    isDoomed = false
    clock.schedule(1_000, null, 'kill', () => engine.kill())
  }
  expect(await importAll('one', 'two')).toEqual(['completed', 'completed'])
  expect([messages, mostEngines]).toEqual([2, 1])
  await clock.run({ until: clock.now + 120_000 })
  expect(containers.processes()).toHaveLength(0)
  isDoomed = true
  expect(await importAll('killed')).toEqual(['completed'])
  expect(messages).toBe(4)
})
