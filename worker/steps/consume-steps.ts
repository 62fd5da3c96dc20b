import { workOfStep } from '../../domain/fleet/place.ts'
import { estimatedDiskBytes } from '../../domain/jobs/step-resources.ts'
import type { BatchMessage, StepMessage } from '../account/queue-messages.ts'
import { fleetOf } from '../fleet/fleet-of.ts'
import { deadLetterConsumer, queueConsumer } from '../queue-consumer.ts'
import { type LongWork, nameOfWork } from './long-work.ts'

/** Brings steps to the fleet. */
export const consumeSteps = queueConsumer<StepMessage>(async ({ body }, env) => {
  const { accountId, jobId, step, leases = 0, rank = 'job' } = body
  if (step === 'deliver') return startWork(env, body)
  const diskBytes = body.diskBytes ?? estimatedDiskBytes(step)
  await fleetOf(env, accountId).add({ accountId, jobId, step, work: workOfStep(step), rank, diskBytes, leases })
})

/** A queue adds no consumer before a batch has ended, so work that takes minutes is only started here. */
export const consumeWork = queueConsumer<LongWork>(({ body }, env) => startWork(env, body))

const startWork = (env: Env, work: LongWork): Promise<void> => env.WORK_OBJECTS.getByName(nameOfWork(work)).start(work)

/**
 * A dead message ends nothing: an account that could not be reached sends its steps again until their job's deadline, and
 * its items of batches as long.
 */
export const consumeDeadSteps = deadLetterConsumer<StepMessage | BatchMessage>('steps-dead')
