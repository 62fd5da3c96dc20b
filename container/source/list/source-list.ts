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

interface FoundItem {
  url: string
  title?: string | undefined
  duration?: number | undefined
  linked?: LinkedFiles | undefined
}

/** The items that can be sent as requests of their own, each once. `add` says whether there was room. */
export const createItems = (limit: number) => {
  const items = new Map<string, ListedItem>()
  return {
    add: ({ url, title, duration, linked }: FoundItem): void => {
      const link = linkOf(url)
      if (link === null || items.has(link) || items.size >= limit) return
      const durationSeconds = duration && duration > 0 ? duration : null
      items.set(link, { url: link, title: titleOf(title), durationSeconds, ...(linked && { linked }) })
    },
    list: () => [...items.values()],
  }
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
