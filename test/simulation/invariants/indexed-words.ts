import { type Part, wordsOfParts } from '../../../domain/jobs/parts.ts'
import type { Transcript } from '../../../domain/jobs/transcript.ts'
import { wordsKey } from '../../../domain/media/media-keys.ts'
import { passagesOf } from '../../../domain/search/passages.ts'
import { rangeInObject, storedSegments } from '../../../domain/words/transcript-body.ts'
import type { Account } from '../actors/caller.ts'
import { bytesOf } from '../platform/http-message.ts'
import { rangeOf } from '../platform/r2.ts'
import type { Row, Seen, Sql } from './seen.ts'

/** A job whose words may be in an index. */
export interface JobRow extends Row {
  id: string
  kind: string
  removed_at: number | null
  key_id: string | null
  is_indexed: number
  result: string
  parts: string | null
}

const JOBS = `SELECT id, kind, removed_at, key_id, coalesce(request ->> 'index', 1) AS is_indexed, result, parts
  FROM jobs WHERE state = 'completed'`

export const completedJobs = (sql: Sql): JobRow[] => sql.exec<JobRow>(JOBS).toArray()

/** What may be read of it. */
export const transcriptOf = ({ kind, removed_at, result, parts }: JobRow): Transcript | null => {
  if (kind === 'transcription') return removed_at === null ? (JSON.parse(result) as Transcript) : null
  return wordsOfParts(JSON.parse(parts ?? '[]') as Part[])[0] ?? null
}

export interface IndexedRow extends Row {
  id: string
  low: number
  top: number
  passages: number
  whole: number
}

interface PassageRow extends Row {
  start_seconds: number
  text: string
}

/** As its transcript gives, from the first to the last. */
export const checkPassages = async (seen: Seen, index: Sql, row: IndexedRow, job: JobRow): Promise<void> => {
  const { id, low, top, passages, whole } = row
  const expected = await passagesIn(seen, job)
  const query = 'SELECT start_seconds, text FROM passages WHERE number BETWEEN ? AND ? ORDER BY number DESC'
  const found = index.exec<PassageRow>(query, low, top).toArray()
  const textOf = (list: { text: string }[]) => list.map(({ text }) => text).join(' | ')
  if (whole !== 1 || passages !== expected.length || textOf(found) !== textOf(expected))
    seen.broken(
      'a job is in the index whole',
      id,
      `whole ${whole}, ${passages} of ${expected.length}: ${textOf(found)}`,
    )
}

const passagesIn = async ({ world }: Seen, job: JobRow): Promise<{ text: string }[]> => {
  const transcript = transcriptOf(job)
  const stored = transcript && world.bucket.get(wordsKey(job.id, transcript))
  if (!stored) return []
  const { title = null } = JSON.parse(job.result) as { title?: string | null }
  const section = bytesOf(rangeOf(stored.body, rangeInObject(transcript, false)).body)
  const segments = storedSegments(
    (async function* () {
      yield section
    })(),
  )
  const passages = title ? [{ text: title }] : []
  for await (const { text } of passagesOf(segments)) passages.push({ text })
  return passages
}

/** Every passage is of one job, and is found. */
export const checkNumbers = ({ broken }: Seen, { id }: Account, index: Sql): void => {
  const query = `SELECT
    (SELECT count(*) FROM passages WHERE NOT EXISTS (SELECT 1 FROM jobs WHERE number BETWEEN low AND top)) AS orphans,
    (SELECT count(*) FROM jobs AS one JOIN jobs AS other
      ON one.id <> other.id AND one.low <= other.top AND one.top >= other.low) AS shared,
    (SELECT group_concat(number) FROM (SELECT number FROM passages ORDER BY 1)) AS passages,
    (SELECT group_concat(number) FROM (SELECT number FROM indexed ORDER BY 1)) AS indexed,
    (SELECT group_concat(id) FROM (SELECT id FROM found_docsize ORDER BY 1)) AS found`
  const { orphans, shared, passages, indexed, found } = index.exec<Row>(query).one()
  if (orphans !== 0 || shared !== 0) broken('a passage is of one job', id, `${orphans} of none, ${shared} shared`)
  if (passages !== indexed || passages !== found)
    broken('the rows of an index agree', id, `${passages}, indexed ${indexed}, found ${found}`)
  try {
    index.exec("INSERT INTO found (found, rank) VALUES ('integrity-check', 1)").toArray()
  } catch (cause) {
    broken('the rows of an index agree', id, `${cause}`)
  }
}

/** What a caller is shown, page by page. */
export const checkFound = async ({ broken }: Seen, account: Account, index: Sql): Promise<void> => {
  const query = "SELECT count(*) AS said FROM indexed WHERE tokens LIKE '% words %'"
  const { said } = index.exec<{ said: number }>(query).one()
  for (const sort of ['newest', 'relevance']) {
    let shown = 0
    for (let cursor: string | null = ''; cursor !== null; ) {
      const answer = await account.ask('GET', `/search?q=words&limit=50&sort=${sort}&cursor=${cursor}`)
      // It may still be suspended.
      if (answer && answer.status < 500 && answer.status !== 200) return
      if (answer?.status !== 200) return broken('a search is answered', account.id, `${answer?.status}`)
      const page = answer.body.data as unknown as { results: object[]; nextCursor: string | null }
      shown += page.results.length
      cursor = page.nextCursor
    }
    if (shown !== said) broken('a search shows all that is indexed', account.id, `${sort}: ${shown} of ${said}`)
  }
}

export const hasTables = (index: Sql): boolean =>
  index.exec("SELECT 1 FROM sqlite_master WHERE name = 'jobs'").toArray().length > 0
