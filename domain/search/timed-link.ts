/** The page of a video, playing from a time, or null where no way to say so is known. */
export const timedLink = (url: string, seconds: number): string | null => {
  const page = URL.parse(url)
  if (page === null || !isWeb.test(page.protocol)) return null
  return links.get(page.host)?.(page, Math.max(0, Math.floor(seconds))) ?? null
}

const isWeb = /^https?:$/

type Link = (page: URL, seconds: number) => string | null

/** The page of a Short ignores `t`, and an embedded player shows an error outside of a page: both have a usual page. */
const onYouTube: Link = (page, seconds) => {
  const [, kind, id] = page.pathname.split('/')
  if (kind === 'shorts' || kind === 'embed') return id ? onYouTube(watchPage(id), seconds) : null
  const isVideo = kind === 'watch' ? page.searchParams.has('v') : kind === 'live' && Boolean(id)
  return isVideo ? withTime(page, `${seconds}`) : null
}

const watchPage = (id: string): URL => {
  const page = new URL('https://www.youtube.com/watch')
  page.searchParams.set('v', id)
  return page
}

const onShortYouTube: Link = (page, seconds) => (page.pathname === '/' ? null : withTime(page, `${seconds}`))

/** Twitch reads hours, minutes and seconds, each with its letter. */
const onTwitch: Link = (page, seconds) => (isTwitchVideo.test(page.pathname) ? withTime(page, `${seconds}s`) : null)

/** Also the older `/CHANNEL/v/ID` and `/CHANNEL/video/ID`. */
const isTwitchVideo = /^\/(?:videos|[^/]+\/v|[^/]+\/video)\/\d+\/?$/

const onVimeo: Link = (page, seconds) => {
  if (!isVimeoVideo.test(page.pathname)) return null
  page.hash = `t=${seconds}s`
  return page.href
}

/** A video, which may be in a list, with the key that one which is not listed has: `/76979871/4ed3b9a5f4`. */
const isVimeoVideo =
  /^\/(?:video\/|channels\/[^/]+\/|ondemand\/[^/]+\/|(?:groups|album|showcase)\/[^/]+\/videos?\/)?\d+(?:\/[0-9a-f]+)?\/?$/

/** Replaces the time that is in the page's address, under each name that it may have. */
const withTime = (page: URL, time: string): string => {
  for (const name of ['start', 'time_continue']) page.searchParams.delete(name)
  page.searchParams.set('t', time)
  page.hash = ''
  return page.href
}

const links = new Map<string, Link>([
  ['youtube.com', onYouTube],
  ['www.youtube.com', onYouTube],
  ['m.youtube.com', onYouTube],
  ['music.youtube.com', onYouTube],
  ['youtube-nocookie.com', onYouTube],
  ['www.youtube-nocookie.com', onYouTube],
  ['youtu.be', onShortYouTube],
  ['twitch.tv', onTwitch],
  ['www.twitch.tv', onTwitch],
  ['m.twitch.tv', onTwitch],
  ['go.twitch.tv', onTwitch],
  ['vimeo.com', onVimeo],
  ['www.vimeo.com', onVimeo],
  ['player.vimeo.com', onVimeo],
])
