import type { CountedEvent, DeadWebhook } from '../../domain/metrics/counted-events.ts'
import { metricsOf } from './metrics-of.ts'

/**
 * Counts what no account counts, with `deadWebhook` if the event is the end of a delivery. `owner` is the id of an account
 * or a job, and divides the events among the objects. Never throws: what is counted goes on when counting fails.
 */
export const countEvent = async (
  env: Env,
  owner: string,
  event: CountedEvent,
  deadWebhook: DeadWebhook | null = null,
): Promise<void> => {
  try {
    await metricsOf(env, owner).count(event, deadWebhook)
  } catch (cause) {
    console.warn('an event was not counted', event.kind, `${cause}`)
  }
}
