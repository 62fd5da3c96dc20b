import { expect, onTestFinished, test } from 'vitest'
import { SOURCE_HOST, sources, sourceUrl } from './actors/sources.ts'
import { PROVIDER_KEY, SpeechProviders } from './actors/speech-providers.ts'
import { ratesOf } from './faults/fault-classes.ts'
import { Faults } from './faults/faults.ts'
import { newKey, openWorld } from './imports.ts'
import { createRandom } from './random.ts'
import { sleep } from './sleep.ts'
import { Story } from './story.ts'
import { PUBLIC_URL, type World, type WorldHooks } from './world.ts'

const MINUTE = 60_000

/** A world with a provider of speech that takes so long for each file, and when it was first asked for each. */
const withProvider = (seed: string, takesMs: number, hooks: WorldHooks = {}) => {
  const { world } = openWorld({ seed, hooks })
  onTestFinished(() => world.close())
  const random = createRandom('none')
  const answer = new SpeechProviders(new Faults(ratesOf(random, []), random, new Story(false, () => 0))).handlers
  const askedAt: number[] = []
  world.internet.serve(SOURCE_HOST, sources)
  world.internet.serve('api.openai.com', async (request) => {
    askedAt.push(world.clock.now)
    await sleep(takesMs)
    return answer['api.openai.com'](request)
  })
  return { world, askedAt }
}

const transcribe = async (world: World, key: string, name: string): Promise<string> => {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ url: sourceUrl(name), provider: 'provider_a', apiKey: PROVIDER_KEY })
  const started = await world.request(`${PUBLIC_URL}/transcribe`, { method: 'POST', headers, body })
  const text = await started.text()
  if (started.status !== 202) throw new Error(`${started.status} ${text}`)
  const { jobId } = JSON.parse(text).data
  for (;;) {
    await sleep(5_000)
    const read = await world.request(`${PUBLIC_URL}/transcribe/status?id=${jobId}`, { headers })
    const { data } = (await read.json()) as { data: { status: string } }
    if (data.status === 'completed' || data.status === 'failed') return data.status
  }
}

test('thirty transcriptions of many minutes start together, although a queue adds no consumer while a batch runs', async () => {
  const { world, askedAt } = withProvider('thirty', 10 * MINUTE)
  const statuses = await world.perform(world.caller('caller'), async () => {
    const keys = await Promise.all(Array.from({ length: 10 }, () => newKey(world)))
    const names = ['first', 'second', 'third']
    return Promise.all(keys.flatMap((key, index) => names.map((name) => transcribe(world, key, `${name}-${index}`))))
  })
  expect(statuses).toEqual(Array(30).fill('completed'))
  expect(Math.max(...askedAt) - Math.min(...askedAt)).toBeLessThan(3 * MINUTE)
})

test('a transcription whose object ends during its work continues the same attempt', async () => {
  const leases = new Set<unknown>()
  const onCall = ({ method, args: [, step, lease] }: { method: string; args: readonly unknown[] }) => {
    if (method === 'claim' && step === 'recognize') leases.add(lease)
    return undefined
  }
  const { world, askedAt } = withProvider('reset', MINUTE, { objects: { onCall } })
  world.clock.schedule(45_000, null, 'kill', () => {
    for (const name of world.namespaces.WORK_OBJECTS.names()) world.namespaces.WORK_OBJECTS.kill(name)
  })
  const status = await world.perform(world.caller('caller'), async () => {
    const key = await newKey(world)
    return transcribe(world, key, 'film')
  })
  expect(status).toBe('completed')
  expect(askedAt).toHaveLength(2)
  expect(leases.size).toBe(1)
})

test('when storage fails for five minutes, a transcription completes later and uses no attempt', async () => {
  let isDown = false
  const onCall = () => (isDown ? ({ lose: 'request' } as const) : undefined)
  const { world } = withProvider('outage', MINUTE, { bucket: { onCall } })
  world.clock.schedule(20_000, null, 'outage', () => {
    isDown = true
  })
  world.clock.schedule(20_000 + 5 * MINUTE, null, 'end of outage', () => {
    isDown = false
  })
  const status = await world.perform(world.caller('caller'), async () => transcribe(world, await newKey(world), 'film'))
  expect(status).toBe('completed')
})
