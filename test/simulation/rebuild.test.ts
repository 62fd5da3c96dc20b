import { expect, onTestFinished, test } from 'vitest'
import { sourceUrl } from './actors/sources.ts'
import { newKey, openWorld } from './imports.ts'
import type { ObjectCall } from './platform/object.ts'
import { sleep } from './sleep.ts'
import { PUBLIC_URL, type World } from './world.ts'

const callerOf = (world: World, key: string) => async (method: string, path: string, body?: object) => {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const init = { method, headers, ...(body && { body: JSON.stringify(body) }) }
  const response = await world.request(`${PUBLIC_URL}${path}`, init)
  return ((await response.json()) as { data: Record<string, never> }).data
}

test('a rebuild that is begun again after the index was turned off and on brings all words back, also those that the first one was at', async () => {
  let isSlow = false
  const onCall = ({ namespace, method }: ObjectCall) =>
    isSlow && namespace === 'WORDS' && method === 'update' ? { responseDelayMs: 10_000 } : undefined
  const { world } = openWorld({ seed: 'rebuild', hooks: { objects: { onCall } } })
  onTestFinished(() => world.close())
  const found = await world.perform(world.caller('caller'), async () => {
    const ask = callerOf(world, await newKey(world))
    const { jobId } = await ask('POST', '/transcribe', { url: sourceUrl('talk', { captions: 'en' }) })
    await sleep(60_000)
    const search = async () => ((await ask('GET', '/search?q=words')).results ?? []) as { jobId: string }[]
    expect((await search())[0]?.jobId).toBe(jobId)
    isSlow = true
    await ask('POST', '/search/rebuild')
    await sleep(1_000)
    await ask('PATCH', '/account', { index: false })
    await ask('PATCH', '/account', { index: true })
    await ask('POST', '/search/rebuild')
    isSlow = false
    await sleep(60_000)
    return (await search())[0]?.jobId === jobId
  })
  expect(found).toBe(true)
})
