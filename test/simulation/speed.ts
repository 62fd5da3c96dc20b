import { importFilm, newKey, openWorld } from './imports.ts'

/** `node test/simulation/speed.ts [histories]`: the processor's time for histories of 50 imports. Other programs disturb it less than a clock. */
const HISTORIES = Number(process.argv[2] ?? 10)
const CALLERS = 5
const IMPORTS = 10

const history = async (seed: string): Promise<{ events: number; requests: number }> => {
  let requests = 0
  const worker = {
    onInvocation: () => {
      requests += 1
    },
  }
  const { world } = openWorld({ seed, hooks: { worker } })
  try {
    const callers = Array.from({ length: CALLERS }, (_, index) =>
      world.perform(world.caller(`caller-${index}`), async () => {
        const key = await newKey(world)
        for (let film = 0; film < IMPORTS; film++) await importFilm(world, key, `film-${film}`)
      }),
    )
    await Promise.all(callers)
    await world.clock.run({ until: world.clock.now + 60_000 })
    return { events: world.clock.events, requests }
  } finally {
    world.close()
  }
}

await history('warm')
const startedAt = process.cpuUsage()
let events = 0
let requests = 0
for (let index = 0; index < HISTORIES; index++) {
  const seen = await history(`${index}`)
  events += seen.events
  requests += seen.requests
}
const { user, system } = process.cpuUsage(startedAt)
const ms = (user + system) / 1_000
const jobs = HISTORIES * CALLERS * IMPORTS
const figures = {
  msPerHistory: ms / HISTORIES,
  msPerJob: ms / jobs,
  eventsPerJob: events / jobs,
  requestsPerJob: requests / jobs,
}
console.info(figures)
