import { canonicalHost } from '../../../domain/network/canonical-host.ts'

/** A channel, one of its tabs, or a playlist. */
export interface YoutubeList {
  page: string
  /** `channelId`: what the page states. null: it has no feed, or the URL alone does not tell which. */
  feedUrl(channelId: string | null): string | null
}

const FEED_PATH = '/feeds/videos.xml'

/** null: anything else, such as a video or a mix, which is different for each viewer. */
export const youtubeListOf = (text: string): YoutubeList | null => {
  const url = URL.parse(text)
  if (!url || !isYoutube(url)) return null
  if (url.pathname === FEED_PATH) return listOfFeed(url, text)
  const playlistId = url.searchParams.get('list')
  if (playlistId === null) return url.hostname === SHORT_HOST ? null : channelOf(url)
  return isPlaylistId(playlistId) ? { page: playlistPage(playlistId), feedUrl: () => playlistFeed(playlistId) } : null
}

/** Such a feed has the fifteen newest entries. */
export const isYoutubeFeed = (text: string): boolean => {
  const url = URL.parse(text)
  return url !== null && isYoutube(url) && url.pathname === FEED_PATH
}

/** The id of the video that a URL leads to. */
export const youtubeVideoOf = (text: string): string | null => {
  const url = URL.parse(text)
  if (!url || !isYoutube(url)) return null
  const id = url.searchParams.get('v') ?? (url.hostname === SHORT_HOST ? shortVideo : videoPath).exec(url.pathname)?.[1]
  return id !== undefined && isVideoId(id) ? id : null
}

/** The two others are players of lists and of channels. */
export const isVideoId = (id: string): boolean => /^(?!videoseries$|live_stream$)[\w-]{11}$/.test(id)

const ORIGIN = 'https://www.youtube.com'
const SHORT_HOST = 'youtu.be'
const hosts: ReadonlySet<string> = new Set([
  SHORT_HOST,
  ...['youtube.com', 'youtube-nocookie.com'].flatMap((host) => [host, `www.${host}`]),
  ...['m.youtube.com', 'music.youtube.com'],
])
const isYoutube = ({ hostname }: URL): boolean => hosts.has(canonicalHost(hostname))

const videoPath = /^\/(?:shorts|live|embed|v|e)\/([^/]+)\/?$/
const shortVideo = /^\/([^/]+)\/?$/

const isChannelId = (id: string): boolean => /^UC[\w-]{22}$/.test(id)
/** `RD…` is a mix. */
const isPlaylistId = (id: string): boolean => /^(?!RD)[\w-]{2,100}$/.test(id)

const channelPage = (id: string): string => `${ORIGIN}/channel/${id}`
const playlistPage = (id: string): string => `${ORIGIN}/playlist?list=${id}`
const channelFeed = (id: string): string => `${ORIGIN}${FEED_PATH}?channel_id=${id}`
const playlistFeed = (id: string): string => `${ORIGIN}${FEED_PATH}?playlist_id=${id}`

const listOfFeed = ({ searchParams }: URL, text: string): YoutubeList | null => {
  const channelId = searchParams.get('channel_id')
  const playlistId = searchParams.get('playlist_id')
  const user = searchParams.get('user')
  const feedUrl = () => text
  if (channelId !== null && isChannelId(channelId)) return { page: channelPage(channelId), feedUrl }
  if (playlistId !== null && isPlaylistId(playlistId)) return { page: playlistPage(playlistId), feedUrl }
  return user === null ? null : { page: `${ORIGIN}/user/${encodeURIComponent(user)}`, feedUrl }
}

/** YouTube keeps a playlist of what each of these tabs shows, whose id is that of the channel with another prefix. */
const prefixOfTab: ReadonlyMap<string, string> = new Map([
  ['videos', 'UULF'],
  ['shorts', 'UUSH'],
  ['streams', 'UULV'],
])

const channelOf = ({ pathname }: URL): YoutubeList | null => {
  const found = /^\/(?:(?:channel|c|user)\/[^/]+|@[^/]+)(?:\/([^/]*))?/.exec(pathname)
  if (!found) return null
  const tab = found[1] ?? ''
  const known = /^\/channel\/([^/]+)/.exec(pathname)?.[1] ?? ''
  return {
    page: ORIGIN + pathname,
    feedUrl: (stated) => {
      const id = isChannelId(known) ? known : stated
      if (id === null || !isChannelId(id)) return null
      if (tab === '' || tab === 'featured') return channelFeed(id)
      const prefix = prefixOfTab.get(tab)
      return prefix === undefined ? null : playlistFeed(prefix + id.slice(2))
    },
  }
}
