import { type FailureCode, failures } from '../../../domain/codes/failures.ts'
import type { FollowedList, FollowRequest } from '../../../domain/protocol/protocol.ts'
import { SourceFailure } from '../../failures.ts'
import { inReader } from '../../sandbox/reader.ts'
import { downloadFeed, type Lister } from '../list/list-source.ts'
import type { PageList } from '../list/source-list.ts'
import { openDirect, openOrExtract } from '../resolve.ts'
import type { OpenedUrl } from '../source.ts'
import type { FetchContext } from '../transfer/stream.ts'
import { itemsOfPage, mergeLists } from './merge-lists.ts'
import { isYoutubeFeed, type YoutubeList, youtubeListOf } from './youtube.ts'

type FollowContext = FetchContext & { extractor: Lister; limit: number }

export interface Followed {
  list: FollowedList
  /** Why the page's list is missing, although the feed was read. */
  withheld: FailureCode | null
}

/** Reads the list that a watch follows: from its feed, from its page, or from both. */
export const followSource = async (
  { url, feedUrl, withPage, limit }: Omit<FollowRequest, 'timeoutMs'>,
  context: FetchContext & { extractor: Lister },
): Promise<Followed> => {
  const limited = { ...context, limit }
  try {
    return feedUrl === null ? await findList(url, limited) : served(await readKnown(url, feedUrl, withPage, limited))
  } catch (error) {
    const isGeneral =
      error instanceof SourceFailure && error.code === 'SOURCE_UNSUPPORTED' && error.message === error.code
    throw isGeneral ? new SourceFailure('SOURCE_UNSUPPORTED', NO_LIST, { cause: error }) : error
  }
}

const NO_LIST = 'This is no feed, channel or playlist.'

const served = (list: FollowedList): Followed => ({ list, withheld: null })

const readKnown = async (url: string, feedUrl: string, withPage: boolean, context: FollowContext) => {
  const feed = await readFeedAt(feedUrl, context)
  const list = withPage && isYoutubeFeed(feedUrl) ? (youtubeListOf(url) ?? youtubeListOf(feedUrl)) : null
  return list ? merged(feed, await listPage(list.page, context), context) : feed
}

const findList = async (url: string, context: FollowContext): Promise<Followed> => {
  const list = youtubeListOf(url)
  if (list) return await followYoutube(list, context)
  const found = await openOrExtract(url, context, (page) => followPage(url, page, context))
  return 'extracted' in found ? found.extracted : served(await readOpened(found.opened, url, context))
}

/** The feed has the dates of the newest entries, and the page has the others. */
const followYoutube = async (list: YoutubeList, context: FollowContext): Promise<Followed> => {
  const page = await orFailure(listPage(list.page, context))
  const feedUrl = list.feedUrl(page instanceof SourceFailure ? null : page.channelId)
  const feed = feedUrl === null ? null : await orFailure(readFeedAt(feedUrl, context))
  if (page instanceof SourceFailure) {
    if (feed === null || feed instanceof SourceFailure) throw page
    return { list: feed, withheld: page.code }
  }
  // A feed that fails now may be found by a later reading of the page.
  return served(feed === null || feed instanceof SourceFailure ? listOfPage(page) : merged(feed, page, context))
}

/** `page`: null if the origin serves only browsers. */
const followPage = async (url: string, page: OpenedUrl | null, context: FollowContext): Promise<Followed> => {
  if (page && page.kind !== 'html') {
    page.discard()
    throw new SourceFailure('SOURCE_UNSUPPORTED')
  }
  // If the page is cut off, the extractor may still read it.
  const named = page && (await orFailure(feedNamedBy(page, context)))
  const feed = typeof named === 'string' ? await orFailure(followNamed(named, context)) : null
  if (feed !== null && !(feed instanceof SourceFailure)) return feed
  const list = await orFailure(listPage(url, context))
  if (!(list instanceof SourceFailure)) return served(listOfPage(list))
  // The feed may be there later.
  throw feed && failures[feed.code].retryable && list.code === 'SOURCE_UNSUPPORTED' ? feed : list
}

const followNamed = async (feedUrl: string, context: FollowContext): Promise<Followed> => {
  const list = youtubeListOf(feedUrl)
  return list ? await followYoutube(list, context) : served(await readFeedAt(feedUrl, context))
}

/** Enough for the head of a page. */
const PAGE_BYTES = 1_048_576

const pageReader = inReader<typeof import('./feed-of-page.ts')>(new URL('./feed-of-page.ts', import.meta.url))

const feedNamedBy = async (page: OpenedUrl, { signal }: FollowContext): Promise<string | null> => {
  const bytes = await page.head(PAGE_BYTES).finally(() => page.discard())
  const document = { bytes: bytes ?? new Uint8Array(), contentType: page.contentType, url: page.url }
  return await pageReader('feedOfPage', [document], signal)
}

const orFailure = <T>(work: Promise<T>): Promise<T | SourceFailure> =>
  work.catch((error) => {
    if (error instanceof SourceFailure) return error
    throw error
  })

const readFeedAt = async (feedUrl: string, context: FollowContext): Promise<FollowedList> =>
  await readOpened(await openDirect({ url: feedUrl, headers: {} }, context), feedUrl, context)

const feedReader = inReader<typeof import('./read-followed.ts')>(new URL('./read-followed.ts', import.meta.url))

const readOpened = async (opened: OpenedUrl, feedUrl: string, context: FollowContext): Promise<FollowedList> => {
  if (opened.kind !== 'feed') {
    opened.discard()
    throw new SourceFailure('SOURCE_UNSUPPORTED')
  }
  const document = await downloadFeed(opened, context)
  const feed = await feedReader('readFollowed', [document, context.limit], context.signal)
  return {
    ...feed,
    source: 'feed',
    feedUrl,
    isWhole: feed.isWhole && !isYoutubeFeed(feedUrl),
    etag: validator(opened.etag),
    lastModified: validator(opened.lastModified),
  }
}

const MAX_VALIDATOR_CHARACTERS = 1_000
const validator = (text: string | null): string | null =>
  text !== null && text.length > MAX_VALIDATOR_CHARACTERS ? null : text

const listPage = async (url: string, { extractor, limit, egress, signal }: FollowContext): Promise<PageList> => {
  const page = await extractor.list(url, limit, egress, signal)
  if (page.isSingle) throw new SourceFailure('SOURCE_UNSUPPORTED')
  return page
}

const listOfPage = ({ title, items, isWhole }: PageList): FollowedList => ({
  ...{ title, items: itemsOfPage(items), source: 'page', feedUrl: null, isWhole },
  ...{ etag: null, lastModified: null, digest: null },
})

const merged = (feed: FollowedList, page: PageList, { limit }: FollowContext): FollowedList => {
  const items = mergeLists(feed.items, page.items)
  const isWhole = page.isWhole && items.length <= limit
  return { ...feed, title: feed.title ?? page.title, items: items.slice(0, limit), isWhole }
}
