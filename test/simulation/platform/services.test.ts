import { afterEach, expect, test } from 'vitest'
import { Clock } from '../clock.ts'
import { installGlobals } from '../globals.ts'
import { engines, importFilm, newKey, openWorld, runImports } from '../imports.ts'
import { createRandom } from '../random.ts'
import { sleep } from '../sleep.ts'
import { VirtualBody } from './http-message.ts'
import { type Batch, Queues } from './queue.ts'
import { R2Store } from './r2.ts'
import { s3Door } from './s3-door.ts'
import { Wire } from './wire.ts'

let cleanUp: (() => void) | null = null
afterEach(() => {
  cleanUp?.()
  cleanUp = null
})

const openQueue = (consume: (batch: Batch) => Promise<void>, hooks: ConstructorParameters<typeof Queues>[3] = {}) => {
  const clock = new Clock()
  cleanUp = installGlobals(clock, createRandom('1'), () => Promise.reject(new Error('no internet'))).uninstall
  const settings = [
    { queue: 'work', max_batch_size: 2, max_batch_timeout: 0, max_retries: 2, dead_letter_queue: 'dead' },
    { queue: 'dead', max_batch_timeout: 0 },
  ]
  const queues = new Queues(new Wire(clock, () => 1), settings, (batch) => consume(batch), hooks)
  return { clock, producer: queues.producer('work') as { send(body: unknown): Promise<void> }, queues }
}

test('a message that always fails goes to the dead letters after its retries', async () => {
  const delivered: string[] = []
  const { clock, producer } = openQueue(async ({ queue }) => {
    delivered.push(queue)
    if (queue === 'work') throw new Error('failed')
  })
  await clock.settle(producer.send('message'))
  await clock.run()
  expect(delivered).toEqual(['work', 'work', 'work', 'dead'])
})

test('what a killed consumer has not acknowledged comes again', async () => {
  let deliveries = 0
  const finished: unknown[] = []
  const { clock, producer } = openQueue(
    async ({ messages }) => {
      await sleep(1_000)
      finished.push(...messages.map((message) => (message as { attempts: number }).attempts))
    },
    {
      onDelivery: (_, kill) => {
        deliveries += 1
        if (deliveries === 1) clock.schedule(500, null, 'kill', kill)
      },
    },
  )
  await clock.settle(producer.send('message'))
  await clock.run()
  expect(finished).toEqual([2])
})

test('messages can be refused, lost, and delivered twice', async () => {
  const seen: unknown[] = []
  const fates = [{ lose: true }, { copies: 2 }]
  let isRefused = true
  const { clock, producer } = openQueue(
    async ({ messages }) => {
      seen.push(...messages.map((message) => (message as { body: unknown }).body))
    },
    { onSend: () => (isRefused ? { lose: 'request' } : undefined), onMessage: () => fates.shift() },
  )
  await expect(clock.settle(producer.send('refused'))).rejects.toThrow('Queue send failed')
  isRefused = false
  for (const body of ['lost', 'twice', 'once']) await clock.settle(producer.send(body))
  await clock.run()
  expect(seen).toEqual(['twice', 'twice', 'once'])
})

test('a presigned URL stores a file by its size until it expires', () => {
  const clock = new Clock()
  const store = new R2Store(clock)
  const door = s3Door(clock, store, 'bucket')
  const url = new URL('https://s3.test/bucket/a%20key?X-Amz-Date=20261102T000000Z&X-Amz-Expires=60')
  const put = { method: 'PUT', url, headers: new Headers(), body: new VirtualBody(5_000_000_000, 'film'), signal: null }
  expect(door(put).status).toBe(200)
  expect(store.keys()).toEqual(['a key'])
  const get = { ...put, method: 'GET', headers: new Headers({ range: 'bytes=0-9' }), body: null }
  expect(door(get)).toMatchObject({ status: 206, headers: { 'content-range': 'bytes 0-9/5000000000' } })
  clock.now += 60_000
  expect(door(put).status).toBe(403)
})

test('imports survive the loss of one answer of each call that a step makes', async () => {
  const methods = new Set(['add', 'claim', 'reportProgress', 'noteUpload', 'finishFetch', 'ended', 'claimDelivery'])
  const onCall = ({ method }: { method: string }) =>
    methods.delete(method) ? ({ lose: 'response' } as const) : undefined
  const { statuses } = await runImports('lossy', 2, { objects: { onCall } })
  expect(statuses).toEqual(['completed', 'completed'])
  expect([...methods]).toEqual([])
})

test('an import survives an engine that is killed in its step', async () => {
  const { world } = openWorld({ seed: 'killed', engines: { ...engines, drainMs: 0 } })
  cleanUp = () => world.close()
  world.clock.schedule(5_500, null, 'kill', () => world.containers.processes()[0]?.kill())
  const status = await world.perform(world.caller('caller'), async () => importFilm(world, await newKey(world), 'film'))
  expect(status).toBe('completed')
})
