import { afterEach, expect, test } from 'vitest'
import { BEGINNING, Clock } from '../clock.ts'
import { installGlobals } from '../globals.ts'
import { createRandom } from '../random.ts'
import { sleep } from '../sleep.ts'
import { type ObjectHooks, ObjectNamespace } from './object.ts'
import type { storageOf } from './object-storage.ts'
import { Wire } from './wire.ts'

/** What only the simulation can do to an object, so there is nothing to compare with in workerd. */

type Storage = ReturnType<typeof storageOf>

/** Lines that objects have run, of all their lives. */
let lines: string[] = []
let failures = 0

class Counter {
  readonly #storage: Storage

  constructor(ctx: { storage: Storage }) {
    this.#storage = ctx.storage
    this.#storage.sql.exec('CREATE TABLE IF NOT EXISTS counts (id INTEGER PRIMARY KEY)')
  }

  async add(waitMs = 0): Promise<number> {
    this.#storage.transactionSync(() => this.#storage.sql.exec('INSERT INTO counts VALUES (NULL)'))
    lines.push('committed')
    await sleep(waitMs)
    lines.push('waited')
    return this.count()
  }

  count(): number {
    return Number(this.#storage.sql.exec('SELECT count(*) AS count FROM counts').one().count)
  }

  async alarmIn(ms: number): Promise<void> {
    await this.#storage.setAlarm(Date.now() + ms)
  }

  alarm(): void {
    lines.push(`alarm at ${(Date.now() - BEGINNING) / 1_000} s`)
    if (failures-- > 0) throw new Error('the alarm failed')
  }
}

interface Stub {
  add(waitMs?: number): Promise<number>
  count(): Promise<number>
  alarmIn(ms: number): Promise<void>
}

let globals: { uninstall(): void } | null = null
afterEach(() => globals?.uninstall())

const openCounters = (hooks: ObjectHooks = {}) => {
  lines = []
  failures = 0
  const clock = new Clock()
  globals = installGlobals(clock, createRandom('1'), () => Promise.reject(new Error('no internet')))
  const wire = new Wire(clock, () => 1)
  const namespace = new ObjectNamespace({ name: 'COUNTERS', objectClass: Counter as never, env: {}, wire, hooks })
  const stub = (): Stub => namespace.binding.getByName('a') as Stub
  const counted = () => clock.settle(stub().count())
  return { clock, namespace, stub, counted }
}

const messageOf = (calling: Promise<unknown>): Promise<string> =>
  calling.then(
    () => 'answered',
    (cause: Error) => cause.message,
  )

test('an object that is killed in a call keeps what it has committed, and runs no further line', async () => {
  const { clock, namespace, stub, counted } = openCounters()
  const calling = messageOf(stub().add(1_000))
  clock.schedule(500, null, 'kill', () => namespace.kill('a'))
  expect(await clock.settle(calling)).toMatch('Durable Object reset')
  expect(await counted()).toBe(1)
  await clock.run()
  expect(lines).toEqual(['committed'])
})

test('a kill right after a commit loses the answer, not the commit', async () => {
  const { clock, namespace, stub, counted } = openCounters({
    onCommit: () => clock.schedule(0, null, 'kill', () => namespace.kill('a')),
  })
  expect(await clock.settle(messageOf(stub().add(1)))).toMatch('Durable Object reset')
  expect(await counted()).toBe(1)
})

test('a lost request does nothing, and a lost response leaves its effect; the stub stays broken', async () => {
  let lose: 'request' | 'response' | null = 'request'
  const { clock, stub, counted } = openCounters({ onCall: () => (lose ? { lose } : undefined) })
  expect(await clock.settle(messageOf(stub().add()))).toBe('Network connection lost.')
  expect(lines).toEqual([])
  lose = 'response'
  const broken = stub()
  expect(await clock.settle(messageOf(broken.add()))).toBe('Network connection lost.')
  lose = null
  expect(await messageOf(broken.count())).toBe('Network connection lost.')
  expect(await counted()).toBe(1)
})

test('an alarm that fails runs again after 2 seconds, doubled each time, up to six times', async () => {
  const { clock, stub } = openCounters()
  failures = 10
  await clock.settle(stub().alarmIn(10_000))
  await clock.run()
  const seconds = lines.map((line) => Math.round(Number(/at (.*) s/.exec(line)?.[1])))
  expect(seconds).toEqual([10, 12, 16, 24, 40, 72, 136])
})

test('an alarm wakes an object that is not in memory, and a later alarm replaces an earlier one', async () => {
  const { clock, namespace, stub } = openCounters()
  await clock.settle(stub().alarmIn(10_000))
  await clock.settle(stub().alarmIn(20_000))
  namespace.kill('a')
  expect(namespace.isInMemory('a')).toBe(false)
  await clock.run()
  expect(lines.map((line) => line.slice(0, 11))).toEqual(['alarm at 20'])
})
