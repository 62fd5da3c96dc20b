import type { Random } from '../random.ts'
import { sleep } from '../sleep.ts'
import type { Account } from './caller.ts'

/** Reads the events of an account for the whole history, is cut off now and then, and resumes after the last one. */
export class EventReader {
  /** In the order in which they came. */
  readonly events: { id: string; type: string }[] = []
  isStopped = false
  readonly #account: Account
  readonly #random: Random
  #last: string | undefined

  constructor(account: Account, random: Random) {
    this.#account = account
    this.#random = random
  }

  async read(): Promise<void> {
    while (!this.isStopped) {
      await this.#account.listen('/events', this.#random.between(3_000, 15_000), this.#take, this.#last)
      await sleep(this.#random.between(3_000, 40_000))
    }
  }

  readonly #take = ({ id, event }: { id: string | null; event: string | null }): void => {
    if (id === null) return
    // The first message of a stream only says where it begins.
    if (event !== null && event !== 'ready') this.events.push({ id, type: event })
    this.#last = id
  }
}
