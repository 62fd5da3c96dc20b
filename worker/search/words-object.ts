import { DurableObject } from 'cloudflare:workers'
import { wordsKey } from '../../domain/media/media-keys.ts'
import { factsOf, factTokens } from '../../domain/search/facts.ts'
import { type Passage, passagesOf, titlePassage } from '../../domain/search/passages.ts'
import { MAX_PART_CHARACTERS } from '../../domain/words/segment.ts'
import { emptyIndex, type IndexSize } from '../account/search/search-state.ts'
import type { WordsToFind } from '../account/search/words-to-find.ts'
import { openTranscript, segmentsOf } from '../media/transcripts.ts'
import { hasTables } from '../sqlite.ts'
import {
  addPassages,
  countPassages,
  hasJobs,
  type IndexedJob,
  indexedJobs,
  openIndex,
  removePassages,
  reserveNumbers,
} from './index-rows.ts'
import { type FoundPage, findPassages, type SearchRequest } from './ranking.ts'

/** An object may have 10 GB. */
export const MAX_INDEX_BYTES = 8e9

/** How much of a transcript is in memory, and in one transaction: a quarter of a megabyte takes 60 ms. */
const PAGE_CHARACTERS = 250_000

/** Of passages that are removed at once: 10 s at most, in an index of 10,000 hours. */
const PIECES_A_CALL = 32

/**
 * The words of an account: an index that can be made again from its transcripts. The account says which job has changed; what
 * is to be found of it is read from the account then, so a call that is repeated or comes late does no harm.
 */
export class WordsObject extends DurableObject<Env> {
  /** The last call for each job. An earlier one that still runs ends without a change. */
  readonly #runs = new Map<string, symbol>()

  /** `isDone` false: call it again. */
  async update(jobId: string): Promise<IndexSize & { isDone: boolean }> {
    const run = Symbol(jobId)
    let isDone = true
    const isLast = () => this.#runs.get(jobId) === run
    this.#runs.set(jobId, run)
    try {
      const words = await this.env.ACCOUNTS.getByName(`${this.ctx.id.name}`).wordsToFind(jobId)
      if (isLast()) isDone = await this.#bring(jobId, words, isLast)
      if (isLast() && this.#runs.size === 1 && this.#isEmpty()) await this.ctx.storage.deleteAll()
    } finally {
      if (isLast()) this.#runs.delete(jobId)
    }
    return { ...this.#size(), isDone }
  }

  async empty(): Promise<void> {
    this.#runs.clear()
    await this.ctx.storage.deleteAll()
  }

  search(request: SearchRequest): FoundPage {
    return hasTables(this.#sql) ? findPassages(this.#sql, request) : { passages: [], next: null }
  }

  get #sql(): SqlStorage {
    return this.ctx.storage.sql
  }

  #isEmpty(): boolean {
    return hasTables(this.#sql) && !hasJobs(this.#sql)
  }

  #size(): IndexSize {
    if (!hasTables(this.#sql)) return emptyIndex
    return { bytes: this.#sql.databaseSize, passages: countPassages(this.#sql), isFull: this.#isFull() }
  }

  #isFull(): boolean {
    return this.#sql.databaseSize >= MAX_INDEX_BYTES
  }

  /** A job that was read or removed only in part, because the object ended meanwhile, is removed first. */
  async #bring(jobId: string, words: WordsToFind | null, isLast: () => boolean): Promise<boolean> {
    openIndex(this.ctx.storage)
    const known = indexedJobs.first(this.#sql, 'WHERE id = ?', jobId)
    if (known?.isWhole && known.words === (words && nameOf(jobId, words))) return true
    if (known && !(await this.#remove(known, isLast))) return false
    if (words && isLast() && !this.#isFull()) await this.#add(jobId, words, isLast)
    return true
  }

  async #add(jobId: string, words: WordsToFind, isLast: () => boolean): Promise<void> {
    const { transcript, title, createdAt, keyId, watchId, metadata } = words
    const stored = await openTranscript(this.env, jobId, transcript, { withWords: false })
    if (!stored || !isLast()) return
    const about = { language: transcript.language, keyId, metadata, ...(watchId !== null && { watchId }) }
    const facts = await factTokens(factsOf(about))
    const tokensOfSpeaker = new Map<string | undefined, string[]>([[undefined, facts]])
    // Each part of a long segment has more than half of the most characters. One more is the title.
    const count = transcript.segments + Math.ceil((2 * stored.sizeBytes) / MAX_PART_CHARACTERS) + 1
    let next = 0
    for await (const page of pagesOf(inOrder(title, transcript.durationSeconds, passagesOf(segmentsOf(stored))))) {
      for (const { speaker } of page) {
        if (tokensOfSpeaker.has(speaker) || speaker === undefined) continue
        tokensOfSpeaker.set(speaker, [...facts, ...(await factTokens(factsOf({ speaker })))])
      }
      if (!isLast()) return
      this.ctx.storage.transactionSync(() => {
        const job = indexedJobs.first(this.#sql, 'WHERE id = ?', jobId)
        const { top } = job ?? this.#begin({ id: jobId, createdAt, words: nameOf(jobId, words) }, count)
        const tokens = page.map(({ speaker }) => tokensOfSpeaker.get(speaker) ?? facts)
        addPassages(this.#sql, page, top - next, tokens)
      })
      next += page.length
    }
    if (!isLast()) return
    indexedJobs.update(this.#sql, { isWhole: true, passages: next }, 'id = ?', jobId)
  }

  #begin(about: Pick<IndexedJob, 'id' | 'createdAt' | 'words'>, count: number): IndexedJob {
    const job = { ...about, ...reserveNumbers(this.#sql, about.createdAt, count), passages: 0, isWhole: false }
    indexedJobs.insert(this.#sql, job)
    return job
  }

  /** False: some of it is left, because a call has a limit of CPU time. */
  async #remove(job: IndexedJob, isLast: () => boolean): Promise<boolean> {
    const { storage } = this.ctx
    indexedJobs.update(this.#sql, { isWhole: false }, 'id = ?', job.id)
    for (let piece = 0; piece < PIECES_A_CALL && isLast(); piece++) {
      const isDone = storage.transactionSync(() => {
        const isEmptied = removePassages(this.#sql, job)
        if (isEmptied) indexedJobs.delete(this.#sql, 'id = ?', job.id)
        return isEmptied
      })
      if (isDone) return true
      // Searches come between.
      await scheduler.wait(0)
    }
    // What is left is for a later call that runs already, or for the next.
    return !isLast()
  }
}

/** Another transcript of the job has another one. */
const nameOf = (jobId: string, { transcript }: WordsToFind): string =>
  `${wordsKey(jobId, transcript)} ${transcript.range?.offset ?? 0}`

async function* inOrder(title: string | null, durationSeconds: number, passages: AsyncIterable<Passage>) {
  if (title !== null && title.trim() !== '') yield titlePassage(title, durationSeconds)
  yield* passages
}

async function* pagesOf(passages: AsyncIterable<Passage>): AsyncGenerator<Passage[]> {
  let page: Passage[] = []
  let characters = 0
  for await (const passage of passages) {
    page.push(passage)
    characters += passage.text.length
    if (characters < PAGE_CHARACTERS) continue
    yield page
    page = []
    characters = 0
  }
  yield page
}
