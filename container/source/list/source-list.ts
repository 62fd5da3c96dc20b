import { MAX_URL_LENGTH } from '../../../domain/limits.ts'
import type { LinkedFiles, ListedItem } from '../../../domain/protocol/protocol.ts'
import { maxTitleCharacters, shortened } from '../source.ts'

/** A playlist, a channel, a podcast's feed, or the videos of a page, in the order of the source. */
export interface SourceList {
  title: string | null
  /** The length of the whole list, if the source says it or all of it was read. */
  count: number | null
  items: ListedItem[]
}

/** What the extractor lists of a page. */
export interface PageList extends SourceList {
  items: PageItem[]
  /** The page has one video, which is the only item. */
  isSingle: boolean
  /** The list was read to its end. */
  isWhole: boolean
  /** The channel of YouTube that the list is of. null: none, or not stated. */
  channelId: string | null
}

export interface PageItem extends ListedItem {
  /** See FollowedItem. */
  platformId: string | null
}

export interface FoundItem {
  url: string
  title?: string | undefined
  duration?: number | undefined
  linked?: LinkedFiles | undefined
}

/** The items that can be sent as requests of their own, each once. */
export const createItems = (limit: number) => {
  const items = new Map<string, ListedItem>()
  return {
    add: (found: FoundItem): void => {
      const link = linkOf(found.url)
      if (link !== null && !items.has(link) && items.size < limit) items.set(link, listedItem({ ...found, url: link }))
    },
    list: () => [...items.values()],
  }
}

export const listedItem = ({ url, title, duration, linked }: FoundItem): ListedItem => {
  const durationSeconds = duration && duration > 0 ? duration : null
  return { url, title: titleOf(title), durationSeconds, ...(linked && { linked }) }
}

/** null: a request with this URL would be refused. */
export const linkOf = (text: string, base?: string): string | null => {
  const url = URL.parse(text, base)
  const isWeb = url?.protocol === 'http:' || url?.protocol === 'https:'
  if (!isWeb || url.username !== '' || url.password !== '' || url.href.length > MAX_URL_LENGTH) return null
  return url.href
}

const titleOf = (title: string | undefined): string | null =>
  shortened(title?.replace(/\s+/g, ' ').trim(), maxTitleCharacters) || null
