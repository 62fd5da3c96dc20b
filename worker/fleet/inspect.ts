import type { InspectResponse } from '../../domain/protocol/protocol.ts'
import { engineOf } from '../engine/client.ts'
import { fleetOf } from './fleet-of.ts'

interface Inspection {
  accountId: string
  /** Of the stored file, presigned. */
  url: string
  sizeBytes: number
  /** Includes the wait for a place. */
  timeoutMs: number
  /** Aborts when nobody waits for the response any more. */
  disconnected: AbortSignal
}

/** Looks at a stored file in the next container that has a place. `busy`: there was none in time. */
export const inspectInFleet = async (
  env: Env,
  { accountId, url, sizeBytes, timeoutMs, disconnected }: Inspection,
): Promise<InspectResponse | 'busy'> => {
  const until = Date.now() + timeoutMs
  const fleet = fleetOf(env, accountId)
  const place = await fleet.placeForProbe(accountId, timeoutMs)
  if (!place) return 'busy'
  try {
    const remainingMs = Math.max(1, until - Date.now())
    const request = { url, sizeBytes, timeoutMs: remainingMs, accountId }
    return await engineOf(env.ENGINES, place.engine).inspect(request, disconnected)
  } finally {
    await fleet.free(place.id)
  }
}
