import { workOfStep } from '../../../domain/fleet/place.ts'
import { eachAccount, type Invariants, type Row, type Seen } from './seen.ts'

/** Once faults have ended, no step waits longer while an engine has a free place of its kind. */
export const MAX_WAIT_MS = 2 * 60_000
/** The cron notices a dropped alarm when the time that its account reported, in steps of ten minutes, is five minutes ago. */
const MAX_WAIT_FOR_CRON_MS = 20 * 60_000

interface WaitingRow extends Row {
  id: string
  step: string
  lease_number: number
}

export interface Liveness extends Invariants {
  /** Called regularly. `calmSince`: when the last fault happened. */
  look?(seen: Seen, calmSince: number): void
}

/** How long steps have been due while a place was free, by job and lease. */
export const liveness = (): Liveness => {
  const waitingSince = new Map<string, number>()
  return {
    look: (seen, calmSince) => {
      const { now } = seen.world.clock
      eachAccount(seen, (_, sql) => {
        const rows = sql
          .exec<WaitingRow>(
            `SELECT jobs.id, step, lease_number FROM jobs JOIN due ON due.ref = jobs.id
              WHERE due.kind = 'step' AND (due.at <= ? OR due.attempts > 0) AND step != 'deliver'`,
            now,
          )
          .toArray()
        for (const { id, step, lease_number } of rows) {
          const key = `${id} ${lease_number}`
          if (!hasFreePlace(seen, step)) {
            waitingSince.delete(key)
            continue
          }
          const since = waitingSince.get(key) ?? Math.max(now, calmSince)
          waitingSince.set(key, since)
          if (now - since > (seen.neverFail('alarm dropped') ? MAX_WAIT_MS : MAX_WAIT_FOR_CRON_MS))
            seen.broken('no step waits while a place is free', id, `${step} since ${now - since} ms`)
        }
      })
    },
  }
}

/** A running engine that takes orders, with two places: an account never gets the last one. */
const hasFreePlace = ({ world }: Seen, step: string): boolean => {
  const work = workOfStep(step)
  return world.containers.processes().some(({ pool, owner, isOutdated, isCutOff, places }) => {
    if (pool.draining || owner.isFrozen || isOutdated || isCutOff) return false
    const taken = pool.steps.filter((running) => workOfStep(running.step) === work).length
    return taken + 1 < places[work] || (taken === 0 && places[work] === 1)
  })
}
