import { type Engine, engineOf } from '../engine/client.ts'
import { endPlace, fleetOf } from './fleet-of.ts'

export interface Lookup {
  accountId: string
  url: string
  /** Includes the wait for a place. */
  timeoutMs: number
}

/**
 * Asks the next container that has a place: probes a source, lists what is at a URL, or inspects a stored file. The answer
 * is `busy` if there was no place in time.
 */
export const lookUp = async <T extends { readBytes?: number | undefined }>(
  env: Env,
  step: 'probe' | 'list',
  { accountId, url, timeoutMs }: Lookup,
  ask: (engine: Engine, order: Lookup) => Promise<T | 'busy'>,
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
