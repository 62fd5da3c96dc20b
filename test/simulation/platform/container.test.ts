import { afterEach, expect, test } from 'vitest'
import type { EngineState } from '../../../domain/protocol/protocol.ts'
import { openWorld } from '../imports.ts'
import type { World, WorldHooks } from '../world.ts'

/** ctx.container cannot run in the tests' workerd, so its double is tested through the real EngineObject only. */

interface Engine {
  launch(timeoutMs?: number): Promise<string>
  state(timeoutMs: number): Promise<EngineState | null>
  shutDown(): Promise<void>
}

let opened: World | null = null
afterEach(() => opened?.close())

const openEngines = (hooks: WorldHooks = {}) => {
  const { world } = openWorld({ seed: 'engines', hooks })
  opened = world
  const engines = world.env.ENGINES as { getByName(name: string): Engine }
  const call = <T>(act: (engine: Engine) => Promise<T>, index = 0): Promise<T> =>
    world.perform(world.caller('test'), () => act(engines.getByName(`engine-${index}`)))
  const pass = (ms: number) => world.clock.run({ until: world.clock.now + ms })
  return { world, call, pass, launch: (index?: number) => call((engine) => engine.launch(), index) }
}

test('an engine answers once it has booted, and says what it has', async () => {
  const { world, call, launch } = openEngines()
  const before = world.clock.now
  expect(await launch()).toBe('running')
  expect(world.clock.now - before).toBeGreaterThan(2_000)
  expect(await call((engine) => engine.state(2_000))).toMatchObject({ status: 'ok', places: { network: 4, cpu: 1 } })
})

test('an engine that never listens is destroyed, and can be started again', async () => {
  let bootMs: number | null = null
  const { launch } = openEngines({ containers: { bootMs: () => bootMs } })
  expect(await launch()).toBe('failed')
  bootMs = 100
  expect(await launch()).toBe('running')
})

test('when all instances of wrangler.toml run, a further start says so', async () => {
  const { world, launch } = openEngines()
  for (let index = 0; index < world.containers.maxInstances; index++) expect(await launch(index)).toBe('running')
  expect(await launch(99)).toBe('full')
})

test('an engine that hangs gives no state until it wakes', async () => {
  const { world, call, launch } = openEngines()
  await launch()
  const [process] = world.containers.processes()
  process?.hang()
  expect(await call((engine) => engine.state(2_000))).toBe(null)
  process?.wake()
  expect(await call((engine) => engine.state(2_000))).toMatchObject({ status: 'ok' })
})

test('an engine that was killed is gone, and starts again', async () => {
  const { world, call, launch } = openEngines()
  await launch()
  world.containers.processes()[0]?.kill()
  expect(await call((engine) => engine.state(2_000))).toBe(null)
  expect(world.containers.processes()).toEqual([])
  expect(await launch()).toBe('running')
})

test('an engine whose object ends while it starts does not run forever', async () => {
  const { world, pass, launch } = openEngines()
  world.clock.schedule(1_000, null, 'kill', () => world.namespaces.ENGINES.kill('engine-0'))
  await expect(launch()).rejects.toThrow()
  await pass(10_000)
  expect(world.containers.processes()).toHaveLength(1)
  await pass(50_000)
  expect(world.containers.processes()).toEqual([])
})

test('an idle engine ends after SIGTERM, and when nobody renews it', async () => {
  const { world, call, pass, launch } = openEngines()
  await launch()
  await call((engine) => engine.shutDown())
  await pass(1_000)
  expect(world.containers.processes()).toEqual([])
  await launch()
  await pass(44_000)
  expect(world.containers.processes()).toHaveLength(1)
  await pass(2_000)
  expect(world.containers.processes()).toEqual([])
})
