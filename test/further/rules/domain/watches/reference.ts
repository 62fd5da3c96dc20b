import type { TrueEntry } from './living-list.ts'

export interface Poll {
  entries: readonly TrueEntry[]
  source: 'feed' | 'page'
  isWhole: boolean
}

export interface Expected {
  taken: Set<number>
  marked: Set<number>
  /** Entries that are known, or the same as an earlier one of their document. */
  left: TrueEntry[]
}

/**
 * The contract's rules, said in another way than domain/watches/ does: by comparing each entry with each that was seen
 * before, as it was then.
 */
export class Reference {
  readonly #seen: TrueEntry[] = []
  /** Guids that have stood twice in a document. */
  readonly #lying = new Set<string>()
  readonly #since: number
  readonly #first: number
  #earlier: { count: number; isWhole: boolean } | null = null

  constructor({ since, first }: { since: number; first: number }) {
    this.#since = since
    this.#first = first
  }

  knowsSomeOf({ entries }: Poll): boolean {
    const lying = this.#lyingWith(entries)
    return entries.some((entry) => this.#isKnown(entry, lying))
  }

  read({ entries, source, isWhole }: Poll): Expected {
    for (const guid of this.#lyingWith(entries)) this.#lying.add(guid)
    const lying = this.#lying
    const isKnown = entries.map((entry) => this.#isKnown(entry, lying))
    const isSecond = entries.map((entry, index) =>
      entries.slice(0, index).some((other) => isRepeated(entry, other, lying)),
    )
    const unknown = entries.filter((_, index) => !isKnown[index] && !isSecond[index])
    const isFirst = this.#earlier === null
    const hasGrown = source === 'page' || entries.length > (this.#earlier?.count ?? 0)
    const isEndRead = isWhole && (this.#earlier?.isWhole ?? false) && hasGrown
    const lowest = isKnown.findLastIndex((known, index) => known && !isSecond[index])
    const isNew = (entry: TrueEntry): boolean => {
      if (entry.publishedAt !== null) return entry.publishedAt >= this.#since
      if (isFirst) return false
      return isEndRead || lowest < 0 || entries.indexOf(entry) < lowest
    }
    const asked = isFirst ? this.#newest(unknown) : []
    const taken = unknown.filter((entry) => asked.includes(entry) || isNew(entry))
    this.#seen.push(...unknown)
    this.#earlier = { count: entries.length, isWhole }
    return {
      taken: new Set(taken.map(({ item }) => item)),
      marked: new Set(unknown.filter((entry) => !taken.includes(entry)).map(({ item }) => item)),
      left: entries.filter((entry) => !unknown.includes(entry)),
    }
  }

  #newest(entries: TrueEntry[]): TrueEntry[] {
    const isDated = entries.every(({ publishedAt }) => publishedAt !== null)
    const sorted = isDated
      ? [...entries].sort((one, other) => (other.publishedAt ?? 0) - (one.publishedAt ?? 0))
      : entries
    return sorted.slice(0, this.#first)
  }

  #isKnown(entry: TrueEntry, lying: ReadonlySet<string>): boolean {
    return this.#seen.some((seen) => isSame(entry, seen, lying))
  }

  #lyingWith(entries: readonly TrueEntry[]): Set<string> {
    const guids = entries.flatMap(({ guid }) => (guid === null ? [] : [bare(guid)]))
    return new Set([...this.#lying, ...guids.filter((guid, index) => guids.indexOf(guid) !== index)])
  }
}

const bare = (text: string): string => text.replace(/^https?:/, '')
const path = (url: string): string => bare(url).replace(/\?.*/, '')

const hasGuid = ({ guid }: TrueEntry, lying: ReadonlySet<string>): boolean => guid !== null && !lying.has(bare(guid))

const isSame = (entry: TrueEntry, seen: TrueEntry, lying: ReadonlySet<string>): boolean => {
  if (entry.platformId !== null && entry.platformId === seen.platformId) return true
  if (hasGuid(entry, lying) && seen.guid !== null && bare(entry.guid ?? '') === bare(seen.guid)) return true
  if (entry.platformId !== null || seen.platformId !== null) return false
  return isSameByUrl(entry, seen)
}

const isSameByUrl = (entry: TrueEntry, seen: TrueEntry): boolean => {
  if (entry.publishedAt !== seen.publishedAt) return false
  const isOneFile = path(entry.url) === path(seen.url) && entry.title === seen.title
  if (entry.publishedAt !== null) return isOneFile
  return bare(entry.url) === bare(seen.url) || (isOneFile && entry.title !== null)
}

/** Within a document, what has a guid or an id of its own is an entry of its own. */
const isRepeated = (entry: TrueEntry, other: TrueEntry, lying: ReadonlySet<string>): boolean => {
  if (entry.platformId !== null) return entry.platformId === other.platformId
  return !hasGuid(entry, lying) && isSameByUrl(entry, other)
}
