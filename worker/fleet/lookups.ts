import type { InspectResponse, ListResponse, ProbeResponse } from '../../domain/protocol/protocol.ts'
import { type Engine, engineOf } from '../engine/client.ts'
import { endPlace, fleetOf } from './fleet-of.ts'

/** What is asked of the next container that has a place. The answer is `busy` if there was none in time. */
interface Lookup {
  accountId: string
  url: string
  /** Includes the wait for a place. */
  timeoutMs: number
  /** Aborts when nobody waits for the response any more. */
  disconnected?: AbortSignal
}

/** Probes a source. A playlist is answered with its first `listLimit` items. */
export const probeInFleet = (
  env: Env,
  { listLimit, ...lookup }: Lookup & { listLimit: number },
): Promise<ProbeResponse | 'busy'> =>
  inFleet(env, 'probe', lookup, (engine, order) => engine.probe({ ...order, listLimit }, lookup.disconnected))

/** Lists what is at a URL, at most `limit` items: a playlist, a channel, a feed, or the videos of a page. */
export const listInFleet = (
  env: Env,
  { limit, ...lookup }: Lookup & { limit: number },
): Promise<ListResponse | 'busy'> =>
  inFleet(env, 'list', lookup, (engine, order) => engine.list({ ...order, limit }, lookup.disconnected))

/** Finds out whether a stored file is media. `url` is presigned. */
export const inspectInFleet = (
  env: Env,
  { sizeBytes, ...lookup }: Lookup & { sizeBytes: number },
): Promise<InspectResponse | 'busy'> =>
  inFleet(env, 'probe', lookup, (engine, order) => engine.inspect({ ...order, sizeBytes }, lookup.disconnected))

const inFleet = async <T extends { readBytes?: number | undefined }>(
  env: Env,
  step: 'probe' | 'list',
  { accountId, url, timeoutMs }: Lookup,
  ask: (engine: Engine, order: { url: string; timeoutMs: number; accountId: string }) => Promise<T | 'busy'>,
): Promise<T | 'busy'> => {
  const until = Date.now() + timeoutMs
  const place = await fleetOf(env, accountId).placeForProbe(accountId, timeoutMs, step)
  if (!place) return 'busy'
  const startedAt = Date.now()
  let bytes = 0
  try {
    const remainingMs = Math.max(1, until - startedAt)
    const answer = await ask(engineOf(env.ENGINES, place.engine), { url, timeoutMs: remainingMs, accountId })
    if (answer !== 'busy') bytes = answer.readBytes ?? 0
    return answer
  } finally {
    const note = env.ACCOUNTS.getByName(accountId).noteLookup({ engineMs: Date.now() - startedAt, bytes })
    const noted = note.catch((cause) => console.warn('a look-up was not counted', accountId, `${cause}`))
    await Promise.all([endPlace(env, accountId, place.id), noted])
  }
}
