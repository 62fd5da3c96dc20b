import { createHash } from 'node:crypto'
import type { FollowedItem } from '../../../domain/protocol/protocol.ts'
import type { Random } from '../random.ts'
import { type SourceFacts, sourceUrl } from './sources.ts'

/**
 * By what its entries are known: a guid of their own, their date and URL, or their URL alone. A platform has ids, a feed of
 * its newest entries, and a page of all; others have a page only.
 */
export const listKinds = ['guids', 'dates', 'urls', 'platform', 'page'] as const
export type ListKind = (typeof listKinds)[number]

export interface ListEntry {
  /** Of this list, from 0. It is in each URL of the entry, so that invariants know what is truly the same. */
  number: number
  bornAt: number
  title: string
  publishedAt: number | null
  seconds: number | null
  url: string
  isRemoved: boolean
  /** It may have been away when it was new, and then it may be missed. */
  wasRemoved: boolean
}

/** What is wrong with a list for a while. */
export type Trouble =
  | { kind: 'status'; status: number; retryAfterSeconds?: number }
  | { kind: 'hangs' }
  /** It answers 304 whatever has changed. */
  | { kind: 'lies' }
  | { kind: 'cut off' }

/** What the feed of a platform shows. */
const WINDOW = 5

/** So old is what a list has when it begins to be watched. */
const BEFORE_MS = 3_600_000

/** A feed, or the page of a channel, that changes while it is watched. */
export class WatchedList {
  readonly name: string
  readonly kind: ListKind
  readonly entries: ListEntry[] = []
  trouble: Trouble | null = null
  /** All guids and dates were made anew, so what was known is new. */
  isRewritten = false
  readonly hasTokens: boolean
  readonly #isAppended: boolean
  readonly #validators: 'etag' | 'date' | 'both' | 'none'
  readonly #random: Random
  #changes = 0

  constructor(name: string, random: Random, now: number) {
    this.name = name
    this.#random = random
    this.kind = listKinds[random.between(0, listKinds.length - 1)] ?? 'guids'
    this.hasTokens = random.chance(0.3)
    this.#isAppended = (this.kind === 'urls' || this.kind === 'page') && random.chance(0.5)
    this.#validators = (['etag', 'date', 'both', 'none'] as const)[random.between(0, 3)] ?? 'none'
    this.publish(random.between(0, 7), now - BEFORE_MS, () => ({}))
  }

  publish(count: number, now: number, facts: (random: Random) => Partial<SourceFacts>): void {
    for (let born = 0; born < count; born++) {
      const number = this.entries.length
      const own = this.#random.fork(`entry ${number}`)
      const quality = own.chance(0.2) ? 'Bad' : 'Good'
      this.entries.push({
        ...{ number, bornAt: now, title: `${quality} ${number}`, isRemoved: false, wasRemoved: false },
        publishedAt: this.kind === 'guids' || this.kind === 'dates' || this.kind === 'platform' ? now + born : null,
        seconds: own.chance(0.5) ? 60 : null,
        url: this.#urlOf(number, '', { bytes: own.between(50_000, 900_000), workMs: 2_000, ...facts(own) }),
      })
    }
    this.#changes += 1
  }

  /** An edit after which the entry is still known. */
  edit(now: number): void {
    const entry = this.entries[this.#random.between(0, this.entries.length - 1)]
    this.#changes += 1
    if (!entry) return
    const what = this.#random.between(0, 3)
    // Of a feed that is appended, nobody can tell what is new if something goes.
    if (what === 0 && !this.#isAppended) Object.assign(entry, { isRemoved: !entry.isRemoved, wasRemoved: true })
    const isFree = this.kind === 'guids' || this.kind === 'platform'
    if (!isFree || this.isRewritten) return
    if (what === 1) entry.title = `${entry.title}, edited`
    if (what === 2 && entry.publishedAt !== null) entry.publishedAt = now
    if (what === 3) entry.url = this.#urlOf(entry.number, `-moved-${this.#changes}`, { bytes: 100_000, workMs: 2_000 })
  }

  rewrite(now: number): void {
    if (this.kind !== 'guids') return
    this.isRewritten = true
    this.#changes += 1
    for (const entry of this.entries) entry.publishedAt = now + entry.number
  }

  /** The next response has another date, although nothing else has changed. */
  touch(): void {
    this.#changes += 2
  }

  get feedUrl(): string | null {
    return this.kind === 'page' ? null : `https://${LIST_HOST}/${this.name}/feed`
  }

  /** From the top. `isWhole`: with what only the page of a platform shows. */
  shown(isWhole: boolean): ListEntry[] {
    const entries = this.entries.filter(({ isRemoved }) => !isRemoved)
    if (!this.#isAppended) entries.reverse()
    return this.kind === 'platform' && !isWhole ? entries.slice(0, WINDOW) : entries
  }

  items(isWhole: boolean, now: number): FollowedItem[] {
    const inFeed = new Set(this.shown(false))
    return this.shown(isWhole).map((entry) => {
      const { number, title, url, seconds, publishedAt } = entry
      const token = this.hasTokens ? `&token=${Math.floor(now / 60_000)}-${number}` : ''
      return {
        ...{ url: url + token, title, durationSeconds: seconds },
        guid: this.kind === 'guids' ? `${this.name} ${number}${this.isRewritten ? ' again' : ''}` : null,
        publishedAt: this.kind === 'page' || !inFeed.has(entry) ? null : publishedAt,
        platformId: this.kind === 'platform' || this.kind === 'page' ? `simulated:${this.name}-${number}` : null,
      }
    })
  }

  /** The bytes of the feed, and what one response says of them. */
  response(now: number) {
    const body = JSON.stringify(this.items(false, now))
    const digest = createHash('sha256').update(body).digest('hex')
    const hasEtag = this.#validators === 'etag' || this.#validators === 'both'
    const hasDate = this.#validators === 'date' || this.#validators === 'both'
    return {
      ...{ body, digest, etag: hasEtag ? `"${digest.slice(0, 8)}"` : null },
      // Its time has only seconds, so two changes may have one.
      lastModified: hasDate ? new Date(1_790_000_000_000 + this.#changes * 500).toUTCString() : null,
    }
  }

  #urlOf(number: number, more: string, facts: Partial<SourceFacts>): string {
    return `${sourceUrl(`${this.name}-${number}${more}`, facts)}&entry=${this.name}.${number}`
  }
}

export const LIST_HOST = 'lists.example'

/** Which entry of which list a URL is of. */
export const entryOf = (url: string): { list: string; number: number } | null => {
  const [list = '', number] = (new URL(url).searchParams.get('entry') ?? '').split('.')
  return number === undefined ? null : { list, number: Number(number) }
}
