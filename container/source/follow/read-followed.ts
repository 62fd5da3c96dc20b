import { createHash } from 'node:crypto'
import type { FollowedItem } from '../../../domain/protocol/protocol.ts'
import { SourceFailure } from '../../failures.ts'
import { describedEntry, type FeedDocument, type FeedEntry, openFeed } from '../list/read-feed.ts'
import { listedItem } from '../list/source-list.ts'
import { dateOf } from './feed-date.ts'
import { isVideoId, youtubeVideoOf } from './youtube.ts'

export interface FollowedFeed {
  title: string | null
  items: FollowedItem[]
  /** No entry was left out because of the limit. */
  isWhole: boolean
  digest: string
}

/**
 * The entries of a feed in its order. Each is an item, also if several have one URL: a podcast may call every episode
 * `latest.mp3`. Called in the reader process.
 */
export const readFollowed = (document: FeedDocument, limit: number): FollowedFeed => {
  const { parsed, feed, title, entries } = openFeed(document)
  if (!roots.has(parsed.root)) throw new SourceFailure('SOURCE_UNSUPPORTED')
  if (!parsed.isClosed) throw new SourceFailure('SOURCE_TRUNCATED')
  const dated = entries.map((entry) => ({ ...entry, publishedAt: publishedAt(entry) }))
  const items = newest(dated, limit).map((entry) => ({
    ...listedItem(describedEntry(entry, feed)),
    guid: guidOf(entry),
    publishedAt: entry.publishedAt,
    platformId: platformIdOf(entry),
  }))
  const digest = createHash('sha256').update(document.bytes).digest('hex')
  return { title, items, isWhole: items.length === entries.length, digest }
}

const roots: ReadonlySet<string> = new Set(['rss', 'feed', 'rdf'])

const publishedAt = ({ item }: FeedEntry): number | null => {
  const stated = [item.published, item.created, item.updated]
  return stated.map(dateOf).find((date) => date !== null) ?? null
}

/** In the order of the feed. Some list the oldest first. An entry without a date counts as old as the one before it. */
const newest = <Dated extends { publishedAt: number | null }>(entries: Dated[], limit: number): Dated[] => {
  if (entries.length <= limit) return entries
  let date = Number.MAX_VALUE
  const dated = entries.map((entry, index) => {
    date = entry.publishedAt ?? date
    return { entry, index, date }
  })
  const kept = dated.toSorted((one, other) => other.date - one.date).slice(0, limit)
  return kept.toSorted((one, other) => one.index - other.index).map(({ entry }) => entry)
}

const MAX_GUID_CHARACTERS = 2_048

const guidOf = ({ item }: FeedEntry): string | null => {
  const guid = item.guid || item.id || item.about.trim()
  if (guid.length <= MAX_GUID_CHARACTERS) return guid || null
  return `sha256:${createHash('sha256').update(guid).digest('hex')}`
}

const platformIdOf = ({ url, item }: FeedEntry): string | null => {
  const videoId = isVideoId(item.videoId) ? item.videoId : youtubeVideoOf(url)
  return videoId && `youtube:${videoId}`
}
