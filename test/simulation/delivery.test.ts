import { expect, onTestFinished, test } from 'vitest'
import { BUCKET_HOST, bucketSettings, CallersBucket } from './actors/callers-bucket.ts'
import { sourceUrl } from './actors/sources.ts'
import { ratesOf } from './faults/fault-classes.ts'
import { Faults } from './faults/faults.ts'
import { newKey, openWorld } from './imports.ts'
import { createRandom } from './random.ts'
import { sleep } from './sleep.ts'
import { Story } from './story.ts'
import { PUBLIC_URL } from './world.ts'

const MINUTE = 60_000
const OTHER_HOST = 's3.other.example'
const KEY = 'film/film.mp4'

/** How often a run asks whether its file is there. */
const ATTEMPTS = 6

/** A caller with two buckets. The first one stores files, but does not say that they are there the first `blindFor` times. */
const withBuckets = (seed: string, blindFor: number) => {
  const { world } = openWorld({ seed })
  onTestFinished(() => world.close())
  const random = createRandom('none')
  const newBucket = () =>
    new CallersBucket(world.clock, new Faults(ratesOf(random, []), random, new Story(false, () => 0)))
  const [bucket, other] = [newBucket(), newBucket()]
  const state = { blindFor }
  world.internet.serve(BUCKET_HOST, (request) =>
    request.method === 'HEAD' && state.blindFor-- > 0 ? { status: 503 } : bucket.handle(request),
  )
  world.internet.serve(OTHER_HOST, other.handle)

  const perform = <T>(act: (caller: Caller) => Promise<T>): Promise<T> =>
    world.perform(world.caller('caller'), async () => {
      const headers = { authorization: `Bearer ${await newKey(world)}`, 'content-type': 'application/json' }
      const ask = async (method: string, path: string, body?: object) => {
        const init = { method, headers, ...(body && { body: JSON.stringify(body) }) }
        const { data } = (await (await world.request(`${PUBLIC_URL}${path}`, init)).json()) as { data: Data }
        return data
      }
      const start = async (settings = bucketSettings) => {
        await ask('PUT', '/storage', settings)
        const url = sourceUrl('film', { bytes: 100_000, workMs: 1_000 })
        return (await ask('POST', '/import', { url, store: true, storagePath: 'film' })).jobId
      }
      const ended = async (id: string): Promise<string> => {
        for (;;) {
          await sleep(1_000)
          const { status } = await ask('GET', `/import/status?id=${id}`)
          if (status === 'completed' || status === 'failed') return status
        }
      }
      const copied = async () => {
        while (!bucket.objects.has(KEY)) await sleep(100)
      }
      return act({ ask, start, ended, copied })
    })
  return { bucket, other, state, perform }
}

interface Data {
  jobId: string
  status: string
}

interface Caller {
  ask(method: string, path: string, body?: object): Promise<Data>
  start(): Promise<string>
  ended(id: string): Promise<string>
  /** Until the file is in the first bucket. */
  copied(): Promise<void>
}

test('what was copied into a bucket that has been replaced since is removed there, and copied into the new one', async () => {
  const { bucket, other, perform } = withBuckets('replaced', ATTEMPTS)
  const status = await perform(async ({ ask, start, ended, copied }) => {
    const id = await start()
    await copied()
    await ask('PUT', '/storage', { ...bucketSettings, endpoint: `https://${OTHER_HOST}` })
    return ended(id)
  })
  expect(status).toBe('completed')
  expect([...bucket.objects.keys()]).toEqual([])
  expect([...other.objects.keys()]).toEqual([KEY])
})

test('what was copied for a job that is canceled is removed, also when the bucket answers only later', async () => {
  const { bucket, state, perform } = withBuckets('canceled', Number.POSITIVE_INFINITY)
  await perform(async ({ ask, start, copied }) => {
    const id = await start()
    await copied()
    await ask('DELETE', `/jobs/${id}`)
    await sleep(MINUTE)
    expect([...bucket.objects.keys()]).toEqual([KEY])
    state.blindFor = 0
    await sleep(15 * MINUTE)
  })
  expect([...bucket.objects.keys()]).toEqual([])
})

test('an import that is started again keeps its file when what the canceled one has left is removed', async () => {
  const { bucket, state, perform } = withBuckets('again', Number.POSITIVE_INFINITY)
  const { id, status } = await perform(async ({ ask, start, ended, copied }) => {
    const first = await start()
    await copied()
    await ask('DELETE', `/jobs/${first}`)
    state.blindFor = 0
    const again = await start()
    const status = await ended(again)
    await sleep(24 * 60 * MINUTE)
    return { id: again, status }
  })
  expect(status).toBe('completed')
  expect(bucket.objects.get(KEY)?.marks.jobId).toBe(id)
})
