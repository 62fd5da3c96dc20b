import type { Context } from 'hono'
import { refusal } from '../../domain/codes/refusals.ts'
import type { Engine } from '../engine/engine.ts'
import { fleetOf } from '../fleet/fleet-of.ts'
import { type Lookup, type LookupAnswer, type LookupOrder, lookUp } from '../fleet/lookups.ts'
import type { HttpEnv } from './request-context.ts'

/** A lookup in the fleet for the caller of this request. If the caller disconnects, its place is freed all the same. */
export const askFleet = <T extends LookupAnswer>(
  c: Context<HttpEnv>,
  source: Pick<Lookup, 'url' | 'timeoutMs'>,
  ask: (engine: Engine, order: LookupOrder, disconnected: AbortSignal) => Promise<T | 'busy'>,
): Promise<T | 'busy'> => {
  const { signal } = c.req.raw
  const { accountId, keyHash } = c.var.caller
  const lookup = { ...source, accountId, by: { keyHash }, disconnected: signal }
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
