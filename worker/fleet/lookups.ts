import { failureOfCode, isOurFault } from '../../domain/codes/failures.ts'
import type { LookupBy, Work } from '../account/requests/free-work.ts'
import { type Engine, engineOf } from '../engine/engine.ts'
import { endPlace, fleetOf } from './fleet-of.ts'

export interface Lookup {
  accountId: string
  by: LookupBy
  url: string
  /** Includes the wait for a place. */
  timeoutMs: number
  /** Aborted when the caller has gone. */
  disconnected?: AbortSignal
}

export type LookupOrder = Pick<Lookup, 'url' | 'timeoutMs'>

export interface LookupAnswer {
  readBytes?: number | undefined
  code?: string
}

/** `busy`: there was no place in time. What it took counts as free work, unless the service is why it has no answer. */
export const lookUp = async <T extends LookupAnswer>(
  env: Env,
  step: 'probe' | 'list',
  { accountId, by, url, timeoutMs, disconnected }: Lookup,
  ask: (engine: Engine, order: LookupOrder) => Promise<T | 'busy'>,
): Promise<T | 'busy'> => {
  const until = Date.now() + timeoutMs
  const place = await fleetOf(env, accountId).placeForProbe(accountId, timeoutMs, step)
  if (!place) return 'busy'
  const startedAt = Date.now()
  let answer: T | 'busy' = 'busy'
  try {
    const remainingMs = Math.max(1, until - startedAt)
    answer = await ask(engineOf(env.ENGINES, place.engine), { url, timeoutMs: remainingMs })
    return answer
  } finally {
    const counts = disconnected?.aborted || (answer !== 'busy' && !isFault(answer))
    const work = { engineMs: Date.now() - startedAt, bytes: (answer !== 'busy' && answer.readBytes) || 0 }
    await Promise.all([endPlace(env, accountId, place.id), counts && note(env, accountId, by, work)])
  }
}

const isFault = ({ code }: LookupAnswer): boolean => code !== undefined && isOurFault(failureOfCode(code))

const note = (env: Env, accountId: string, by: LookupBy, work: Work): Promise<void> =>
  env.ACCOUNTS.getByName(accountId)
    .noteLookup(by, work)
    .catch((cause) => console.warn('a look-up was not counted', accountId, `${cause}`))
