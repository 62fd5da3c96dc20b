import { createSteps } from './actors/false-steps.ts'
import { openAccount } from './actors/operator.ts'
import { RECEIVER_HOST, RECEIVER_URL } from './actors/receiver.ts'
import { SOURCE_HOST, sources, sourceUrl } from './actors/sources.ts'
import { LIST_HOST } from './actors/watched-list.ts'
import { WatchedLists } from './actors/watched-lists.ts'
import { ratesOf } from './faults/fault-classes.ts'
import { Faults } from './faults/faults.ts'
import type { EngineProgram } from './platform/engine-process.ts'
import { createRandom } from './random.ts'
import { sleep } from './sleep.ts'
import { Story } from './story.ts'
import { PUBLIC_URL, World, type WorldOptions } from './world.ts'

type Options = Omit<Partial<WorldOptions>, 'engines'> & { seed: string; engines?: Partial<EngineProgram> }

/** A world with a source and a receiver of webhooks, where nothing fails unless `hooks` say so. */
export const openWorld = ({ engines = {}, ...options }: Options) => {
  const story = new Story(false, () => 0)
  const faults = new Faults(ratesOf(createRandom('none'), []), createRandom('none'), story)
  const lists = new WatchedLists(() => world.clock, createRandom('lists'), faults)
  const steps = createSteps({ faults, story, world: () => world, lists })
  const world: World = new World({ engines: { ...steps, ...engines }, ...options })
  const webhooks: string[] = []
  world.internet.serve(SOURCE_HOST, sources)
  world.internet.serve(LIST_HOST, lists.handle)
  world.internet.serve(RECEIVER_HOST, ({ body }) => {
    webhooks.push(`${body}`)
    return { status: 204 }
  })
  return { world, webhooks }
}

export const newKey = async (world: World): Promise<string> => {
  const { apiKey } = await openAccount(world, 'simulated', 100)
  return apiKey
}

/** Starts an import and polls it until it has ended. */
export const importFilm = async (world: World, key: string, name: string): Promise<string> => {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ url: sourceUrl(name), webhookUrl: RECEIVER_URL })
  const started = await world.request(`${PUBLIC_URL}/import`, { method: 'POST', headers, body })
  const text = await started.text()
  if (started.status !== 202) throw new Error(`${started.status} ${text}`)
  const { jobId } = JSON.parse(text).data
  for (;;) {
    await sleep(5_000)
    const read = await world.request(`${PUBLIC_URL}/import/status?id=${jobId}`, { headers })
    const { data } = (await read.json()) as { data: { status: string } }
    if (data.status === 'completed' || data.status === 'failed') return data.status
  }
}
