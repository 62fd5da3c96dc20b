import type { Job, Step } from '../../domain/jobs/job.ts'
import { findJob } from '../jobs/jobs.ts'
import { delivered, duePost, type Letter, type Posted, postponed } from './outbox.ts'

/** Where letters go; introduced by index.ts, since an account knows neither queues nor buckets. */
export interface Carriers {
  sendStep(accountId: string, job: Job, step: Step): Promise<void>
  sendDelivery(message: { accountId: string; deliveryId: string }): Promise<void>
  recordJob(accountId: string, job: Job): Promise<void>
  discardMedia(key: string, uploadId: string | null): Promise<void>
}

const BATCH = 50

/** Empties the outbox, one round at a time, in order. A letter that fails waits and lets the others pass. */
export class Postman {
  readonly #sql: SqlStorage
  readonly #carriers: Carriers
  readonly #accountId: () => string
  #rounds: Promise<void> = Promise.resolve()

  constructor(sql: SqlStorage, carriers: Carriers, accountId: () => string) {
    this.#sql = sql
    this.#carriers = carriers
    this.#accountId = accountId
  }

  /**
   * Resolves when all that lay in the outbox at the call was tried. What could not be delivered stays there
   * with a later time.
   */
  flush(): Promise<void> {
    const round = () => this.#round()
    this.#rounds = this.#rounds.then(round, round)
    return this.#rounds
  }

  async #round(): Promise<void> {
    for (let posted = this.#due(); posted.length > 0; posted = this.#due()) {
      for (const letter of posted) await this.#deliver(letter)
    }
  }

  #due(): Posted[] {
    return duePost(this.#sql, Date.now(), BATCH)
  }

  async #deliver(posted: Posted): Promise<void> {
    try {
      await this.#carry(posted.letter)
      delivered(this.#sql, posted.seq)
    } catch (cause) {
      console.error('outbox', posted.letter.kind, posted.attempts, cause)
      postponed(this.#sql, posted, Date.now())
    }
  }

  async #carry(letter: Letter): Promise<void> {
    const accountId = this.#accountId()
    if (letter.kind === 'delivery') return this.#carriers.sendDelivery({ accountId, deliveryId: letter.deliveryId })
    if (letter.kind === 'discard') return this.#carriers.discardMedia(letter.key, letter.uploadId)
    // The job of now, not of when the letter was written: an older letter can't overwrite a newer state.
    const job = findJob(this.#sql, letter.jobId)
    if (letter.kind === 'record' && job) return this.#carriers.recordJob(accountId, job)
    if (letter.kind === 'step' && job) return this.#carriers.sendStep(accountId, job, letter.step)
  }
}
