import type { Sites } from './protocol/protocol.ts'

export interface KnownSites {
  version: string
  working: string[]
  /** Those that yt-dlp itself marks as broken. */
  broken: string[]
}

/** yt-dlp had 1,733 in November 2026. */
const MAX_SITES = 5_000
/** The longest had 34 characters. */
const MAX_NAME_LENGTH = 60
/** As in `3sat`, `southpark.cc.com:español` and `Bilibili category extractor`. */
const NAME = /^[\p{Script=Latin}0-9][\p{Script=Latin}0-9 .:_-]*$/u
const VERSION = /^[0-9][0-9A-Za-z.+-]{0,39}$/

/** Versions are stated by yt-dlp itself. */
export const isExtractorVersion = (text: string): boolean => VERSION.test(text)

/** The names come from the code of a wheel, and are shown to everybody: what does not look like a name is left out. */
export const knownSites = ({ version, sites }: Sites): KnownSites | null => {
  if (!isExtractorVersion(version)) return null
  const named = sites.filter(({ name }) => name.length <= MAX_NAME_LENGTH && NAME.test(name))
  const isBroken = new Map(named.slice(0, MAX_SITES).map((site) => [site.name, site.isBroken]))
  if (isBroken.size === 0) return null
  const names = [...isBroken.keys()].sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))
  return {
    version,
    working: names.filter((name) => !isBroken.get(name)),
    broken: names.filter((name) => isBroken.get(name)),
  }
}

export interface FleetExtractors {
  engines: { version: string; count: number }[]
  /** The versions whose sites it knows, and when an engine began to use them. */
  lists: { version: string; usedSince: number }[]
}

/** The versions that engines use, newest first. */
export const versionsIn = (fleets: readonly FleetExtractors[]): string[] => {
  const versions = fleets.flatMap(({ engines }) => engines.map(({ version }) => version))
  return [...new Set(versions)].sort((a, b) => b.localeCompare(a, 'en', { numeric: true }))
}

/** Of the versions whose sites are known, the one that most engines use, and of several the one that came last. */
export const versionToShow = (fleets: readonly FleetExtractors[]): string | null => {
  const engines = fleets.flatMap((fleet) => fleet.engines)
  const count = (version: string) =>
    engines.filter((each) => each.version === version).reduce((sum, each) => sum + each.count, 0)
  const [best] = fleets
    .flatMap(({ lists }) => lists)
    .sort((a, b) => count(b.version) - count(a.version) || b.usedSince - a.usedSince)
  return best?.version ?? null
}
