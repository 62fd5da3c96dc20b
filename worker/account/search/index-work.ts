import { accepted, refused } from '../../../domain/codes/refusals.ts'
import type { AccountRows } from '../account-rows.ts'
import type { Again, DueContext } from '../due/due.ts'
import { type DueRow, dueAt, schedule } from '../due/due-rows.ts'
import { type JobRow, jobTable } from '../jobs/job-rows.ts'
import { requestAct } from '../requests/authenticated-request.ts'
import { emptyIndex, emptySearch, type IndexSize } from './search-state.ts'
import { hasWordsToFind } from './words-to-find.ts'

/**
 * The index of words is an object of its own. What is due says only which job has changed: the index then reads from the
 * account what is to be found of it, and from storage its words. So a repeated or late message does no harm.
 */
const ALL = 'words'

const refOf = (jobId: string): string => `${ALL} ${jobId}`

/** Called when words of a job can be read, or not any more. */
export const updateIndex = ({ account, sql }: AccountRows, jobId: string, now: number): void => {
  if (account.search.isOff) return
  const ref = refOf(jobId)
  // A call that is under way ends the row of its own time only.
  schedule(sql, 'words', ref, dueAt(sql, ref) === now ? now + 1 : now)
}

export const indexEnd = (rows: AccountRows, job: JobRow, now: number): void => {
  if (hasWordsToFind(job)) updateIndex(rows, job.id, now)
}

export const changeIndexing = requestAct(({ rows, now }, isOn: boolean) => {
  const { account, sql } = rows
  if (!isOn && !account.search.isOff) {
    account.search = { ...emptySearch, isOff: true, isToEmpty: true }
    schedule(sql, 'words', ALL, now)
  }
  account.search = { ...account.search, isOff: !isOn }
  return accepted({ isOn })
})

export const rebuildIndex = requestAct(({ rows, now }) =>
  rows.account.search.isOff ? refused('SEARCH_OFF') : accepted(startRebuild(rows, now)),
)

/** An operator's. null: there is no such account. */
export const startRebuild = (rows: AccountRows, now: number): { isOff: boolean } => {
  const { account, sql } = rows
  const { isOff } = account.search
  if (isOff) return { isOff }
  account.search = { ...account.search, rebuiltTo: '' }
  schedule(sql, 'words', ALL, now)
  return { isOff }
}

/** How many jobs are brought back before other jobs have their turn. */
const AT_ONCE = 20

export const sendWords = async (context: DueContext, { ref }: DueRow): Promise<Again> => {
  const { rows, targets, act } = context
  const { id } = rows.account
  // Indexing may be on again.
  if (rows.account.search.isToEmpty) {
    await targets.emptyWords(id)
    act(() => {
      rows.account.search = { ...rows.account.search, ...emptyIndex, isToEmpty: false }
    })
  }
  if (ref === ALL) return rebuild(context)
  const size = await targets.updateWords(id, ref.slice(ALL.length + 1))
  return act(() => noteSize(rows, size))
}

const rebuild = async ({ rows, targets, act }: DueContext): Promise<Again> => {
  const { rebuiltTo: after } = rows.account.search
  if (after === null) return
  const jobs = jobTable.select(rows.sql, "WHERE id > ? AND state = 'completed' ORDER BY id LIMIT ?", after, AT_ONCE)
  let size: IndexSize | null = null
  for (const job of jobs) if (hasWordsToFind(job)) size = await targets.updateWords(rows.account.id, job.id)
  return act((now) => {
    if (size) noteSize(rows, size)
    const { search } = rows.account
    // It was begun again, or turned off, meanwhile. An index that is still to be emptied loses these jobs again.
    if (search.rebuiltTo !== after || search.isToEmpty) return now
    rows.account.search = { ...search, rebuiltTo: jobs.at(-1)?.id ?? null }
    return jobs.length === 0 ? undefined : now
  })
}

const noteSize = ({ account }: AccountRows, size: IndexSize): void => {
  if (!account.search.isOff) account.search = { ...account.search, ...size }
}
