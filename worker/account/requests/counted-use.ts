import type { RateClass } from '../../../domain/account/account-limits.ts'
import { HOUR_MS } from '../../../domain/time.ts'
import { json, jsonOr, plain, type StoredRow, Table } from '../../sqlite.ts'

export interface RateWindow {
  startedAt: number
  used: number
}

export type RateWindows = Partial<Record<RateClass, RateWindow>>

export interface FreeWork {
  startedAt: number
  engineMs: number
  bytes: number
}

/** Previews and inspections, and lists of watches, have budgets of their own, so that neither can stop jobs, nor jobs them. */
export type FreeWorkBudget = 'jobs' | 'lookups' | 'lists'

/** Full keys share one set of counts and limited keys another: a limited key cannot use up what its owner needs. */
export type KeyPool = 'full' | 'limited'

interface Use {
  windows: Partial<Record<KeyPool, RateWindows>>
  freeWork: Partial<Record<KeyPool, Partial<Record<FreeWorkBudget, FreeWork>>>>
  lastUsedAt: number | null
  keyUses: Record<string, number>
}

const useTable = new Table<Use>('account', {
  windows: json('rate_windows'),
  freeWork: jsonOr<Use['freeWork']>({}, 'free_work'),
  lastUsedAt: plain('last_used_at'),
  keyUses: jsonOr<Record<string, number>>({}, 'key_uses'),
})

/** The last use of a key is written at least this often while the key is used. */
const SAVE_LAST_USE_MS = HOUR_MS

/** Polls must write no row. So use is counted in memory and written with the account's row. A rollback keeps it. */
export class CountedUse {
  readonly #sql: SqlStorage
  #use: Use | null = null
  #savedUses: Record<string, number> = {}
  #isDue = false

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  windowsOf(pool: KeyPool): RateWindows {
    return this.#read().windows[pool] ?? {}
  }

  setWindow(pool: KeyPool, rateClass: RateClass, window: RateWindow): void {
    const use = this.#read()
    use.windows = { ...use.windows, [pool]: { ...use.windows[pool], [rateClass]: window } }
  }

  freeWorkOf(pool: KeyPool, budget: FreeWorkBudget): FreeWork | null {
    return this.#read().freeWork[pool]?.[budget] ?? null
  }

  setFreeWork(pool: KeyPool, budget: FreeWorkBudget, work: FreeWork): void {
    const use = this.#read()
    use.freeWork = { ...use.freeWork, [pool]: { ...use.freeWork[pool], [budget]: work } }
    this.save()
  }

  get lastUsedAt(): number | null {
    return this.#read().lastUsedAt
  }

  lastUseOf(keyId: string): number | null {
    return this.#read().keyUses[keyId] ?? null
  }

  noteUse(keyId: string, now: number): void {
    const use = this.#read()
    use.lastUsedAt = now
    use.keyUses = { ...use.keyUses, [keyId]: now }
    if (now - (this.#savedUses[keyId] ?? Number.NEGATIVE_INFINITY) >= SAVE_LAST_USE_MS) this.save()
  }

  forgetUseOf(keyId: string): void {
    const use = this.#read()
    const { [keyId]: _, ...keyUses } = use.keyUses
    use.keyUses = keyUses
  }

  /** At the end of the request, whether it changes anything else or not. */
  save(): void {
    this.#isDue = true
  }

  get isDue(): boolean {
    return this.#isDue
  }

  takeColumns(): StoredRow {
    const use = this.#read()
    this.#savedUses = use.keyUses
    this.#isDue = false
    return useTable.write(use)
  }

  #read(): Use {
    if (this.#use) return this.#use
    const use = useTable.first(this.#sql, '')
    if (!use) throw new Error('the object is not an account')
    this.#savedUses = use.keyUses
    this.#use = use
    return use
  }
}
