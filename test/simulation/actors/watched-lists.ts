import type { FollowRequest, FollowResponse } from '../../../domain/protocol/protocol.ts'
import type { Clock } from '../clock.ts'
import type { Faults } from '../faults/faults.ts'
import type { Handler } from '../platform/internet.ts'
import type { Random } from '../random.ts'
import { sleep } from '../sleep.ts'
import { LIST_HOST, type Trouble, WatchedList } from './watched-list.ts'

const READ_MS = 800
const HANGS_MS = 40_000

/** All lists that are watched: what the Worker's requests get, and what engines read. */
export class WatchedLists {
  readonly #lists = new Map<string, WatchedList>()
  readonly #clock: () => Clock
  readonly #random: Random
  readonly #faults: Faults

  constructor(clock: () => Clock, random: Random, faults: Faults) {
    this.#clock = clock
    this.#random = random
    this.#faults = faults
  }

  /** The list of this name, which begins its life with the first call. */
  named(name: string): WatchedList {
    const known = this.#lists.get(name)
    if (known) return known
    const list = new WatchedList(name, this.#random.fork(name), this.#clock().now)
    this.#lists.set(name, list)
    return list
  }

  find(name: string): WatchedList | undefined {
    return this.#lists.get(name)
  }

  /** Two changes of one second are told apart now, which takes a daily poll otherwise. */
  heal(): void {
    for (const list of this.#lists.values()) {
      list.trouble = null
      list.touch()
    }
  }

  readonly handle: Handler = async ({ url, headers }) => {
    const list = this.#listAt(url.href)
    const trouble = this.#troubleOf(list)
    if (trouble?.kind === 'hangs') await sleep(HANGS_MS)
    if (trouble?.kind === 'status') {
      const { status, retryAfterSeconds } = trouble
      return { status, headers: retryAfterSeconds === undefined ? {} : { 'retry-after': `${retryAfterSeconds}` } }
    }
    const { body, etag, lastModified } = list.response(this.#clock().now)
    const match = headers.get('if-none-match')
    const since = headers.get('if-modified-since')
    const isSame = match === null ? since !== null && since === lastModified : match === etag
    const isConditional = match !== null || since !== null
    if (isConditional && (isSame || trouble?.kind === 'lies')) return { status: 304 }
    const validators = { ...(etag && { etag }), ...(lastModified && { 'last-modified': lastModified }) }
    return { status: 200, headers: { 'content-type': 'application/rss+xml', ...validators }, body }
  }

  /** As an engine reads it. */
  async follow({ url, feedUrl, withPage }: FollowRequest): Promise<FollowResponse> {
    const list = this.#listAt(url)
    await sleep(
      this.#faults.happens('list slow', list.name) ? this.#faults.between('list slow', 2_000, 60_000) : READ_MS,
    )
    const trouble = this.#troubleOf(list)
    if (trouble?.kind === 'hangs') await sleep(HANGS_MS)
    if (trouble && trouble.kind !== 'lies') return failureOf(trouble)
    const { now } = this.#clock()
    // The page of a platform is refused to some readers.
    const hasPage = list.kind === 'platform' && (withPage || (feedUrl === null && !list.hasTokens))
    const isWhole = list.kind !== 'platform' || hasPage
    const about = { status: 'done' as const, title: list.name, items: list.items(isWhole, now), isWhole }
    if (list.kind === 'page') {
      return { ...about, source: 'page', feedUrl: null, etag: null, lastModified: null, digest: null }
    }
    const { etag, lastModified, digest } = list.response(now)
    return { ...about, source: 'feed', feedUrl: list.feedUrl, etag, lastModified, digest }
  }

  #listAt(url: string): WatchedList {
    return this.named(new URL(url).pathname.split('/')[1] ?? '')
  }

  #troubleOf(list: WatchedList): Trouble | null {
    if (list.trouble || !this.#faults.happens('list fails', list.name)) return list.trouble
    return troubles[this.#faults.between('list fails', 0, troubles.length - 1)] ?? null
  }
}

export const troubles: readonly Trouble[] = [
  { kind: 'status', status: 404 },
  { kind: 'status', status: 429, retryAfterSeconds: 20 },
  { kind: 'status', status: 503, retryAfterSeconds: 120 },
  { kind: 'status', status: 500 },
  { kind: 'status', status: 403 },
  { kind: 'hangs' },
  { kind: 'lies' },
  { kind: 'cut off' },
]

const codes: Record<number, string> = {
  404: 'SOURCE_NOT_FOUND',
  410: 'SOURCE_NOT_FOUND',
  429: 'SOURCE_RATE_LIMITED',
  403: 'SOURCE_BLOCKED',
}

const failureOf = (trouble: Trouble): FollowResponse => {
  const failed = { status: 'failed' as const, message: `a simulated list that ${trouble.kind}` }
  if (trouble.kind === 'hangs') return { ...failed, code: 'TIMED_OUT' }
  if (trouble.kind !== 'status') return { ...failed, code: 'SOURCE_TRUNCATED' }
  const { status, retryAfterSeconds } = trouble
  return { ...failed, code: codes[status] ?? 'SOURCE_UNREACHABLE', ...(retryAfterSeconds && { retryAfterSeconds }) }
}

export const listUrl = (name: string): string => `https://${LIST_HOST}/${name}/page`
