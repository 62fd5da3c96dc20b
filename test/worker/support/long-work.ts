import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { leaseInWorker } from '../../../worker/account/jobs/steps.ts'
import { doWork, type LongWork, nameOfWork } from '../../../worker/steps/work-object.ts'
import { eventually } from './clock.ts'

/** An object has its own environment. What is started with another one runs in the call itself. */
export const withLongWork = (within: Env): Env => {
  if (within === env) return within
  const start = (work: LongWork) => doWork(within, work, { lease: leaseInWorker(), deaths: 0 })
  return { ...within, WORK_OBJECTS: { getByName: () => ({ start }) } as never }
}

/** Runs what a message has started, to its end. */
export const finishWork = async (work: LongWork): Promise<void> => {
  const object = env.WORK_OBJECTS.getByName(nameOfWork(work))
  // It may run already: an alarm that is due does not wait for the test.
  await runDurableObjectAlarm(object)
  await eventually(async () => {
    const stored = await runInDurableObject(object, (_, { storage }) => storage.kv.get('work'))
    if (stored !== undefined) throw new Error('the work has not ended')
  })
}
