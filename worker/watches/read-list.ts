import { failureOfCode } from '../../domain/codes/failures.ts'
import { toBase64Url, utf8 } from '../../domain/encoding.ts'
import type { FollowResponse } from '../../domain/protocol/protocol.ts'
import { identitiesOf } from '../../domain/watches/identity.ts'
import { MAX_ENTRIES } from '../../domain/watches/watch.ts'
import type { FoundEntry, FoundList } from '../account/watches/lists.ts'
import type { PollFailure } from '../account/watches/poll-failures.ts'
import { lookUp } from '../fleet/lookups.ts'

/** Includes the wait for a place. A channel of 500 videos takes several requests to its platform. */
const TIMEOUT_MS = 120_000

export interface ListToRead {
  accountId: string
  watchId: string
  url: string
  feedUrl: string | null
  withPage: boolean
}

export type ReadList =
  | { kind: 'list'; list: FoundList }
  | ({ kind: 'failed' } & PollFailure)
  /** There was no engine. */
  | { kind: 'busy' }

export const readList = async (
  env: Env,
  { accountId, watchId, url, feedUrl, withPage }: ListToRead,
): Promise<ReadList> => {
  const answer = await lookUp(
    env,
    'list',
    { accountId, by: { watchId }, url, timeoutMs: TIMEOUT_MS },
    (engine, order) => engine.follow({ ...order, limit: MAX_ENTRIES, feedUrl, withPage }),
  ).catch((cause) => {
    console.error('a list could not be read', watchId, cause)
    return 'busy' as const
  })
  if (answer === 'busy') return { kind: 'busy' }
  if (answer.status === 'done') return { kind: 'list', list: await foundList(answer) }
  const { code, message } = failureOfCode(answer.code, answer.message)
  const { retryAfterSeconds } = answer
  const retryAfterMs = retryAfterSeconds === undefined ? null : retryAfterSeconds * 1_000
  return { kind: 'failed', code, message, retryAfterMs, isNoList: code === 'SOURCE_UNSUPPORTED', isGone: false }
}

type Followed = Extract<FollowResponse, { status: 'done' }>

const foundList = async ({ items, title, source, isWhole, ...answer }: Followed): Promise<FoundList> => {
  const { feedUrl, etag, lastModified, digest } = answer
  const isOfPlatform = items.some(({ platformId }) => platformId !== null)
  return {
    ...{ title, source, isWhole, feedUrl, etag, lastModified, digest, count: items.length },
    hasPage: source === 'feed' && isOfPlatform && !isWhole,
    entries: await Promise.all(items.map(foundEntry)),
  }
}

const foundEntry = async (item: Followed['items'][number]): Promise<FoundEntry> => ({
  url: item.url,
  title: item.title,
  publishedAt: item.publishedAt,
  seconds: item.durationSeconds,
  linked: item.linked,
  identities: await Promise.all(identitiesOf(item).map(hashed)),
})

const KIND_CHARACTERS = 2
const HASH_BYTES = 16

/** Short, because they are kept as long as the watch. The kind stays readable. */
const hashed = async (identity: string): Promise<string> => {
  const digest = await crypto.subtle.digest('SHA-256', utf8(identity))
  const hash = toBase64Url(digest.slice(0, HASH_BYTES))
  return `${identity.slice(0, KIND_CHARACTERS)}${hash}`
}
