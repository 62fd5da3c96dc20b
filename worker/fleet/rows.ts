import { type EngineStarts, noStarts, startBucketOf } from '../../domain/fleet/fleet-report.ts'
import { keyOf, type StepKey, type WaitingRequest } from '../../domain/fleet/place.ts'
import type { EngineState } from '../../domain/protocol/protocol.ts'
import type { FleetExtractors, KnownSites } from '../../domain/sites.ts'
import { firstValue, migrate } from '../sqlite.ts'

/**
 * Places are in memory, because the engines list the steps that they run. A step that gets a place at once writes no
 * row. Times are milliseconds since 1970.
 */
const versions = [
  `
  CREATE TABLE waiting_steps (
    -- Of the job and the step.
    key TEXT PRIMARY KEY,
    since INTEGER NOT NULL,
    -- WaitingRequest as JSON.
    step TEXT NOT NULL
  ) WITHOUT ROWID;

  CREATE TABLE started_engines (
    name TEXT PRIMARY KEY,
    -- The yt-dlp that the engine uses. NULL: it has not said it.
    extractor_version TEXT
  ) WITHOUT ROWID;

  -- How long engines took to start: a histogram, so that a start writes one row.
  CREATE TABLE engine_starts (
    bucket INTEGER PRIMARY KEY,
    count INTEGER NOT NULL,
    total_ms INTEGER NOT NULL
  ) WITHOUT ROWID;

  -- What versions of yt-dlp have extractors for.
  CREATE TABLE site_lists (
    version TEXT PRIMARY KEY,
    -- KnownSites as JSON: 24 kB, at most 320,000 characters.
    sites TEXT NOT NULL,
    -- When an engine began to use the version.
    used_since INTEGER NOT NULL
  );

  -- What engines can recognize speech with, also those that have stopped: the next one has the same image.
  CREATE TABLE engine_speech (
    engine TEXT PRIMARY KEY,
    -- EngineSpeech as JSON.
    speech TEXT NOT NULL
  ) WITHOUT ROWID;`,
]

export type EngineSpeech = Pick<EngineState, 'models' | 'speakers'>

/** The version that engines use, the one before, and one that is tried on a single engine. */
const KEPT_SITE_LISTS = 3

/** Remembers which steps and engines have rows, so that most calls read and write none. */
export class FleetRows {
  readonly #sql: SqlStorage
  readonly #waiting: Map<string, Pick<WaitingRequest, 'attempt' | 'diskBytes'>>
  /** The engines, each with its version of yt-dlp. */
  readonly #started: Map<string, string | null>

  /** The versions with a list. null: they are to be read. */
  #listed: Set<string> | null = null
  /** By engine, as JSON. null: they are to be read. */
  #speech: Map<string, string> | null = null

  constructor(sql: SqlStorage) {
    this.#sql = sql
    migrate(sql, versions)
    this.#waiting = new Map(this.waiting().map((step) => [keyOf(step), step]))
    const started = sql.exec<{ name: string; version: string | null }>(
      'SELECT name, extractor_version AS version FROM started_engines',
    )
    this.#started = new Map([...started].map(({ name, version }) => [name, version]))
  }

  waiting(): WaitingRequest[] {
    const rows = this.#sql.exec<{ step: string }>('SELECT step FROM waiting_steps ORDER BY since')
    return [...rows].map(({ step }) => JSON.parse(step) as WaitingRequest)
  }

  keep(waiting: WaitingRequest): void {
    const { accountId, jobId, step, work, rank, diskBytes, attempt, since } = waiting
    const key = keyOf(waiting)
    const known = this.#waiting.get(key)
    if (known && known.attempt === attempt && known.diskBytes === diskBytes) return
    this.#waiting.set(key, { attempt, diskBytes })
    const text = JSON.stringify({ accountId, jobId, step, work, rank, diskBytes, attempt, since })
    this.#sql.exec('INSERT OR REPLACE INTO waiting_steps (key, since, step) VALUES (?, ?, ?)', key, since, text)
  }

  remove(step: StepKey): void {
    const key = keyOf(step)
    if (this.#waiting.delete(key)) this.#sql.exec('DELETE FROM waiting_steps WHERE key = ?', key)
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
    this.#sql.exec('UPDATE site_lists SET used_since = ? WHERE version = ?', now, extractorVersion)
  }

  engineStopped(name: string): void {
    if (!this.#started.delete(name)) return
    this.#sql.exec('DELETE FROM started_engines WHERE name = ?', name)
  }

  extractors(): FleetExtractors {
    const engines = `SELECT extractor_version AS version, count(*) AS count FROM started_engines
       WHERE extractor_version IS NOT NULL GROUP BY extractor_version`
    const lists = 'SELECT version, used_since AS usedSince FROM site_lists'
    return {
      engines: this.#sql.exec<FleetExtractors['engines'][number]>(engines).toArray(),
      lists: this.#sql.exec<FleetExtractors['lists'][number]>(lists).toArray(),
    }
  }

  hasSites(version: string): boolean {
    this.#listed ??= new Set(this.extractors().lists.map((list) => list.version))
    return this.#listed.has(version)
  }

  sites(version: string): KnownSites | null {
    return JSON.parse(firstValue(this.#sql, 'SELECT sites FROM site_lists WHERE version = ?', version) ?? 'null')
  }

  /** Versions that no engine uses any more make room, those that were used last at the end. */
  keepSites(sites: KnownSites, now: number): void {
    this.#listed = null
    this.#sql.exec(
      'INSERT OR REPLACE INTO site_lists (version, sites, used_since) VALUES (?, ?, ?)',
      sites.version,
      JSON.stringify(sites),
      now,
    )
    this.#sql.exec(
      `DELETE FROM site_lists
         WHERE version NOT IN (SELECT version FROM site_lists ORDER BY used_since DESC LIMIT ?)
         AND version NOT IN (SELECT extractor_version FROM started_engines WHERE extractor_version IS NOT NULL)`,
      KEPT_SITE_LISTS,
    )
  }

  speech(): EngineSpeech[] {
    return [...this.#speechByEngine().values()].map((speech) => JSON.parse(speech) as EngineSpeech)
  }

  /** If the engine says something new, those that have stopped most likely have an older image. */
  keepSpeech(engine: string, said: EngineSpeech): void {
    const known = this.#speechByEngine()
    const earlier = known.get(engine)
    const speech = JSON.stringify({ ...(earlier && JSON.parse(earlier)), ...said })
    if (speech === earlier || speech === '{}') return
    if (!earlier || withoutSpeeds(speech) !== withoutSpeeds(earlier)) this.#forgetSpeechOfStopped()
    known.set(engine, speech)
    this.#sql.exec('INSERT OR REPLACE INTO engine_speech (engine, speech) VALUES (?, ?)', engine, speech)
  }

  #forgetSpeechOfStopped(): void {
    const known = this.#speechByEngine()
    for (const engine of [...known.keys()].filter((name) => !this.#started.has(name))) {
      known.delete(engine)
      this.#sql.exec('DELETE FROM engine_speech WHERE engine = ?', engine)
    }
  }

  #speechByEngine(): Map<string, string> {
    const rows = () => this.#sql.exec<{ engine: string; speech: string }>('SELECT engine, speech FROM engine_speech')
    this.#speech ??= new Map([...rows()].map(({ engine, speech }) => [engine, speech]))
    return this.#speech
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

/** They change with everything that is heard. */
const withoutSpeeds = (speech: string): string =>
  JSON.stringify(JSON.parse(speech), (name, value) => (name === 'speed' ? undefined : value))
