import { type EngineStarts, noStarts, startBucketOf } from '../../domain/fleet/fleet-metrics.ts'
import { keyOf, type StepKey, type WaitingRequest } from '../../domain/fleet/place.ts'
import type { FleetExtractors, KnownSites } from '../../domain/sites.ts'
import { firstRow, migrate, plain, Table } from '../sqlite.ts'

/**
 * What a fleet object keeps when it is evicted: the steps that wait, the engines that it has started, and what their yt-dlp
 * has extractors for. Places are in memory, because the engines list the steps that they run. A step that gets a place at once writes no row. The first version
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
  `
  -- The yt-dlp that the engine uses. NULL: it has not said it.
  ALTER TABLE started_engines ADD COLUMN extractor_version TEXT;

  -- What versions of yt-dlp have extractors for.
  CREATE TABLE site_lists (
    version TEXT PRIMARY KEY,
    -- KnownSites as JSON: 24 kB, at most 320,000 characters.
    sites TEXT NOT NULL,
    -- When an engine began to use the version. Milliseconds since 1970.
    used_since INTEGER NOT NULL
  );`,
]

/** The version that engines use, the one before, and one that is tried on a single engine. */
const KEPT_SITE_LISTS = 3

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
  /** The engines, each with its version of yt-dlp. */
  readonly #started: Map<string, string | null>
  /** The versions whose sites are known, and when an engine began to use them. */
  readonly #siteLists: Map<string, number>

  constructor(sql: SqlStorage) {
    this.#sql = sql
    migrate(sql, versions)
    this.#waiting = new Map(this.waiting().map((step) => [keyOf(step), step]))
    this.#started = new Map(
      sql
        .exec<{ name: string; extractor_version: string | null }>('SELECT * FROM started_engines')
        .toArray()
        .map(({ name, extractor_version }) => [name, extractor_version]),
    )
    this.#siteLists = new Map(
      sql
        .exec<{ version: string; used_since: number }>('SELECT version, used_since FROM site_lists')
        .toArray()
        .map(({ version, used_since }) => [version, used_since]),
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
    return [...this.#started.keys()]
  }

  engineStarted(name: string, extractorVersion: string | null, now: number): void {
    if (this.#started.get(name) === extractorVersion) return
    this.#started.set(name, extractorVersion)
    this.#sql.exec(
      `INSERT INTO started_engines (name, extractor_version) VALUES (?1, ?2)
         ON CONFLICT DO UPDATE SET extractor_version = ?2`,
      name,
      extractorVersion,
    )
    if (extractorVersion === null || !this.#siteLists.has(extractorVersion)) return
    this.#siteLists.set(extractorVersion, now)
    this.#sql.exec('UPDATE site_lists SET used_since = ? WHERE version = ?', now, extractorVersion)
  }

  engineStopped(name: string): void {
    if (!this.#started.delete(name)) return
    this.#sql.exec('DELETE FROM started_engines WHERE name = ?', name)
  }

  extractors(): FleetExtractors {
    const versions = [...this.#started.values()].filter((version) => version !== null)
    const counts = Map.groupBy(versions, (version) => version)
    return {
      engines: [...counts].map(([version, { length }]) => ({ version, count: length })),
      lists: [...this.#siteLists].map(([version, usedSince]) => ({ version, usedSince })),
    }
  }

  hasSites(version: string): boolean {
    return this.#siteLists.has(version)
  }

  sites(version: string): KnownSites | null {
    const row = firstRow<{ sites: string }>(this.#sql, 'SELECT sites FROM site_lists WHERE version = ?', version)
    return row ? JSON.parse(row.sites) : null
  }

  /** Versions that no engine uses any more make room, those that were used last at the end. */
  keepSites(sites: KnownSites, now: number): void {
    this.#siteLists.set(sites.version, now)
    this.#sql.exec(
      'INSERT OR REPLACE INTO site_lists (version, sites, used_since) VALUES (?, ?, ?)',
      sites.version,
      JSON.stringify(sites),
      now,
    )
    const used = new Set(this.#started.values())
    const byUse = [...this.#siteLists].sort(([, a], [, b]) => b - a).map(([version]) => version)
    for (const version of byUse.slice(KEPT_SITE_LISTS).filter((each) => !used.has(each))) {
      this.#siteLists.delete(version)
      this.#sql.exec('DELETE FROM site_lists WHERE version = ?', version)
    }
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
