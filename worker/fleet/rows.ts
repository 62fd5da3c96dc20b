import { type EngineStarts, noStarts, startBucketOf } from '../../domain/fleet/fleet-metrics.ts'
import { keyOf, type StepKey, type WaitingRequest } from '../../domain/fleet/place.ts'
import { migrate, plain, Table } from '../sqlite.ts'

/**
 * What a fleet object keeps when it is evicted: the steps that wait, and the engines that it has started. Places are in
 * memory, because the engines list the steps that they run. A step that gets a place at once writes no row. The first version
 * finds its tables in objects from before versions were counted.
 */
const versions = [
  `
  -- The table of the first deployments, whose steps had no leases. Accounts send the steps again.
  DROP TABLE IF EXISTS line;

  CREATE TABLE IF NOT EXISTS waiting_steps (
    job_id TEXT NOT NULL,
    step TEXT NOT NULL,
    account_id TEXT NOT NULL,
    work TEXT NOT NULL,
    rank TEXT NOT NULL,
    disk_bytes INTEGER NOT NULL,
    leases INTEGER NOT NULL,
    -- Milliseconds since 1970.
    since INTEGER NOT NULL,
    PRIMARY KEY (job_id, step)
  ) WITHOUT ROWID;

  CREATE TABLE IF NOT EXISTS started_engines (
    name TEXT PRIMARY KEY
  ) WITHOUT ROWID;

  -- How long engines took to start: a histogram, so that a start writes one row.
  CREATE TABLE IF NOT EXISTS engine_starts (
    bucket INTEGER PRIMARY KEY,
    count INTEGER NOT NULL,
    total_ms INTEGER NOT NULL
  ) WITHOUT ROWID;`,
]

const waitingTable = new Table<WaitingRequest>('waiting_steps', {
  jobId: plain('job_id'),
  step: plain('step'),
  accountId: plain('account_id'),
  work: plain('work'),
  rank: plain('rank'),
  diskBytes: plain('disk_bytes'),
  leases: plain('leases'),
  since: plain('since'),
})

/** Remembers which rows there are, so that most calls read and write none. */
export class FleetRows {
  readonly #sql: SqlStorage
  readonly #waiting: Map<string, Pick<WaitingRequest, 'leases' | 'diskBytes'>>
  readonly #started: Set<string>

  constructor(sql: SqlStorage) {
    this.#sql = sql
    migrate(sql, versions)
    this.#waiting = new Map(this.waiting().map((step) => [keyOf(step), step]))
    this.#started = new Set(
      sql
        .exec<{ name: string }>('SELECT name FROM started_engines')
        .toArray()
        .map(({ name }) => name),
    )
  }

  /** In the order in which they came. */
  waiting(): WaitingRequest[] {
    return waitingTable.select(this.#sql, 'ORDER BY since')
  }

  keep(step: WaitingRequest): void {
    const known = this.#waiting.get(keyOf(step))
    if (known && known.leases === step.leases && known.diskBytes === step.diskBytes) return
    this.#waiting.set(keyOf(step), step)
    waitingTable.insertOrReplace(this.#sql, step)
  }

  remove(step: StepKey): void {
    if (!this.#waiting.delete(keyOf(step))) return
    this.#sql.exec('DELETE FROM waiting_steps WHERE job_id = ? AND step = ?', step.jobId, step.step)
  }

  startedEngines(): string[] {
    return [...this.#started]
  }

  engineStarted(name: string): void {
    if (this.#started.has(name)) return
    this.#started.add(name)
    this.#sql.exec('INSERT INTO started_engines (name) VALUES (?)', name)
  }

  engineStopped(name: string): void {
    if (!this.#started.delete(name)) return
    this.#sql.exec('DELETE FROM started_engines WHERE name = ?', name)
  }

  addStart(durationMs: number): void {
    this.#sql.exec(
      `INSERT INTO engine_starts (bucket, count, total_ms) VALUES (?1, 1, ?2)
         ON CONFLICT DO UPDATE SET count = count + 1, total_ms = total_ms + ?2`,
      startBucketOf(durationMs),
      durationMs,
    )
  }

  starts(): EngineStarts {
    const starts = noStarts()
    const rows = this.#sql.exec<{ bucket: number; count: number; total_ms: number }>('SELECT * FROM engine_starts')
    for (const { bucket, count, total_ms } of rows) {
      starts.counts[bucket] = count
      starts.totalMs += total_ms
    }
    return starts
  }
}
