import { failure } from '../domain/codes/failures.ts'
import type { Job, Step } from '../domain/jobs/job.ts'
import type { QueueRole } from '../domain/queue-roles.ts'
import { AccountBase } from './account/account-object.ts'
import type { BatchMessage, CleanupMessage, DeliveryMessage, StepMessage } from './account/queue-messages.ts'
import { consumeBatchItems } from './batches/turns.ts'
import { findNewAccount, recordAccount } from './directory.ts'
import { engineOf } from './engine/client.ts'
import { EngineBase } from './engine/object.ts'
import { configOf, queueRoleOf } from './env.ts'
import { FleetBase } from './fleet/fleet-object.ts'
import { planOf } from './fleet/fleet-of.ts'
import { createApp } from './http/app.ts'
import { recordJob, removeJobs } from './listed-jobs.ts'
import { discard } from './media/presigned-uploads.ts'
import { metricsOf } from './metrics/metrics-of.ts'
import { reportAccount } from './metrics/report-account.ts'
import { stepCallbacks } from './steps/callbacks.ts'
import { consumeDeadSteps, consumeSteps, consumeWork } from './steps/consume-steps.ts'
import { giveBackPlace, runsInWorker, startStep } from './steps/start-step.ts'
import { wakeAll } from './wake.ts'
import { consumeDeadDeliveries, consumeDeliveries } from './webhooks/consume-deliveries.ts'

/**
 * The entry points. A request comes in through `http`; the `account` object admits the job and sends its steps to the
 * queue when they are due; `steps` brings each of them to the `fleet`, which starts it in the container behind
 * `engine` when a place is free, or runs it in the Worker; the container reports back to `steps`; `webhooks` and `bucket` deliver the result.
 */
const app = createApp()
app.route('/', stepCallbacks as never)

export default {
  fetch: app.fetch,
  scheduled: (_, env) => wakeAll(env),
  queue: (batch, env, ctx) => consumers[queueRoleOf(env, batch.queue)](batch, env, ctx),
  // `never`: the queue's role says which messages a batch holds.
} satisfies ExportedHandler<Env, never>

/** Their queues have other names in each environment. */
const consumers: Record<QueueRole, (batch: MessageBatch<never>, env: Env, ctx: ExecutionContext) => Promise<void>> = {
  steps: consumeSteps,
  'steps-dead': consumeDeadSteps,
  work: consumeWork,
  batches: consumeBatchItems,
  webhooks: consumeDeliveries,
  'webhooks-dead': consumeDeadDeliveries,
}

/** Steps that take minutes have a queue of their own, so that they do not delay those that are only started. */
const queueFor = (env: Env, job: Job, step: Step): Queue => (runsInWorker(env, job, step) ? env.WORK : env.STEPS)

export class AccountObject extends AccountBase {
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env, {
      leaseMs: configOf(env).leaseMs,
      historyMs: configOf(env).historyMs,
      terms: configOf(env).terms,
      findNewAccount: (accountId) => findNewAccount(env.DB, accountId),
      targets: {
        sendStep: async (accountId, job, step, diskBytes) => {
          const message: StepMessage = {
            v: 1,
            accountId,
            jobId: job.id,
            step,
            leases: job.leaseNumber,
            ...(diskBytes !== null && { diskBytes }),
            ...(job.batch && { rank: 'batch' }),
          }
          await queueFor(env, job, step).send(message)
        },
        sendDelivery: async (message) => void (await env.WEBHOOKS.send({ v: 1, ...message } satisfies DeliveryMessage)),
        sendBatch: async (message) => {
          // A list takes minutes.
          const queue = message.index === null ? env.WORK : env.BATCHES
          await queue.send({ v: 1, ...message } satisfies BatchMessage)
        },
        sendCleanup: async (accountId, jobId) =>
          void (await env.WORK.send({ v: 1, accountId, leftBy: { jobId } } satisfies CleanupMessage)),
        recordJob: (accountId, job) => recordJob(env.DB, accountId, job),
        recordAccount: ({ totals, ...account }) => recordAccount(env.DB, { ...account, version: totals.version }),
        report: (report) => reportAccount(env, report),
        noteHeld: async (note) => metricsOf(env, note.accountId).noteHeld(note),
        removeJobs: (accountId, before, kept) => removeJobs(env.DB, accountId, before, kept),
        discardMedia: (objects, isLastAbort) => discard(env.MEDIA, objects, isLastAbort),
        withholdMedia: async (key) => void (await env.MEDIA.put(key, '')),
      },
    })
  }
}

export class FleetObject extends FleetBase {
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env, planOf(configOf(env), `${ctx.id.name}`), {
      engine: (name) => engineOf(env.ENGINES, name),
      start: (place) => startStep(env, place),
      giveBack: (place, attempt) => giveBackPlace(env, place, attempt),
      waits: ({ accountId }) => env.ACCOUNTS.getByName(accountId).noteWaiting(),
      refuse: ({ accountId, jobId, step, leases }) =>
        env.ACCOUNTS.getByName(accountId).refuseStep(jobId, step as Step, leases, failure('MEDIA_TOO_LARGE')),
    })
  }
}

export class EngineObject extends EngineBase {
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env, configOf(env))
  }
}

export { MetricsObject } from './metrics/metrics-object.ts'
export { WorkObject } from './steps/work-object.ts'
