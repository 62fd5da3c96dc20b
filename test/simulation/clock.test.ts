import { afterEach, expect, test } from 'vitest'
import { BEGINNING, Clock, type Owner } from './clock.ts'
import { installGlobals } from './globals.ts'
import { createRandom } from './random.ts'
import { sleep } from './sleep.ts'

let globals: { uninstall(): void } | null = null
afterEach(() => globals?.uninstall())

const install = (clock: Clock, seed = '1') => {
  globals?.uninstall()
  globals = installGlobals(clock, createRandom(seed), () => Promise.reject(new Error('no internet')))
}

const start = (clock: Clock, owner: Owner, act: () => Promise<void>) =>
  clock.schedule(0, owner, 'act', () => {
    void act()
  })

test('all microtasks of an event run before the next event, however many there are', async () => {
  const clock = new Clock()
  const order: string[] = []
  clock.schedule(0, null, 'first', async () => {
    for (let turn = 0; turn < 1_000; turn++) await null
    process.nextTick(() => Promise.resolve().then(() => order.push('first')))
  })
  clock.schedule(0, null, 'second', () => order.push('second'))
  await clock.run()
  expect(order).toEqual(['first', 'second'])
})

test('who is dead runs no further line, and its timers do not fire', async () => {
  const clock = new Clock()
  install(clock)
  const owner = clock.newOwner('caller', 'caller')
  const lines: string[] = []
  start(clock, owner, async () => {
    setTimeout(() => lines.push('timer'), 20)
    lines.push('before')
    await sleep(10)
    lines.push('after')
  })
  clock.schedule(5, null, 'kill', () => clock.kill(owner))
  await clock.run()
  expect(lines).toEqual(['before'])
})

test('who hangs goes on where it was, at the time of its waking', async () => {
  const clock = new Clock()
  install(clock)
  const owner = clock.newOwner('engine', 'engine')
  const times: number[] = []
  start(clock, owner, async () => {
    await sleep(10)
    times.push(Date.now() - BEGINNING)
  })
  clock.schedule(5, null, 'hang', () => clock.freeze(owner))
  clock.schedule(100, null, 'wake', () => clock.thaw(owner))
  await clock.run()
  expect(times).toEqual([100])
})

test('each owner reads its own clock, and timers run on the true one', async () => {
  const clock = new Clock()
  install(clock)
  const seen: number[] = []
  for (const skewMs of [0, 60_000]) {
    start(clock, clock.newOwner('object', 'object', skewMs), async () => {
      await sleep(1_000)
      seen.push(Date.now() - BEGINNING, Date.parse(new Date().toISOString()) - BEGINNING)
    })
  }
  await clock.run()
  expect(seen).toEqual([1_000, 1_000, 61_000, 61_000])
})

test('the same seed gives the same random values, and what was replaced is put back', () => {
  const real = { Date, setTimeout, crypto, random: Math.random }
  const values = () => [crypto.randomUUID(), Math.random(), ...crypto.getRandomValues(new Uint8Array(4))]
  install(new Clock(), 'a')
  const first = values()
  install(new Clock(), 'b')
  const other = values()
  install(new Clock(), 'a')
  expect(values()).toEqual(first)
  expect(other).not.toEqual(first)
  globals?.uninstall()
  globals = null
  expect({ Date, setTimeout, crypto, random: Math.random }).toEqual(real)
})

test('a signal with a timeout aborts at its virtual time', async () => {
  const clock = new Clock()
  install(clock)
  const signal = AbortSignal.timeout(5_000)
  await clock.run({ until: BEGINNING + 4_999 })
  expect(signal.aborted).toBe(false)
  await clock.run({ until: BEGINNING + 5_000 })
  expect(signal.reason).toMatchObject({ name: 'TimeoutError' })
})
