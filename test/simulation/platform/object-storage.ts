import { copyOf } from './copy.ts'
import { type Cursor, SqlDatabase } from './sql.ts'

/** The storage of one object. It outlives the object's lives in memory. */
export class ObjectStorage {
  readonly sqlDatabase = new SqlDatabase()
  /** In ms since the epoch. */
  alarmAt: number | null = null
  readonly kv = new Map<string, unknown>()
  #depth = 0
  readonly #onCommit: () => void
  readonly #onAlarmSet: () => void

  constructor(onCommit: () => void, onAlarmSet: () => void) {
    this.#onCommit = onCommit
    this.#onAlarmSet = onAlarmSet
  }

  transactionSync<T>(act: () => T): T {
    const { database } = this.sqlDatabase
    const savepoint = `level_${this.#depth}`
    this.sqlDatabase.exec(this.#depth === 0 ? 'BEGIN' : `SAVEPOINT ${savepoint}`)
    this.#depth += 1
    let value: T
    try {
      value = act()
      this.#depth -= 1
    } catch (cause) {
      this.#depth -= 1
      if (this.#depth === 0) this.sqlDatabase.exec('ROLLBACK')
      else database.exec(`ROLLBACK TO ${savepoint}; RELEASE ${savepoint}`)
      throw cause
    }
    this.sqlDatabase.exec(this.#depth === 0 ? 'COMMIT' : `RELEASE ${savepoint}`)
    if (this.#depth === 0) this.#onCommit()
    return value
  }

  bookmark(): string {
    const { changes } = this.sqlDatabase.exec('SELECT total_changes() AS changes').one()
    return `${changes}`.padStart(8, '0')
  }

  setAlarm(at: number): void {
    this.alarmAt = at
    this.#onAlarmSet()
  }

  deleteAll(): void {
    this.alarmAt = null
    this.kv.clear()
    this.sqlDatabase.reset()
  }
}

/** `ctx.storage`, as one life of the object sees it. */
export const storageOf = (
  storage: ObjectStorage,
  onStatement: (text: string, bindings: readonly unknown[]) => void = () => {},
) => ({
  sql: {
    exec: (text: string, ...bindings: unknown[]): Cursor => {
      onStatement(text, bindings)
      return storage.sqlDatabase.exec(text, ...bindings)
    },
    get databaseSize(): number {
      return storage.sqlDatabase.sizeBytes
    },
  },
  kv: {
    get: (key: string): unknown => copyOf(storage.kv.get(key)),
    put: (key: string, value: unknown): void => void storage.kv.set(key, copyOf(value)),
  },
  transactionSync: <T>(act: () => T): T => storage.transactionSync(act),
  getAlarm: async (): Promise<number | null> => storage.alarmAt,
  setAlarm: async (at: number | Date): Promise<void> => storage.setAlarm(Number(at)),
  deleteAlarm: async (): Promise<void> => {
    storage.alarmAt = null
  },
  deleteAll: async (): Promise<void> => storage.deleteAll(),
  /** Later ones are greater. */
  getCurrentBookmark: async (): Promise<string> => storage.bookmark(),
})
