import { afterEach, expect, test } from 'vitest'
import type { EngineState } from '../../../domain/protocol/protocol.ts'
import type { Owner } from '../clock.ts'
import { openWorld } from '../imports.ts'
import type { World, WorldHooks } from '../world.ts'

/** ctx.container cannot run in the tests' workerd, so its double is tested through the real EngineObject only. */

interface Engine {
  launch(timeoutMs?: number): Promise<string>
  state(timeoutMs: number): Promise<EngineState | string | null>
  shutDown(): Promise<void>
  destroy(): Promise<void>
}

const MINUTE = 60_000
const lose = { lose: 'request' } as const

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

test('an engine whose image is still being fetched is starting, and is not started again', async () => {
  let starts = 0
  const containers = { bootMs: () => 70_000, onStart: () => void starts++ }
  const { launch } = openEngines({ containers })
  expect([await launch(), await launch(), await launch()]).toEqual(['starting', 'starting', 'running'])
  expect(starts).toBe(1)
})

test.each([
  'There is no container instance that can be provided to this durable object, try again later',
  'you are requesting too many containers per second',
])('a start that the platform refuses with "%s" says that it is full', async (message) => {
  let starts = 0
  const onStart = () => {
    starts++
    return message
  }
  expect(await openEngines({ containers: { onStart } }).launch()).toBe('full')
  expect(starts).toBe(1)
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

test('an engine object whose connection to its container is dead ends, and the next one finds the container', async () => {
  let isCut = false
  let cutOff: Owner | null = null
  const onRequest = () => {
    if (isCut) cutOff ??= world.clock.owner
    return cutOff && world.clock.owner === cutOff ? lose : undefined
  }
  const { world, call, pass, launch } = openEngines({ containers: { onRequest } })
  await launch()
  isCut = true
  const answers: unknown[] = []
  for (let seconds = 0; seconds < 8; seconds += 2) {
    answers.push(await call((engine) => engine.state(2_000)).catch(() => 'the object has ended'))
    await pass(2_000)
  }
  expect(answers).toEqual([null, null, null, 'the object has ended'])
  expect(await call((engine) => engine.state(2_000))).toMatchObject({ status: 'ok' })
  expect(world.containers.processes()).toHaveLength(1)
})

test('requests that lose their connection at once, or now and then, do not end the object', async () => {
  let lost = 0
  const onRequest = () => (lost-- > 0 ? lose : undefined)
  const { call, pass, launch } = openEngines({ containers: { onRequest } })
  await launch()
  const states = (count: number) =>
    call((engine) => Promise.all(Array.from({ length: count }, () => engine.state(2_000))))
  for (let minute = 0; minute < 3; minute++) {
    lost = 4
    expect(await states(4)).toEqual([null, null, null, null])
    expect(await states(1)).toMatchObject([{ status: 'ok' }])
    await pass(MINUTE)
  }
})

test('an engine whose object ends while it starts does not run forever', async () => {
  const { world, pass, launch } = openEngines()
  world.clock.schedule(1_000, null, 'kill', () => world.namespaces.ENGINES.kill('engine-0'))
  await expect(launch()).rejects.toThrow()
  await pass(10_000)
  expect(world.containers.processes()).toHaveLength(1)
  await pass(15 * MINUTE)
  expect(world.containers.processes()).toEqual([])
})

test('an engine ends after SIGTERM, and when no fleet has asked for its state for 15 minutes', async () => {
  const { world, call, pass, launch } = openEngines()
  await launch()
  await call((engine) => engine.shutDown())
  await pass(1_000)
  expect(world.containers.processes()).toEqual([])
  await launch()
  await pass(14 * MINUTE)
  expect(world.containers.processes()).toHaveLength(1)
  await pass(2 * MINUTE)
  expect(world.containers.processes()).toEqual([])
})
