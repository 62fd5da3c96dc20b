import type { Context } from 'hono'
import { fleetOf } from '../../fleet/fleet-of.ts'
import type { HttpEnv } from '../request-context.ts'

/** Stops the step of a canceled job. Without this, the container would stop it at its next heartbeat. */
export const cancelStep = (c: Context<HttpEnv>, step: { jobId: string; attempt: number }): void => {
  const canceling = fleetOf(c.env, c.var.caller.accountId).cancel(step)
  c.executionCtx.waitUntil(canceling.catch((cause) => console.warn('the step was not stopped', step.jobId, `${cause}`)))
}
