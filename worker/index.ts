import { failure } from '../domain/codes/failures.ts'
import type { ContainerStep } from '../domain/jobs/step-resources.ts'
import type { Step } from '../domain/jobs/transcript.ts'
import { AccountBase } from './account/account-object.ts'
import type { DeliveryMessage, StepMessage } from './account/queue-messages.ts'
import { findNewAccount, recordAccount } from './directory.ts'
import { engineOf } from './engine/engine.ts'
import { configOf } from './env.ts'
import { FleetBase } from './fleet/fleet-object.ts'
import { planOf } from './fleet/fleet-of.ts'
import { createApp } from './http/app.ts'
import { recordJob, removeJobs } from './listed-jobs.ts'
import { discard } from './media/presigned-uploads.ts'
import { metricsOf } from './metrics/metrics-of.ts'
import { reportAccount } from './metrics/report-account.ts'
import { type QueueRole, queueRoleOf } from './queue-consumer.ts'
import { updateWords, wordsOf } from './search/words-of.ts'
import { providerAt } from './speech/configured-providers.ts'
import { stepCallbacks } from './steps/callbacks.ts'
import { consumeDeadSteps, consumeSteps } from './steps/consume-steps.ts'
import { runsInWorker, startStep } from './steps/start-step.ts'
import { wakeAll } from './wake.ts'
import { consumeDeadDeliveries, consumeDeliveries } from './webhooks/consume-deliveries.ts'

/**
 * The `account` object admits a job and sends its steps to the queue; `steps` brings each to the `fleet`, which starts
 * it in the container behind `engine`, or runs it in the Worker; the container reports back to `steps`; `webhooks` and
 * `bucket` deliver the result.
 */
const app = createApp()
app.route('/', stepCallbacks as never)

export default {
  fetch: app.fetch,
  scheduled: (_, env) => wakeAll(env),
  queue: (batch, env, ctx) => consumers[queueRoleOf(batch.queue)](batch, env, ctx),
  // `never`: the queue's role says which messages a batch holds.
} satisfies ExportedHandler<Env, never>

/** Their queues have other names in each environment. */
const consumers: Record<QueueRole, (batch: MessageBatch<never>, env: Env, ctx: ExecutionContext) => Promise<void>> = {
  steps: consumeSteps,
  'steps-dead': consumeDeadSteps,
  webhooks: consumeDeliveries,
  'webhooks-dead': consumeDeadDeliveries,
}

export class AccountObject extends AccountBase {
  constructor(ctx: DurableObjectState, env: Env) {
    const sendStep = async (message: StepMessage) => void (await env.STEPS.send(message))
    super(ctx, env, {
      leaseMs: configOf(env).LEASE_MS,
      historyMs: configOf(env).historyMs,
      terms: configOf(env).terms,
      serviceOf: (provider) => providerAt(configOf(env), provider).name,
      findNewAccount: (accountId) => findNewAccount(env.DB, accountId),
      targets: {
        sendStep: (accountId, job, step, diskBytes) => {
          const message = { v: 1, accountId, jobId: job.id, attempt: job.attempt + 1 } as const
          if (runsInWorker(env, job, step)) return sendStep({ ...message, step, runsIn: 'worker' })
          const rank = job.batch ? 'batch' : 'job'
          const needs = { rank, ...(diskBytes !== null && { diskBytes }) } as const
          return sendStep({ ...message, step: step as ContainerStep, runsIn: 'container', ...needs })
        },
        sendTurn: (message) => sendStep({ v: 1, ...message }),
        sendPolls: (accountId) => sendStep({ v: 1, accountId, polls: true }),
        sendCleanup: (accountId, jobId) => sendStep({ v: 1, accountId, leftBy: { jobId } }),
        sendDelivery: async (message) => void (await env.WEBHOOKS.send({ v: 1, ...message } satisfies DeliveryMessage)),
        recordJob: (accountId, job) => recordJob(env.DB, accountId, job),
        recordAccount: ({ totals, ...account }) => recordAccount(env.DB, { ...account, version: totals.version }),
        report: (report) => reportAccount(env, report),
        noteHeld: async (note) => metricsOf(env, note.accountId).noteHeld(note),
        removeJobs: (accountId, before, kept) => removeJobs(env.DB, accountId, before, kept),
        discardMedia: (objects, isLastAbort) => discard(env.MEDIA, objects, isLastAbort),
        updateWords: (accountId, jobId) => updateWords(env, accountId, jobId),
        emptyWords: (accountId) => wordsOf(env, accountId).empty(),
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
      giveBack: ({ accountId, jobId, id: lease, attempt }, { isUsed }) =>
        env.ACCOUNTS.getByName(accountId).giveBack({ jobId, lease, attempt }, { isUsed }),
      waits: ({ accountId }) => env.ACCOUNTS.getByName(accountId).noteWaiting(),
      refuse: ({ accountId, jobId, step, attempt }) =>
        env.ACCOUNTS.getByName(accountId).refuseStep(jobId, step as Step, attempt, failure('MEDIA_TOO_LARGE')),
    })
  }
}

export { EngineObject } from './engine/engine.ts'
export { MetricsObject } from './metrics/metrics-object.ts'
export { WordsObject } from './search/words-object.ts'
export { WorkObject } from './steps/work-object.ts'
