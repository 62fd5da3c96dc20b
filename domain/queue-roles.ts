/** What a queue is for. Its name is the operator's choice, and another one in each environment. */
export const queueRoles = ['steps', 'steps-dead', 'work', 'webhooks', 'webhooks-dead'] as const
export type QueueRole = (typeof queueRoles)[number]

/** The role of each queue, by the queue's name. */
export type QueueRolesByName = ReadonlyMap<string, QueueRole>

/** The value of the variable QUEUES: `<queue>=<role>` entries, separated by spaces. */
export const writeQueueRoles = (roles: QueueRolesByName): string =>
  [...roles].map(([queue, role]) => `${queue}=${role}`).join(' ')

export const readQueueRoles = (text: string): QueueRolesByName =>
  new Map(text.split(' ').filter(Boolean).map(readEntry))

const readEntry = (entry: string): [string, QueueRole] => {
  const [queue = '', name, ...rest] = entry.split('=')
  const role = queueRoles.find((each) => each === name)
  if (!queue || !role || rest.length > 0) throw new Error(`QUEUES has the invalid entry "${entry}"`)
  return [queue, role]
}
