import { QUEUE_BACKOFF } from '../domain/limits.ts'
import type { DeadLetterQueue } from '../domain/metrics/counted-events.ts'
import { type Backoff, backoffMs } from '../domain/retry.ts'
import { messageVersions, type QueueMessage } from './account/queue-messages.ts'
import { logEvent } from './log.ts'
import { countEvent } from './metrics/metrics-of.ts'

const queueRoles = ['steps', 'steps-dead', 'webhooks', 'webhooks-dead'] as const
export type QueueRole = (typeof queueRoles)[number]

/** A queue is called after its role, behind a prefix that the operator chooses for each environment: haul-staging-steps. */
export const queueRoleOf = (queue: string): QueueRole => {
  const role = queueRoles.find((each) => queue === each || queue.endsWith(`-${each}`))
  if (!role) throw new Error(`The queue ${queue} must be called after its role: ${queueRoles.join(', ')}.`)
  return role
}

type Consumer<Body> = (batch: MessageBatch<Body>, env: Env, ctx: ExecutionContext) => Promise<void>
type Handle<Body> = (message: Message<Body>, env: Env, ctx: ExecutionContext) => Promise<unknown>

interface ConsumerOptions {
  backoff?: Backoff
  /** Called first, for messages of unknown versions too. Does not throw. */
  count?(attempts: number, env: Env): Promise<void>
}

/**
 * A message that is not handled stays with the queue, which delivers it again with backoff and finally moves it to the
 * dead-letter queue. One of an unknown version stays too: it may come from a newer release.
 */
export const queueConsumer =
  <Body extends QueueMessage>(
    handle: Handle<Body>,
    { backoff = QUEUE_BACKOFF, count = async () => {} }: ConsumerOptions = {},
  ): Consumer<Body> =>
  async ({ messages, queue }, env, ctx) => {
    await Promise.all(
      messages.map(async (message) => {
        const { body, attempts } = message
        try {
          await count(attempts, env)
          if (messageVersions.includes(body.v)) {
            await handle(message, env, ctx)
            return message.ack()
          }
          if (attempts === 1) logUnknownVersion(queue, message)
        } catch (cause) {
          console.error('queue message', body, attempts, cause)
        }
        message.retry({ delaySeconds: backoffMs(attempts, backoff) / 1_000 })
      }),
    )
  }

const logUnknownVersion = (queue: string, { id, body }: Message<QueueMessage>): void => {
  const { v, accountId } = body
  logEvent('message.unknown_version', { queue, messageId: id, accountId, v, known: messageVersions }, 'warn')
}

const DEAD_LETTER_BACKOFF: Backoff = { firstMs: 60_000, longestMs: 60_000 }

/** Counts the message before it is handled: its account may be why it is dead, and may fail again. */
export const deadLetterConsumer = <Body extends QueueMessage>(
  queue: DeadLetterQueue,
  handle: (body: Body, env: Env) => Promise<unknown> = async () => {},
): Consumer<Body> =>
  queueConsumer(({ body }, env) => handle(body, env), {
    backoff: DEAD_LETTER_BACKOFF,
    count: async (attempts, env) => {
      if (attempts === 1) await countEvent(env, `dead letters ${queue}`)
    },
  })
