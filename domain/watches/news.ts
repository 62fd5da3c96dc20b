import { isGuid, isStrong } from './identity.ts'

/** An entry of a list, with the texts by which it is known again: see identity.ts. They may be hashed behind their first two letters. */
export interface ListedEntry {
  publishedAt: number | null
  identities: readonly string[]
}

export interface Reading {
  /** The first read of a watch marks what is there. */
  isFirst: boolean
  source: 'feed' | 'page'
  /** The list was read to its end. */
  isWhole: boolean
  /** What was read before: how many entries it had, and whether that was all of the list. */
  earlier: { count: number; isWhole: boolean }
  since: number
  /** How many of the newest are taken by the first read. */
  first: number
}

export interface Known {
  has(identity: string): boolean
  /** A guid that stood twice in one document tells nothing, for good. */
  isAmbiguous(identity: string): boolean
}

export interface News<E extends ListedEntry> {
  /** Oldest first. */
  taken: E[]
  /** Those of them that `maxNew` does not count, because the caller has asked for them with `first`. */
  asked: ReadonlySet<E>
  /** Seen for the first time, but old. */
  marked: E[]
  /** Guids that stand twice in this document. */
  ambiguous: string[]
  /** Something of the list was known before. */
  isFamiliar: boolean
}

export const newsIn = <E extends ListedEntry>(listed: readonly E[], known: Known, reading: Reading): News<E> => {
  const ambiguous = guidsOfSeveral(listed)
  const counted = (entry: E): string[] =>
    entry.identities.filter((identity) => !ambiguous.has(identity) && !known.isAmbiguous(identity))
  const entries = withoutRepeated(listed.map((entry) => ({ entry, identities: counted(entry) })))
  const isKnown = entries.map(({ identities }) => identities.some((identity) => known.has(identity)))
  const lastKnown = isKnown.lastIndexOf(true)
  const found = entries.map(({ entry }) => entry)
  const unknown = found.filter((_, index) => !isKnown[index])
  const isOld = (entry: E): boolean => {
    if (entry.publishedAt !== null) return entry.publishedAt < reading.since
    if (reading.isFirst) return true
    return lastKnown >= 0 && found.indexOf(entry) > lastKnown && !isReadToItsEnd(listed.length, reading)
  }
  const asked = new Set(reading.isFirst ? newestFirst(unknown).slice(0, reading.first) : [])
  const isTaken = (entry: E) => asked.has(entry) || !isOld(entry)
  return {
    taken: newestFirst(unknown.filter(isTaken)).toReversed(),
    asked,
    marked: unknown.filter((entry) => !isTaken(entry)),
    ambiguous: [...ambiguous],
    isFamiliar: lastKnown >= 0,
  }
}

/**
 * A feed that shows others at its end without having grown shows a part of a longer list: something above was removed. What
 * is unknown at the end of a list may have been there already if its end was not read before.
 */
const isReadToItsEnd = (count: number, { source, isWhole, earlier }: Reading): boolean =>
  isWhole && earlier.isWhole && (source === 'page' || count > earlier.count)

const guidsOfSeveral = (listed: readonly ListedEntry[]): Set<string> => {
  const seen = new Set<string>()
  const several = new Set<string>()
  for (const identity of listed.flatMap(({ identities }) => identities.filter(isGuid))) {
    if (seen.has(identity)) several.add(identity)
    seen.add(identity)
  }
  return several
}

/** Two entries with guids or ids of their own are two, also if they have one URL: some podcasts name each episode latest.mp3. */
const withoutRepeated = <Found extends { identities: readonly string[] }>(entries: readonly Found[]): Found[] => {
  const seen = new Set<string>()
  return entries.filter(({ identities }) => {
    const strong = identities.filter(isStrong)
    const isRepeated = (strong.length > 0 ? strong : identities).some((identity) => seen.has(identity))
    for (const identity of identities) seen.add(identity)
    return !isRepeated
  })
}

/** In the order of the list, unless all are dated. */
const newestFirst = <E extends ListedEntry>(entries: readonly E[]): E[] => {
  const isDated = entries.every(({ publishedAt }) => publishedAt !== null)
  return isDated ? entries.toSorted((one, other) => (other.publishedAt ?? 0) - (one.publishedAt ?? 0)) : [...entries]
}
