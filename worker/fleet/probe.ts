import type { ProbeResponse } from '../../domain/protocol/protocol.ts'
import { engineOf } from '../engine/client.ts'
import { fleetOf } from './fleet-of.ts'

interface Probe {
  accountId: string
  url: string
  /** Includes the wait for a place. */
  timeoutMs: number
  /** Aborts when nobody waits for the response any more. */
  disconnected: AbortSignal
}

/** Probes a source in the next container that has a place. `busy`: there was none in time. */
export const probeInFleet = async (
  env: Env,
  { accountId, url, timeoutMs, disconnected }: Probe,
): Promise<ProbeResponse | 'busy'> => {
  const until = Date.now() + timeoutMs
  const fleet = fleetOf(env, accountId)
  const place = await fleet.placeForProbe(accountId, timeoutMs)
  if (!place) return 'busy'
  try {
    const remainingMs = Math.max(1, until - Date.now())
    return await engineOf(env.ENGINES, place.engine).probe({ url, timeoutMs: remainingMs, accountId }, disconnected)
  } finally {
    await fleet.free(place.id)
  }
}
