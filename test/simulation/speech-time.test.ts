import { expect, onTestFinished, test } from 'vitest'
import { DELIVERY_MS, JOB_DEADLINE_MS } from '../../domain/limits.ts'
import { BUCKET_HOST, bucketSettings, CallersBucket } from './actors/callers-bucket.ts'
import { openAccount } from './actors/operator.ts'
import { sourceUrl } from './actors/sources.ts'
import { ratesOf } from './faults/fault-classes.ts'
import { Faults } from './faults/faults.ts'
import { openWorld } from './imports.ts'
import { createRandom } from './random.ts'
import { sleep } from './sleep.ts'
import { Story } from './story.ts'
import { PUBLIC_URL } from './world.ts'

test('when the time for speech is over before it begins, the copy into the bucket begins at once', async () => {
  let stepOf = (): unknown => null
  const onMessage = () => ({ lose: stepOf() === 'audio', copies: 1, delayMs: 0 })
  const { world } = openWorld({ seed: 'speech', hooks: { queues: { onMessage } } })
  onTestFinished(() => world.close())
  const random = createRandom('none')
  const faults = new Faults(ratesOf(random, []), random, new Story(false, () => 0))
  const bucket = new CallersBucket(world.clock, faults)
  world.internet.serve(BUCKET_HOST, bucket.handle)
  const told = await world.perform(world.caller('caller'), async () => {
    const { accountId, apiKey } = await openAccount(world, 'simulated', 100)
    const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
    const ask = async (method: string, path: string, body?: object) => {
      const init = { method, headers, ...(body && { body: JSON.stringify(body) }) }
      return (await (await world.request(`${PUBLIC_URL}${path}`, init)).json()) as { data: Record<string, never> }
    }
    await ask('PUT', '/storage', bucketSettings)
    const request = { url: sourceUrl('film'), transcribe: { mode: 'speech' }, store: true }
    const { jobId } = (await ask('POST', '/import', request)).data
    const sql = world.namespaces.ACCOUNTS.storage(accountId)?.sqlDatabase
    stepOf = () => sql?.exec('SELECT step FROM jobs').one().step
    while (stepOf() !== 'audio') await sleep(100)
    sql?.exec('UPDATE jobs SET created_at = created_at - ?', JOB_DEADLINE_MS - DELIVERY_MS)
    world.namespaces.ACCOUNTS.kill(accountId)
    while (stepOf() === 'audio') await sleep(100)
    await sleep(10_000)
    return (await ask('GET', `/import/status?id=${jobId}`)).data
  })
  expect(told).toMatchObject({
    status: 'completed',
    result: { files: [{ kind: 'media' }, { kind: 'transcript', status: 'failed', code: 'TIMED_OUT' }] },
  })
  expect([...bucket.objects.keys()]).toEqual(['film.mp4'])
})
