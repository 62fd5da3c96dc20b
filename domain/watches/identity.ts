/** What a list says of an entry. */
export interface Entry {
  url: string
  title: string | null
  publishedAt: number | null
  guid: string | null
  /** `extractor:id`, the same from the feed and from the page of a platform. */
  platformId: string | null
}

/**
 * Texts by which an entry is known again: one match is enough. Other programs use one of them alone, and take an episode
 * twice when its guid, its token or its date changes, or miss one whose guid is that of all others. The first two letters say
 * what a text is: `p:` and `g:` are strong, which means that they alone tell two entries of one document apart.
 */
export const identitiesOf = ({ url, title, publishedAt, guid, platformId }: Entry): string[] => {
  const byGuid = guid ? [`g:${withoutScheme(guid)}`] : []
  // Without its query, the URL of a platform's video may be that of all its videos.
  if (platformId) return [`p:${platformId}`, ...byGuid]
  const bare = withoutScheme(url.split(/[?#]/, 1)[0] ?? url)
  if (publishedAt !== null) return [...byGuid, `d:${bare}\n${title ?? ''}\n${publishedAt}`]
  const byTitle = title ? [`t:${bare}\n${title}`] : []
  return [...byGuid, `u:${withoutScheme(url)}`, ...byTitle]
}

export const isStrong = (identity: string): boolean => identity.startsWith('p:') || identity.startsWith('g:')
export const isGuid = (identity: string): boolean => identity.startsWith('g:')

/** Feeds move from http to https, and rewrite what they name with it. */
const withoutScheme = (text: string): string => text.trim().replace(/^https?:/i, '')
