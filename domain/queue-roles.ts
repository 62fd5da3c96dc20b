/** What a queue is for. Its name is the operator's choice, and another one in each environment. */
export const queueRoles = ['steps', 'steps-dead', 'work', 'batches', 'webhooks', 'webhooks-dead'] as const
export type QueueRole = (typeof queueRoles)[number]

/** The role of each queue, by the queue's name. */
export type QueueRolesByName = ReadonlyMap<string, QueueRole>

/** The queues of a wrangler configuration. */
export interface QueueConfig {
  queues: {
    producers?: { binding: string; queue?: string | undefined }[] | undefined
    consumers?: { queue?: string | undefined; dead_letter_queue?: string | undefined }[] | undefined
  }
}

/** Steps that run in containers, steps that run in the Worker and items of batches share a queue of dead letters. */
const deadLetterRoles: Partial<Record<QueueRole, QueueRole>> = {
  steps: 'steps-dead',
  work: 'steps-dead',
  batches: 'steps-dead',
  webhooks: 'webhooks-dead',
}

/**
 * The value of the Worker's variable QUEUES: `<queue>=<role>` entries, separated by spaces. The role of a queue is the
 * binding of its producer in lower case; a queue of dead letters has the role of the first consumer that names it, with
 * `-dead`.
 */
export const queueRolesIn = ({ queues: { producers = [], consumers = [] } }: QueueConfig): string => {
  const found = new Map<string, QueueRole>()
  for (const { binding, queue } of producers) {
    const role = queueRoles.find((each) => each === binding.toLowerCase())
    if (!role || !queue) throw new Error(`The queue ${queue ?? 'without a name'} has the unknown binding ${binding}.`)
    found.set(queue, role)
  }
  for (const { queue = '', dead_letter_queue } of consumers) {
    const deadLetters = deadLetterRoles[found.get(queue) as QueueRole]
    if (dead_letter_queue && deadLetters && !found.has(dead_letter_queue)) found.set(dead_letter_queue, deadLetters)
  }
  const stray = consumers.find(({ queue = '' }) => !found.has(queue))
  if (stray) {
    throw new Error(`The consumer of ${stray.queue} has no role: no producer sends to this queue, nor do dead letters.`)
  }
  return [...found].map(([queue, role]) => `${queue}=${role}`).join(' ')
}

export const readQueueRoles = (text: string): QueueRolesByName =>
  new Map(text.split(' ').filter(Boolean).map(readEntry))

const readEntry = (entry: string): [string, QueueRole] => {
  const [queue = '', name, ...rest] = entry.split('=')
  const role = queueRoles.find((each) => each === name)
  if (!queue || !role || rest.length > 0) throw new Error(`QUEUES has the invalid entry "${entry}"`)
  return [queue, role]
}
