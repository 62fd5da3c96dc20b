import type { Passage } from '../../domain/search/passages.ts'
import { indexedText, tokensOf } from '../../domain/search/tokens.ts'
import { firstRow, firstValue, flag, migrate, plain, plains, Table } from '../sqlite.ts'

/** What the words of an account are found in. The text of `indexed` is that of `passages` as domain/search/tokens.ts has it. */
const versions = [
  `
  -- A job has the numbers from low to top. Those of a later job are higher, and within a job those of what is said earlier.
  -- words: the object that it was read from. whole: 0 while it is read or removed, and then it is not found.
  CREATE TABLE jobs (
    top INTEGER PRIMARY KEY,
    low INTEGER NOT NULL,
    id TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    words TEXT NOT NULL,
    passages INTEGER NOT NULL DEFAULT 0,
    whole INTEGER NOT NULL DEFAULT 0
  );

  CREATE INDEX unfinished_jobs ON jobs (top) WHERE whole = 0;

  -- starts: where each segment begins in the text, and when. JSON; NULL for a title.
  CREATE TABLE passages (
    number INTEGER PRIMARY KEY,
    start_seconds REAL NOT NULL,
    end_seconds REAL NOT NULL,
    speaker TEXT,
    starts TEXT,
    text TEXT NOT NULL
  );

  CREATE TABLE indexed (
    number INTEGER PRIMARY KEY,
    tokens TEXT NOT NULL
  );

  CREATE VIRTUAL TABLE found USING
    fts5 (tokens, content = 'indexed', content_rowid = 'number', tokenize = 'ascii', prefix = '1 2 3');

  INSERT INTO found (found, rank) VALUES ('secure-delete', 1);`,
]

export interface IndexedJob {
  readonly top: number
  low: number
  readonly id: string
  readonly createdAt: number
  readonly words: string
  passages: number
  isWhole: boolean
}

export const indexedJobs = new Table<IndexedJob>('jobs', {
  ...plains('top', 'low', 'id', 'createdAt', 'words', 'passages'),
  isWhole: flag('whole'),
})

export interface StoredPassage {
  number: number
  start: number
  end: number
  speaker: string | null
  starts: string | null
  text: string
}

export const passageTable = new Table<StoredPassage>('passages', {
  ...plains('number', 'speaker', 'starts', 'text'),
  start: plain('start_seconds'),
  end: plain('end_seconds'),
})

export const openIndex = (storage: DurableObjectStorage): void => {
  storage.transactionSync(() => migrate(storage.sql, versions))
}

/** Numbers of passages that are created within one second of each other, before those of the next second. */
const NUMBERS_A_SECOND = 2 ** 21

/** The first numbers from the second of its creation on that no other job has. */
export const reserveNumbers = (sql: SqlStorage, createdAt: number, count: number): { low: number; top: number } => {
  let low = Math.floor(createdAt / 1_000) * NUMBERS_A_SECOND
  for (;;) {
    const next = indexedJobs.first(sql, 'WHERE top >= ? ORDER BY top LIMIT 1', low)
    if (!next || next.low > low + count - 1) return { low, top: low + count - 1 }
    low = next.top + 1
  }
}

/** `number`: of the first of them. `facts`: tokens of each. They are written in the order of their numbers, which keeps pages full. */
export const addPassages = (sql: SqlStorage, passages: Passage[], number: number, facts: string[][]): void => {
  for (const [index, { start, end, speaker, text, starts }] of [...passages.entries()].reverse()) {
    const at = number - index
    const tokens = indexedText([...tokensOf(text).map((token) => token.text), ...(facts[index] ?? [])])
    const stored = { number: at, start, end, speaker: speaker ?? null, text }
    passageTable.insert(sql, { ...stored, starts: starts.length === 0 ? null : JSON.stringify(starts) })
    sql.exec('INSERT INTO indexed (number, tokens) VALUES (?, ?)', at, tokens)
    sql.exec('INSERT INTO found (rowid, tokens) VALUES (?, ?)', at, tokens)
  }
}

/** To remove a passage from an index of 10,000 hours takes up to 80 ms. */
const REMOVED_AT_ONCE = 4

/** False: some of its passages are left. */
export const removePassages = (sql: SqlStorage, { low, top }: IndexedJob): boolean => {
  const query = 'SELECT number, tokens FROM indexed WHERE number BETWEEN ? AND ? LIMIT ?'
  const removed = sql.exec<{ number: number; tokens: string }>(query, low, top, REMOVED_AT_ONCE).toArray()
  for (const { number, tokens } of removed) {
    sql.exec("INSERT INTO found (found, rowid, tokens) VALUES ('delete', ?, ?)", number, tokens)
    sql.exec('DELETE FROM indexed WHERE number = ?', number)
    passageTable.delete(sql, 'number = ?', number)
  }
  return removed.length < REMOVED_AT_ONCE
}

export const countPassages = (sql: SqlStorage): number =>
  firstValue<number>(sql, 'SELECT sum(passages) FROM jobs WHERE whole = 1') ?? 0

export const hasJobs = (sql: SqlStorage): boolean => firstRow(sql, 'SELECT 1 FROM jobs LIMIT 1') !== undefined
