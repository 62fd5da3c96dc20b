import { workOfStep } from '../../domain/fleet/place.ts'
import { estimatedDiskBytes } from '../../domain/jobs/step-resources.ts'
import type { ContainerMessage, StepMessage } from '../account/queue-messages.ts'
import { checkItem } from '../batches/check-item.ts'
import { fleetOf } from '../fleet/fleet-of.ts'
import { deadLetterConsumer, queueConsumer } from '../queue-consumer.ts'
import { pollWatches } from '../watches/poll-watches.ts'
import { type LongWork, nameOfWork } from './work-object.ts'

/** Items are checked and watches are polled in the background, so that a source that hangs delays nothing. */
export const consumeSteps = queueConsumer<StepMessage>(async ({ body }, env, ctx) => {
  if ('jobId' in body && body.runsIn === 'container') return addToFleet(env, body)
  if ('batchId' in body && body.index !== null) return checkItem(env, ctx, { ...body, index: body.index })
  if ('polls' in body) return void ctx.waitUntil(pollWatches(env, body.accountId))
  return startWork(env, body)
})

const addToFleet = async (env: Env, message: ContainerMessage): Promise<void> => {
  const { accountId, jobId, step, attempt, rank, diskBytes = estimatedDiskBytes(step) } = message
  await fleetOf(env, accountId).add({ accountId, jobId, step, work: workOfStep(step), rank, diskBytes, attempt })
}

const startWork = (env: Env, work: LongWork): Promise<void> => env.WORK_OBJECTS.getByName(nameOfWork(work)).start(work)

/** A dead message ends nothing: an account sends its steps and its items again, until their deadline. */
export const consumeDeadSteps = deadLetterConsumer<StepMessage>('steps-dead')
