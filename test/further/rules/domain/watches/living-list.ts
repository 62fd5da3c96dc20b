import type { Entry } from '../../../../../domain/watches/identity.ts'
import { randomFrom } from '../../../../support/random-numbers.ts'

/** An entry, and which item it truly is. */
export interface TrueEntry extends Entry {
  item: number
}

/** What a list is like, for its whole life. */
export interface Nature {
  guids: 'own' | 'none' | 'one for all' | 'from a few'
  dates: 'all' | 'none' | 'some'
  /** `query`: all entries have one path. `latest`: all have one URL. */
  urls: 'own' | 'query' | 'latest'
  titles: 'own' | 'one for all' | 'none'
  isOfPlatform: boolean
  /** Each URL has a token that is another at every poll. */
  hasTokens: boolean
  order: 'newest first' | 'appended'
  source: 'feed' | 'page'
  /** How many entries it shows. */
  window: number
  /** What happens to its items. */
  edits: readonly Edit[]
}

export type Edit = 'title' | 'date' | 'url' | 'guid' | 'https' | 'removal' | 'return' | 'doubling' | 'rewriting'

interface Item {
  number: number
  /** The poll before which it appeared. */
  bornBefore: number
  isRemoved: boolean
  /** It was away for a while, so it may be news to whoever has not seen it before. */
  hasReturned: boolean
  guid: string | null
  date: number | null
  path: string
  title: string | null
}

/** Between two items. */
const STEP_MS = 3_600_000
export const timeOf = (step: number): number => Date.UTC(2026, 10, 2) + step * STEP_MS

/** A list to which items come, and whose items change and go, between polls. */
export class LivingList {
  readonly nature: Nature
  readonly items: Item[] = []
  readonly #next: () => number
  /** Grows with each item and each edit, so that no two have one date, and no edit makes two items equal. */
  #step = 0
  #poll = 0
  #scheme = 'http'
  #doubled: Item | null = null

  constructor(seed: number, natureOf: (random: Chances) => Nature) {
    this.#next = randomFrom(seed)
    this.nature = natureOf(this.chances)
    this.#bear(this.chances.upTo(8))
  }

  readonly chances: Chances = {
    upTo: (most) => Math.floor(this.#next() * (most + 1)),
    is: (share) => this.#next() < share,
    oneOf: (values) => values[Math.floor(this.#next() * values.length)] as never,
  }

  /** The time of the next poll. */
  get now(): number {
    return timeOf(this.#step + 0.5)
  }

  /** What happens until the next poll. */
  pass(): void {
    this.#poll += 1
    this.#step += 1
    const { is, upTo, oneOf } = this.chances
    this.#bear(is(0.1) ? upTo(12) : upTo(3))
    this.#doubled = null
    const { edits } = this.nature
    for (let count = edits.length > 0 ? upTo(3) : 0; count > 0; count--) this.#edit(oneOf(edits))
  }

  /** What the list shows now. */
  entries(window = this.nature.window): TrueEntry[] {
    const shown = this.items.filter(({ isRemoved }) => !isRemoved)
    if (this.nature.order === 'newest first') shown.reverse()
    const entries = shown.flatMap((item) => Array(item === this.#doubled ? 2 : 1).fill(this.#entryOf(item)))
    return entries.slice(0, window)
  }

  /** Of a platform: its feed shows the newest with their dates, and its page all others without. */
  merged(): TrueEntry[] {
    const feed = new Map(this.entries().map((entry) => [entry.item, entry]))
    return this.entries(Number.POSITIVE_INFINITY).map(
      (entry) => feed.get(entry.item) ?? { ...entry, guid: null, publishedAt: null },
    )
  }

  #bear(count: number): void {
    for (let born = 0; born < count; born++) this.items.push(this.#newItem())
  }

  #newItem(): Item {
    const { guids, dates, urls, titles } = this.nature
    const { is, upTo } = this.chances
    this.#step += 1
    const number = this.items.length
    const isDated = dates === 'all' || (dates === 'some' && is(0.5))
    const guid = {
      own: `://pod.example/?p=${number}`,
      none: null,
      'one for all': 'podcast',
      'from a few': `g${upTo(5)}`,
    }
    return {
      ...{ number, bornBefore: this.#poll, isRemoved: false, hasReturned: false, guid: guid[guids] },
      date: isDated ? timeOf(this.#step) : null,
      path: { own: `${number}.mp3`, query: `get?id=${number}`, latest: 'latest.mp3' }[urls],
      title: { own: `Episode ${number}`, 'one for all': 'The news', none: null }[titles],
    }
  }

  #edit(edit: Edit): void {
    this.#step += 1
    if (edit === 'https') this.#scheme = 'https'
    const item = this.items[this.chances.upTo(this.items.length - 1)]
    if (!item) return
    const fresh = this.#step
    if (edit === 'title') item.title = `Edited ${fresh}`
    if (edit === 'date' && item.date !== null) item.date = timeOf(fresh)
    if (edit === 'url') item.path = `moved-${fresh}.mp3`
    if (edit === 'guid') item.guid = `new-${fresh}`
    if (edit === 'removal') item.isRemoved = true
    if (edit === 'return' && item.isRemoved) Object.assign(item, { isRemoved: false, hasReturned: true })
    if (edit === 'doubling') this.#doubled = item
    if (edit === 'rewriting') this.#rewrite()
  }

  #rewrite(): void {
    for (const item of this.items) {
      this.#step += 1
      item.guid = `rewritten-${this.#step}`
      if (item.date !== null) item.date = timeOf(this.#step)
    }
  }

  #entryOf({ number, guid, date, path, title }: Item): TrueEntry {
    const token = this.nature.hasTokens ? `${path.includes('?') ? '&' : '?'}token=${this.#poll}-${number}` : ''
    return {
      item: number,
      url: `${this.#scheme}://pod.example/${path}${token}`,
      title,
      publishedAt: date,
      guid: guid?.startsWith('://') ? `${this.#scheme}${guid}` : guid,
      platformId: this.nature.isOfPlatform ? `youtube:${number}` : null,
    }
  }
}

export interface Chances {
  /** A whole number from 0 to `most`. */
  upTo(most: number): number
  is(share: number): boolean
  oneOf<Value>(values: readonly Value[]): Value
}
