import { AccountBase } from './account/object.ts'
import { recordJob } from './directory.ts'
import type { Job, Step } from './domain/jobs/job.ts'
import type { DeliveryMessage, StepMessage } from './domain/messages.ts'
import { EngineBase } from './engine/object.ts'
import { reports } from './engine/reports.ts'
import { configOf, signingKey } from './env.ts'
import { createApp } from './http/app.ts'
import { discard } from './media/uploads.ts'
import { consumeDeadSteps, consumeSteps } from './queue/consume.ts'
import { consumeDeadDeliveries, consumeDeliveries } from './queue/deliveries.ts'
import { deliveryStagesOf, deskOf, isOwnWork, partsOf, stagesOf } from './wiring.ts'

/**
 * The map. A request comes in through `http`, the `account` object decides, a message goes through `queue`,
 * the `engine` hands it to the container, `media` keeps what comes back. Stages know the domain and never
 * each other: wiring.ts introduces them.
 */
const app = createApp(partsOf)
app.route('/internal/jobs', reports((env) => signingKey(env, 'leases'), deskOf) as never)

const goOn = (ctx: ExecutionContext) => (work: Promise<unknown>) => ctx.waitUntil(work)

export default {
  fetch: app.fetch,
  queue: (batch, env, ctx) => {
    switch (batch.queue) {
      case 'haul-steps':
      case 'haul-work':
        return consumeSteps(batch, stagesOf(env))
      case 'haul-steps-dead':
        return consumeDeadSteps(batch, stagesOf(env))
      case 'haul-webhooks':
        return consumeDeliveries(batch, deliveryStagesOf(env), goOn(ctx))
      case 'haul-webhooks-dead':
        return consumeDeadDeliveries(batch, deliveryStagesOf(env))
      default:
        throw new Error(`nobody consumes ${batch.queue}`)
    }
  },
  // The name of the queue says which messages it holds.
} satisfies ExportedHandler<Env, never>

/** What takes minutes must not stand in the way of steps that are only handed over. */
const queueFor = (env: Env, job: Job, step: Step): Queue => (isOwnWork(env, job, step) ? env.WORK : env.STEPS)

export class AccountObject extends AccountBase {
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env, {
      leaseMs: configOf(env).leaseMs,
      carriers: {
        sendStep: async (accountId, job, step) => {
          await queueFor(env, job, step).send({ v: 1, accountId, jobId: job.id, step } satisfies StepMessage)
        },
        sendDelivery: async (message) => void (await env.WEBHOOKS.send({ v: 1, ...message } satisfies DeliveryMessage)),
        recordJob: (accountId, job) => recordJob(env.DB, accountId, job),
        discardMedia: (key, uploadId) => discard(env.MEDIA, key, uploadId),
      },
    })
  }
}

export class EngineObject extends EngineBase {
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env, configOf(env))
  }
}
