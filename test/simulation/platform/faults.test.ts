import { expect, test } from 'vitest'
import type { Owner } from '../clock.ts'
import { importFilm, newKey, openWorld } from '../imports.ts'
import { createRandom } from '../random.ts'
import { digestOfEvents } from '../trace.ts'
import type { CallFault } from './wire.ts'

/** Everything that can fail does so now and then, and a minute later nothing does. */
const faultyHistory = async (seed: string) => {
  const random = createRandom(`faults/${seed}`)
  const pick = (share: number) => isFaulty && random.chance(share)
  let isFaulty = true
  const fault = (share: number): CallFault | undefined => {
    if (!pick(share)) return undefined
    const lose = random.chance(0.5) ? 'request' : 'response'
    return random.chance(0.5) ? { lose } : { responseDelayMs: random.between(1, 20_000) }
  }
  const killLater = (kill: () => void) => {
    if (pick(0.02)) world.clock.schedule(random.between(0, 20), null, 'kill', kill)
  }
  const killObject = (name: keyof typeof world.namespaces, object: string) =>
    killLater(() => world.namespaces[name].kill(object))
  const { world, webhooks } = openWorld({
    seed,
    hooks: {
      objects: {
        onCall: () => fault(0.02),
        onCommit: (namespace, object) => killObject(namespace as 'ACCOUNTS', object),
        alarmDelayMs: () => (pick(0.1) ? random.between(0, 30_000) : 0),
        skewMs: () => (pick(0.2) ? random.between(-3_000, 3_000) : 0),
      },
      queues: {
        onSend: () => fault(0.02),
        onMessage: () => (pick(0.02) ? { lose: true } : { copies: pick(0.05) ? 2 : 1 }),
        onDelivery: (_, kill) => killLater(kill),
      },
      database: { onQuery: () => fault(0.02) },
      bucket: { onCall: () => fault(0.02) },
      internet: { onRequest: () => fault(0.02) },
      worker: { onInvocation: (_, kill) => killLater(kill) },
      containers: { onRequest: () => fault(0.02), onStart: () => (pick(0.1) ? 'the start failed' : undefined) },
    },
  })
  const trace = digestOfEvents(world.clock)
  const engineFault = () => {
    const engines = world.containers.processes()
    const engine = engines[random.between(0, Math.max(0, engines.length - 1))]
    const kinds = ['kill', 'hang', 'cut off', 'drain'] as const
    const kind = kinds[random.between(0, kinds.length - 1)]
    if (engine && kind === 'kill') engine.kill()
    if (engine && kind === 'hang') engine.hang()
    if (engine && kind === 'drain') engine.drain()
    if (engine && kind === 'cut off') engine.isCutOff = true
    if (isFaulty) world.clock.schedule(random.between(5_000, 30_000), null, 'engine fault', engineFault)
  }
  world.clock.schedule(10_000, null, 'engine fault', engineFault)
  world.clock.schedule(60_000, null, 'rest', () => {
    isFaulty = false
  })
  /** A start may fail. Then the caller tries again a little later. */
  const importUntilDone = async (key: string, name: string): Promise<string> => {
    for (let tries = 0; tries < 50; tries++) {
      try {
        return await importFilm(world, key, name)
      } catch {
        await new Promise((resolve) => setTimeout(resolve, 5_000))
      }
    }
    return 'not started'
  }
  const key = () => world.perform(world.caller('operator'), () => newKey(world))
  try {
    isFaulty = false
    const apiKey = await key()
    isFaulty = true
    const callers: Owner[] = Array.from({ length: 2 }, (_, index) => world.caller(`caller-${index}`))
    const statuses = await Promise.all(
      callers.map((caller, index) => world.perform(caller, () => importUntilDone(apiKey, `film-${index}`))),
    )
    await world.clock.run({ until: world.clock.now + 3_600_000 })
    return { statuses, webhooks: webhooks.length, trace: trace.digest(), events: world.clock.events }
  } finally {
    world.close()
  }
}

test.each(['1', '2', '3', '4'])('a history with all faults ends, and is the same again (seed %s)', async (seed) => {
  const first = await faultyHistory(seed)
  for (const status of first.statuses) expect(['completed', 'failed']).toContain(status)
  expect(first.webhooks).toBeGreaterThan(0)
  expect(await faultyHistory(seed)).toEqual(first)
})
