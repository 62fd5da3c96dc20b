import { type Entry, identitiesOf } from '../../../../domain/watches/identity.ts'
import { newsIn, type Reading } from '../../../../domain/watches/news.ts'

export interface Document<Listed extends Entry> {
  entries: Listed[]
  source?: 'feed' | 'page'
  isWhole?: boolean
}

/** Keeps in memory what an account keeps of a watch: see worker/account/watches/lists.ts. */
export class Follower<Listed extends Entry> {
  readonly #ambiguous = new Map<string, boolean>()
  readonly #settings: Pick<Reading, 'since' | 'first'>
  #earlier: Reading['earlier'] | null = null

  constructor(settings: Partial<Pick<Reading, 'since' | 'first'>> = {}) {
    this.#settings = { since: 0, first: 0, ...settings }
  }

  /** Whether something of it was seen before: otherwise the page of a platform is read too. */
  knowsSomeOf(document: Document<Listed>): boolean {
    return this.#newsIn(document).isFamiliar
  }

  /** What is new in it, oldest first. */
  read(document: Document<Listed>): { taken: Listed[]; marked: Listed[]; asked: number } {
    const { taken, marked, asked, ambiguous } = this.#newsIn(document)
    for (const guid of ambiguous) this.#ambiguous.set(guid, true)
    for (const { identities } of [...taken, ...marked]) {
      for (const identity of identities) if (!this.#ambiguous.has(identity)) this.#ambiguous.set(identity, false)
    }
    const { entries, isWhole = true } = document
    this.#earlier = { count: entries.length, isWhole }
    return { taken: taken.map(entryOf), marked: marked.map(entryOf), asked: asked.size }
  }

  #newsIn({ entries, source = 'feed', isWhole = true }: Document<Listed>) {
    const known = {
      has: (identity: string) => this.#ambiguous.get(identity) === false,
      isAmbiguous: (identity: string) => this.#ambiguous.get(identity) === true,
    }
    const isFirst = this.#earlier === null
    const earlier = this.#earlier ?? { count: 0, isWhole: false }
    const listed = entries.map((entry) => ({
      entry,
      publishedAt: entry.publishedAt,
      identities: identitiesOf(entry),
    }))
    return newsIn(listed, known, { isFirst, source, isWhole, earlier, ...this.#settings })
  }
}

const entryOf = <Listed>({ entry }: { entry: Listed }): Listed => entry
