import { afterEach, expect, test } from 'vitest'
import { Clock } from '../clock.ts'
import { installGlobals } from '../globals.ts'
import { createRandom } from '../random.ts'
import { sleep } from '../sleep.ts'
import { type Batch, Queues } from './queue.ts'
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
  return { clock, producer: queues.producer('work') as { send(body: unknown): Promise<void> } }
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
