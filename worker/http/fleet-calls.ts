import type { Context } from 'hono'
import { refusal } from '../../domain/codes/refusals.ts'
import type { Engine } from '../engine/client.ts'
import { fleetOf } from '../fleet/fleet-of.ts'
import { type Lookup, lookUp } from '../fleet/lookups.ts'
import type { HttpEnv } from './request-context.ts'

/** A lookup in the fleet for the caller of this request. After a disconnection its place is freed all the same. */
export const askFleet = <T extends { readBytes?: number | undefined }>(
  c: Context<HttpEnv>,
  source: Omit<Lookup, 'accountId'>,
  ask: (engine: Engine, order: Lookup, disconnected: AbortSignal) => Promise<T | 'busy'>,
): Promise<T | 'busy'> => {
  const { signal } = c.req.raw
  const lookup = { ...source, accountId: c.var.caller.accountId }
  const asking = lookUp(c.env, 'probe', lookup, (engine, order) => ask(engine, order, signal))
  c.executionCtx.waitUntil(asking.catch(() => {}))
  return asking
}

/** A place is free again when another step or lookup ends, which takes seconds. */
export const fleetIsBusy = refusal('SERVICE_BUSY', { retryAfter: 5 })

/** Stops the step of a canceled job. Without this, the container would stop it at its next heartbeat. */
export const cancelStep = (c: Context<HttpEnv>, step: { jobId: string; attempt: number }): void => {
  const canceling = fleetOf(c.env, c.var.caller.accountId).cancel(step)
  c.executionCtx.waitUntil(canceling.catch((cause) => console.warn('the step was not stopped', step.jobId, `${cause}`)))
}
