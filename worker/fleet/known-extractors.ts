import { type FleetExtractors, type KnownSites, versionToShow } from '../../domain/sites.ts'
import { MINUTE_MS } from '../../domain/time.ts'
import { allFleets } from './fleet-of.ts'

/** Visitors without a key ask for this, so a process of the Worker remembers what it has read. */
const MAX_AGE_MS = MINUTE_MS
/** While no list is known. A new deployment has one as soon as its first engine has started. */
const MAX_AGE_OF_NOTHING_MS = 5_000
/** `GET /health` answers although a fleet does not. */
const WAIT_MS = 1_000

let known: { fleets: FleetExtractors[]; readAt: number } | null = null
let shown: KnownSites | null = null

const isFresh = (now: number): boolean => {
  if (!known) return false
  const hasLists = known.fleets.some(({ lists }) => lists.length > 0)
  const age = now - known.readAt
  return age >= 0 && age < (hasLists ? MAX_AGE_MS : MAX_AGE_OF_NOTHING_MS)
}

/** In the order of `allFleets`. No engine is asked. Never throws. */
export const extractorsOfFleets = async (env: Env): Promise<FleetExtractors[]> => {
  const now = Date.now()
  if (known && isFresh(now)) return known.fleets
  // Requests that come meanwhile get what was known.
  if (known) known.readAt = now
  const reading = Promise.all(allFleets(env).map((fleet) => fleet.extractors()))
  const fleets = await Promise.race([reading, scheduler.wait(WAIT_MS).then(() => null)]).catch((cause) => {
    console.warn('the versions of yt-dlp were not read', `${cause}`)
    return null
  })
  if (fleets) known = { fleets, readAt: now }
  return known?.fleets ?? []
}

/** null: no engine has said them yet. Never throws. */
export const sitesToShow = async (env: Env): Promise<KnownSites | null> => {
  const fleets = await extractorsOfFleets(env)
  const version = versionToShow(fleets)
  if (version === null || version === shown?.version) return shown
  const holder = allFleets(env)[fleets.findIndex(({ lists }) => lists.some((list) => list.version === version))]
  const sites = await holder?.sites(version).catch((cause: unknown) => {
    console.warn('the sites of yt-dlp were not read', version, `${cause}`)
    return null
  })
  shown = sites ?? shown
  return shown
}
