import { DurableObject } from 'cloudflare:workers'
import { leaseInWorker } from '../account/jobs/steps.ts'
import { messageVersions } from '../account/queue-messages.ts'
import { doWork, type LongWork } from './long-work.ts'

interface StoredWork {
  id: string
  work: LongWork
  /** Kept when the object ends during a run, so that the next run continues the same attempt. */
  lease: string
}

/**
 * Work that takes minutes, in an object of its own: each run is an alarm, which has 15 minutes, and there may be any number
 * of objects. The platform runs an alarm again whose object has ended or that threw, with backoff. If it gives up, the
 * account sends its message again.
 */
export class WorkObject extends DurableObject<Env> {
  /** Resolves when the work is stored. It runs after the run that may be under way, and finds out whether it is still needed. */
  async start(work: LongWork): Promise<void> {
    const { storage } = this.ctx
    const known = this.#stored()
    const isKnown = known !== undefined && JSON.stringify(known.work) === JSON.stringify(work)
    const lease = isKnown ? known.lease : leaseInWorker()
    storage.kv.put<StoredWork>(KEY, { id: crypto.randomUUID(), work, lease })
    await storage.setAlarm(Date.now())
  }

  override async alarm({ retryCount } = { retryCount: 0 }): Promise<void> {
    const stored = this.#stored()
    if (!stored) return
    const { id, work, lease } = stored
    // Of a later release, before a rollback. The alarm is repeated, and in the end the account sends its message again.
    if (!messageVersions.includes(work.v)) throw new Error(`This version does not know work of version ${work.v}.`)
    await doWork(this.env, work, { lease, deaths: retryCount })
    // Other work may have come meanwhile. Its alarm follows.
    if (this.#stored()?.id === id) await this.ctx.storage.deleteAll()
  }

  #stored(): StoredWork | undefined {
    return this.ctx.storage.kv.get<StoredWork>(KEY)
  }
}

const KEY = 'work'
