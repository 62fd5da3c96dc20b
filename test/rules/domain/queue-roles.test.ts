import { expect, test } from 'vitest'
import { experimental_readRawConfig } from 'wrangler'
import { type QueueConfig, queueRoles, queueRolesIn, readQueueRoles } from '../../../domain/queue-roles.ts'

const producers = [
  { binding: 'STEPS', queue: 'a' },
  { binding: 'WORK', queue: 'b' },
  { binding: 'WEBHOOKS', queue: 'c' },
  { binding: 'BATCHES', queue: 'd' },
]
const consumers = [
  { queue: 'a', dead_letter_queue: 'a-lost' },
  { queue: 'a-lost' },
  { queue: 'b', dead_letter_queue: 'a-lost' },
  { queue: 'c', dead_letter_queue: 'c-lost' },
  { queue: 'c-lost' },
  { queue: 'd', dead_letter_queue: 'a-lost' },
]

test('a queue has the role of its binding, and its dead letters the same role with -dead, whatever their names are', () => {
  const text = queueRolesIn({ queues: { producers, consumers } })
  expect(text).toBe('a=steps b=work c=webhooks d=batches a-lost=steps-dead c-lost=webhooks-dead')
  expect(Object.fromEntries(readQueueRoles(text))).toEqual({
    a: 'steps',
    'a-lost': 'steps-dead',
    b: 'work',
    c: 'webhooks',
    'c-lost': 'webhooks-dead',
    d: 'batches',
  })
})

test('the order of the consumers does not matter', () => {
  const sorted = (text: string) => text.split(' ').sort()
  const reversed = { producers, consumers: consumers.toReversed() }
  expect(sorted(queueRolesIn({ queues: reversed }))).toEqual(sorted(queueRolesIn({ queues: { producers, consumers } })))
})

test('dead letters of work that have a queue of their own are those of steps too', () => {
  const own = { producers, consumers: [{ queue: 'b', dead_letter_queue: 'b-lost' }] }
  expect(readQueueRoles(queueRolesIn({ queues: own })).get('b-lost')).toBe('steps-dead')
})

test.each<[string, QueueConfig['queues'], string]>([
  [
    'a consumer of a queue that nobody sends to',
    { producers, consumers: [{ queue: 'e' }] },
    'consumer of e has no role',
  ],
  ['a binding that the Worker does not know', { producers: [{ binding: 'MAIL', queue: 'e' }] }, 'unknown binding MAIL'],
])('%s is an error', (_, queues, message) => {
  expect(() => queueRolesIn({ queues })).toThrow(message)
})

test.each(['haul-steps', 'haul-steps=', '=steps', 'haul-steps=mail', 'haul-steps=steps=work'])(
  'the entry %j of QUEUES is refused',
  (entry) => expect(() => readQueueRoles(`a=work ${entry}`)).toThrow(`invalid entry "${entry}"`),
)

test('the queues in wrangler.toml have all roles', () => {
  const { rawConfig } = experimental_readRawConfig({ config: 'wrangler.toml' })
  const found = readQueueRoles(queueRolesIn(rawConfig as QueueConfig))
  expect([...found.values()].sort()).toEqual([...queueRoles].sort())
})
