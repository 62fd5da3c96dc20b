import { expect, test } from 'vitest'
import { queueRoles } from '../../../scripts/deploy/queue-roles.ts'

const steps = { binding: 'STEPS', queue: 'a-steps' }
const work = { binding: 'WORK', queue: 'a-work' }

test.each([
  ['a producer names the role', [steps, work], [], 'a-steps=steps a-work=work'],
  ['a dead letter queue', [steps], [{ queue: 'a-steps', dead_letter_queue: 'x' }], 'a-steps=steps x=steps-dead'],
  [
    'two queues share a dead letter queue',
    [steps, work],
    [
      { queue: 'a-steps', dead_letter_queue: 'x' },
      { queue: 'a-work', dead_letter_queue: 'x' },
    ],
    'a-steps=steps a-work=work x=steps-dead',
  ],
  ['no queues', [], [], ''],
])('%s', (_, producers, consumers, roles) => {
  expect(queueRoles({ queues: { producers, consumers } })).toBe(roles)
})
