import { QUEUE_BACKOFF } from '../domain/limits.ts'
import type { DeadLetterQueue } from '../domain/metrics/counted-events.ts'
import { type Backoff, backoffMs } from '../domain/retry.ts'
import { countEvent } from './metrics/metrics-of.ts'

type Consumer<Body> = (batch: MessageBatch<Body>, env: Env, ctx: ExecutionContext) => Promise<void>

/**
 * The consumer of a queue. A message is acknowledged when `handle` resolves. Otherwise it stays with the queue, which
 * delivers it again with backoff and finally moves it to the dead-letter queue.
 */
export const queueConsumer =
  <Body>(
    handle: (message: Message<Body>, env: Env, ctx: ExecutionContext) => Promise<unknown>,
    backoff: Backoff = QUEUE_BACKOFF,
  ): Consumer<Body> =>
  async ({ messages }, env, ctx) => {
    await Promise.all(
      messages.map(async (message) => {
        try {
          await handle(message, env, ctx)
          message.ack()
        } catch (cause) {
          console.error('queue message', message.body, message.attempts, cause)
          message.retry({ delaySeconds: backoffMs(message.attempts, backoff) / 1_000 })
        }
      }),
    )
  }

const DEAD_LETTER_BACKOFF: Backoff = { firstMs: 60_000, longestMs: 60_000 }

/** The consumer of a dead-letter queue. The message is counted first: an account may be the reason why it is dead. */
export const deadLetterConsumer = <Body extends { accountId: string }>(
  queue: DeadLetterQueue,
  handle: (body: Body, env: Env) => Promise<unknown> = async () => {},
): Consumer<Body> =>
  queueConsumer(async ({ body, attempts }, env) => {
    if (attempts === 1) await countEvent(env, { kind: 'dead letter', queue })
    await handle(body, env)
  }, DEAD_LETTER_BACKOFF)
