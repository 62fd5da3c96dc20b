import type { Ranking, SearchCursor } from '../../domain/search/cursor.ts'
import { startAt } from '../../domain/search/passages.ts'
import { matchOf, type Phrase, patternOf, type Query } from '../../domain/search/query.ts'
import { snippetOf } from '../../domain/search/snippet.ts'
import { firstRow, firstValue } from '../sqlite.ts'
import { countPassages, type IndexedJob, indexedJobs, passageTable } from './index-rows.ts'

export interface SearchRequest {
  query: Query
  /** Tokens that a passage has beside its words. */
  facts: string[]
  jobId: string | null
  createdFrom: number | null
  createdBefore: number | null
  sort: 'relevance' | 'newest'
  cursor: SearchCursor | null
  limit: number
}

export interface FoundPassage {
  jobId: string
  start: number
  end: number
  speaker: string | null
  snippet: string
  /** Offset and length in the snippet. */
  matches: number[][]
}

export interface FoundPage {
  passages: FoundPassage[]
  /** null: nothing follows. */
  next: SearchCursor | null
}

/** A word that is said all the time is found in millions of passages. */
const MAX_RANKED = 10_000

export const findPassages = (sql: SqlStorage, request: SearchRequest): FoundPage => {
  const { limit, sort } = request
  const range = rangeOf(sql, request)
  if (!range) return { passages: [], next: null }
  const matching = { ...range, match: matchOf(request.query, request.facts), gaps: unfinished(sql) }
  const found = sort === 'newest' ? newest(sql, matching, request) : mostRelevant(sql, matching, request)
  const page = found.slice(0, limit)
  const last = found.length > limit ? page.at(-1) : undefined
  const passages = page.flatMap(({ id }) => passageOf(sql, id, request) ?? [])
  return { passages, next: last ? (last.ranking ? { id: last.id, ranking: last.ranking } : { id: last.id }) : null }
}

interface Numbers {
  low: number
  top: number
}

interface Matching extends Numbers {
  match: string
  /** Of jobs that are being read or removed. */
  gaps: Numbers[]
}

interface Found {
  id: number
  ranking?: SearchCursor['ranking']
}

const allNumbers: Numbers = { low: 0, top: Number.MAX_SAFE_INTEGER }

/** null: no job is in it. Jobs of the first and the last second are looked at again: see passageOf. */
const rangeOf = (sql: SqlStorage, { jobId, createdFrom, createdBefore }: SearchRequest): Numbers | null => {
  if (jobId === null && createdFrom === null && createdBefore === null) return allNumbers
  const query = `SELECT min(low) AS low, max(top) AS top FROM jobs
    WHERE (?1 IS NULL OR id = ?1) AND (?2 IS NULL OR created_at >= ?2) AND (?3 IS NULL OR created_at < ?3)`
  const range = firstRow<{ low: number | null; top: number | null }>(sql, query, jobId, createdFrom, createdBefore)
  return range?.low == null || range.top === null ? null : { low: range.low, top: range.top }
}

const unfinished = (sql: SqlStorage): Numbers[] => indexedJobs.select(sql, 'WHERE whole = 0')

const newest = (sql: SqlStorage, matching: Matching, { cursor, limit }: SearchRequest): Found[] => {
  const top = cursor ? Math.min(matching.top, cursor.id - 1) : matching.top
  const { where, bindings } = conditionsOf({ ...matching, top })
  const query = `SELECT rowid AS id FROM found WHERE ${where} ORDER BY rowid DESC LIMIT ?`
  return sql.exec<{ id: number }>(query, ...bindings, limit + 1).toArray()
}

const conditionsOf = ({ match, low, top, gaps }: Matching) => ({
  where: ['found MATCH ?', 'rowid BETWEEN ? AND ?', ...gaps.map(() => 'NOT rowid BETWEEN ? AND ?')].join(' AND '),
  bindings: [match, low, top, ...gaps.flatMap((gap) => [gap.low, gap.top])],
})

/**
 * As BM25 ranks: by how often each phrase is in a passage, more for a rare phrase, less in a long passage. FTS5's own
 * function reads every passage that has a phrase, and its weights change whenever a job ends.
 */
