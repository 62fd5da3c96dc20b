import type { FollowedItem } from '../../../domain/protocol/protocol.ts'
import type { PageItem } from '../list/source-list.ts'

/** Without what only a feed states. */
export const itemsOfPage = (items: PageItem[]): FollowedItem[] =>
  items.map((item) => ({ ...item, guid: null, publishedAt: null }))

/** The list of a page, with what the feed states of the same items. What the page does not show comes first. */
export const mergeLists = (ofFeed: FollowedItem[], ofPage: PageItem[]): FollowedItem[] => {
  const entries = new Map(ofFeed.flatMap((item) => (item.platformId === null ? [] : [[item.platformId, item]])))
  const shown = new Set(ofPage.map(({ platformId }) => platformId))
  const missing = ofFeed.filter(({ platformId }) => platformId === null || !shown.has(platformId))
  const merged = itemsOfPage(ofPage).map((item) => {
    const entry = entries.get(item.platformId ?? '')
    return entry ? { ...entry, url: item.url, ...statedOf(item) } : item
  })
  return [...missing, ...merged]
}

const statedOf = ({ title, durationSeconds }: FollowedItem) => ({
  ...(title !== null && { title }),
  ...(durationSeconds !== null && { durationSeconds }),
})
