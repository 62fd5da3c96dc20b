import { distinctModels, type OfferedModel } from '../../domain/jobs/speech-models.ts'
import type { EngineState, SpeechModel } from '../../domain/protocol/protocol.ts'
import { RecentValues } from '../../domain/recent-values.ts'
import { isExtractorVersion } from '../../domain/sites.ts'
import { MINUTE_MS } from '../../domain/time.ts'
import type { Engine } from '../engine/engine.ts'
import type { FleetRows } from './rows.ts'

/** Its answer is 70 kB, and yt-dlp makes it in a process of its own. */
const ANSWER_MS = 20_000
/** After an answer that could not be used. */
const REST_MS = 5 * MINUTE_MS

/**
 * An engine is asked for its sites when it is seen with a version whose list is not known: it is running then, and
 * readers of the documentation get the list from the rows.
 */
export class EngineAbilities {
  readonly #rows: FleetRows
  readonly #engine: (name: string) => Pick<Engine, 'sites'>
  readonly #resting = new RecentValues<string, number>(20)

  constructor(rows: FleetRows, engine: (name: string) => Pick<Engine, 'sites'>) {
    this.#rows = rows
    this.#engine = engine
  }

  get tellsSpeakers(): boolean | null {
    const said = this.#rows.speech().flatMap(({ speakers }) => speakers ?? [])
    return said.length === 0 ? null : said.includes(true)
  }

  /** null: no engine has said its models yet. */
  get models(): OfferedModel[] | null {
    const said = this.#rows.speech().flatMap(({ models }) => (models ? [models] : []))
    const tellsSpeakers = this.tellsSpeakers !== false
    const offered = (model: SpeechModel) => ({
      ...model,
      engine: 'builtin' as const,
      speakers: model.words && tellsSpeakers,
    })
    return said.length === 0 ? null : distinctModels(said.flat().map(offered))
  }

  async note(name: string, { extractor, speakers, models }: EngineState, now: number): Promise<void> {
    const version = extractor.version !== null && isExtractorVersion(extractor.version) ? extractor.version : null
    this.#rows.engineStarted(name, version, now)
    this.#rows.keepSpeech(name, { ...(speakers !== undefined && { speakers }), ...(models && { models }) })
    if (version === null || this.#rows.hasSites(version) || now < (this.#resting.get(version) ?? 0)) return
    this.#resting.set(version, now + REST_MS)
    const sites = await this.#engine(name).sites(ANSWER_MS)
    // It may have changed to another version meanwhile.
    if (sites?.version !== version) return console.warn('an engine did not say its sites', name, version)
    this.#rows.keepSites(sites, now)
    this.#resting.delete(version)
  }
}