const mostRelevant = (sql: SqlStorage, matching: Matching, { query, cursor, limit }: SearchRequest): Found[] => {
  const before = cursor?.ranking
  const patterns = query.wanted.map(patternOf)
  const weights = before?.weights ?? weightsOf(sql, query.wanted)
  const low = Math.max(matching.low, before?.lowest ?? matching.low)
  const top = Math.min(matching.top, before?.highest ?? matching.top)
  const { where, bindings } = conditionsOf({ ...matching, low, top })
  const counts = patterns.map(
    (_, index) => `(octet_length(tokens) - octet_length(replace(tokens, ?, ''))) / ? AS n${index}`,
  )
  const scores = patterns.map((_, index) => `? * n${index} / (n${index} + 0.3 + 0.9 * size / ${USUAL_BYTES})`)
  const found = sql.exec<{ id: number; score: number; lowest: number; highest: number }>(
    `WITH matching AS MATERIALIZED
       (SELECT rowid AS id, octet_length(tokens) AS size, ${counts.join(', ')}
          FROM found WHERE ${where} ORDER BY rowid DESC LIMIT ?),
     ends AS MATERIALIZED (SELECT min(id) AS lowest, max(id) AS highest FROM matching),
     scored AS (SELECT id, ${scores.join(' + ')} AS score FROM matching)
     SELECT id, score, lowest, highest FROM ends, scored ${before ? 'WHERE (score, id) < (?, ?)' : ''} ORDER BY score DESC, id DESC LIMIT ?`,
    ...patterns.flatMap((pattern) => [pattern, new TextEncoder().encode(pattern).length]),
    ...bindings,
    // What has ended since is among them.
    before ? 2 * MAX_RANKED : MAX_RANKED,
    ...patterns.map((_, index) => weights[index] ?? 1),
    ...(before && cursor ? [before.score, cursor.id] : []),
    limit + 1,
  )
  return found.toArray().map(({ id, score, lowest, highest }) => {
    const ranking: Ranking = before ?? { lowest, highest, weights }
    return { id, ranking: { ...ranking, score } }
  })
}

/** Of the tokens of a passage of 30 seconds. */
const USUAL_BYTES = 550

const COUNTED = 1_000

/** How rare each phrase is, from its newest passages. One phrase alone needs no weight. */
const weightsOf = (sql: SqlStorage, wanted: Phrase[]): number[] => {
  if (wanted.length === 1) return [1]
  const all = countPassages(sql)
  return wanted.map((phrase) => {
    const match = matchOf({ wanted: [phrase], unwanted: [] }, [])
    const query = `SELECT count(*) AS count, min(id) AS lowest FROM
      (SELECT rowid AS id FROM found WHERE found MATCH ? ORDER BY rowid DESC LIMIT ${COUNTED})`
    const { count = 0, lowest = 0 } = firstRow<{ count: number; lowest: number }>(sql, query, match) ?? {}
    const among = firstValue<number>(sql, 'SELECT sum(passages) FROM jobs WHERE top >= ?', lowest) ?? all
    const frequency = count < COUNTED ? count : (all * count) / Math.max(among, count)
    return Math.log(1 + (Math.max(all - frequency, 0) + 0.5) / (frequency + 0.5))
  })
}

/** null: its job is of the same second as those that are searched, and is not one of them. */
const passageOf = (sql: SqlStorage, number: number, { query, createdFrom, createdBefore }: SearchRequest) => {
  const passage = passageTable.first(sql, 'WHERE number = ?', number)
  const job = indexedJobs.first(sql, 'WHERE top >= ? ORDER BY top LIMIT 1', number)
  if (!passage || !job || !isWithin(job, createdFrom, createdBefore)) return null
  const { start, end, speaker, text, starts } = passage
  const { at, ...shown } = snippetOf(text, query.wanted, { isWhole: starts === null })
  const begins = starts === null ? start : startAt({ start, starts: JSON.parse(starts) }, at)
  return { jobId: job.id, start: begins, end, speaker, ...shown } satisfies FoundPassage
}

const isWithin = ({ createdAt }: IndexedJob, from: number | null, before: number | null): boolean =>
  (from === null || createdAt >= from) && (before === null || createdAt < before)
