import { RecentValues } from '../../domain/recent-values.ts'
import { MINUTE_MS } from '../../domain/time.ts'
import type { Engine } from '../engine/client.ts'
import type { FleetRows } from './rows.ts'

/** Its answer is 70 kB, and yt-dlp makes it in a process of its own. */
const ANSWER_MS = 20_000
/** After an answer that could not be used. */
const REST_MS = 5 * MINUTE_MS

/**
 * What each version of yt-dlp in this fleet has extractors for. An engine is asked once, when it is seen with a version whose
 * list is not known: it is running then, and readers of the documentation get the list from the rows.
 */
export class SiteLists {
  readonly #rows: Pick<FleetRows, 'hasSites' | 'keepSites'>
  readonly #engine: (name: string) => Pick<Engine, 'sites'>
  /** No engine is asked for these versions before this time. */
  readonly #resting = new RecentValues<string, number>(20)

  constructor(rows: Pick<FleetRows, 'hasSites' | 'keepSites'>, engine: (name: string) => Pick<Engine, 'sites'>) {
    this.#rows = rows
    this.#engine = engine
  }

  /** The engine uses this version. */
  async complete(name: string, version: string, now: number): Promise<void> {
    if (this.#rows.hasSites(version) || now < (this.#resting.get(version) ?? 0)) return
    this.#resting.set(version, now + REST_MS)
    const sites = await this.#engine(name).sites(ANSWER_MS)
    // It may have changed to another version meanwhile.
    if (sites?.version !== version) return console.warn('an engine did not say its sites', name, version)
    this.#rows.keepSites(sites, now)
    this.#resting.delete(version)
  }
}
