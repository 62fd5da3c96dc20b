import type { Context } from 'hono'
import { accepted, type Result, refusal } from '../../domain/codes/refusals.ts'
import { readableTranscript } from '../../domain/jobs/readable-words.ts'
import { timedLink } from '../../domain/search/timed-link.ts'
import type { FoundJob } from '../account/search/words-to-find.ts'
import { signingKey } from '../env.ts'
import { mediaLink } from '../media/links.ts'
import type { FoundPage, FoundPassage, SearchRequest } from '../search/ranking.ts'
import { wordsOf } from '../search/words-of.ts'
import { account, type HttpEnv, publicUrl } from './request-context.ts'

/** How often the index is asked for one page, if jobs of its answers are gone or are not for this key. */
const MAX_ROUNDS = 5

/** Nobody waits longer for an index that does not answer. */
const ANSWER_MS = 15_000

const unavailable = refusal(
  'SERVICE_UNAVAILABLE',
  { retryAfter: 2 },
  'The index of words does not answer. Jobs go on. Try again in a few seconds.',
)

/** A page of what was found, without what the account does not show to this key now. */
export const findWords = async (c: Context<HttpEnv>, request: SearchRequest) => {
  const results: object[] = []
  let { cursor } = request
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const asked = await ask(c, { ...request, cursor, limit: request.limit - results.length })
    if (!asked.ok) return asked
    const { passages, next } = asked.value
    const ids = [...new Set(passages.map(({ jobId }) => jobId))]
    const jobs: Record<string, FoundJob> = ids.length === 0 ? {} : await account(c).foundJobs(c.var.caller.keyHash, ids)
    for (const passage of passages) {
      const found = jobs[passage.jobId]
      if (found) results.push(await resultOf(c, passage, found))
    }
    cursor = next
    if (!next || results.length >= request.limit) break
  }
  return accepted({ results, next: cursor })
}

const ask = async (c: Context<HttpEnv>, request: SearchRequest): Promise<Result<FoundPage>> => {
  const late = new AbortController()
  const tooLong = scheduler.wait(ANSWER_MS, { signal: late.signal }).then(() => {
    throw new Error(`no answer within ${ANSWER_MS} ms`)
  })
  try {
    return accepted(await Promise.race([wordsOf(c.env, c.var.caller.accountId).search(request), tooLong]))
  } catch (cause) {
    console.error('search', cause)
    return { ok: false, refusal: unavailable }
  } finally {
    tooLong.catch(() => {})
    late.abort()
  }
}

const resultOf = async (c: Context<HttpEnv>, passage: FoundPassage, { job, source }: FoundJob) => {
  const { jobId, start, end, speaker, snippet, matches } = passage
  const url = job.request.url ?? source?.request.url ?? null
  return {
    jobId,
    title: job.result?.title ?? null,
    url,
    link: (url && timedLink(url, start)) ?? (await linkToMedia(c, [job, source], start)) ?? url,
    start,
    end,
    ...(speaker !== null && { speaker }),
    language: readableTranscript(job)?.language,
    snippet,
    matches,
  }
}

/** Media of ours takes fractions of a second. null: none of it is here. */
const linkToMedia = async (c: Context<HttpEnv>, jobs: FoundJob['source'][], start: number): Promise<string | null> => {
  const job = jobs.find((each) => each?.kind === 'import')
  if (job?.kind !== 'import' || !job.result || job.removedAt !== null) return null
  const { filename, stored, expiresAt } = job.result
  if (expiresAt <= Date.now()) return null
  const key = await signingKey(c.env, 'media-links')
  const link = { jobId: job.id, filename, attempt: stored.attempt, expiresAt }
  return `${await mediaLink(key, publicUrl(c), link)}#t=${start}`
}
