import { afterEach, expect, test } from 'vitest'
import { newKey, openWorld } from '../imports.ts'
import { PUBLIC_URL, type World, type WorldHooks } from '../world.ts'

let opened: World | null = null
afterEach(() => opened?.close())

const open = (hooks: WorldHooks = {}) => {
  const { world } = openWorld({ seed: 'requests', hooks })
  opened = world
  return world
}

test('when a reader of events dies, the Worker notices and ends its invocation', async () => {
  const world = open()
  const key = await world.perform(world.caller('operator'), () => newKey(world))
  const reader = world.caller('reader')
  world.clock.schedule(0, reader, 'act', async () => {
    const response = await world.request(`${PUBLIC_URL}/events`, { headers: { authorization: `Bearer ${key}` } })
    await response.text()
  })
  await world.clock.run({ until: world.clock.now + 5_000 })
  world.clock.kill(reader)
  const before = world.clock.events
  await world.clock.run({ until: world.clock.now + 120_000 })
  expect(world.clock.events - before).toBeLessThan(50)
})

test('a request whose invocation is killed fails for its caller', async () => {
  const world = open({
    worker: { onInvocation: (_, kill) => world.clock.schedule(3, null, 'kill', kill) },
  })
  await expect(world.perform(world.caller('operator'), () => newKey(world))).rejects.toThrow('fetch failed')
})
