import type { Egress } from '../../egress/egress.ts'
import { SourceFailure } from '../../failures.ts'
import { inReader } from '../../sandbox/reader.ts'
import { downloadFile } from '../download.ts'
import { openOrExtract } from '../resolve.ts'
import { isMedia } from '../sniff.ts'
import type { OpenedUrl } from '../source.ts'
import type { FetchContext } from '../transfer/stream.ts'
import type { FeedDocument } from './read-feed.ts'
import { linkOf, type PageList, type SourceList } from './source-list.ts'

/** Lists pages. A page with a single video, or a manifest, is a list of one. */
export interface Lister {
  list(url: string, limit: number, egress: Egress, signal: AbortSignal): Promise<PageList>
}

export async function listSource(
  url: string,
  limit: number,
  context: FetchContext & { extractor: Lister },
): Promise<SourceList> {
  const { egress, extractor, signal } = context
  const found = await openOrExtract(url, context, (page) => {
    page?.discard()
    return extractor.list(url, limit, egress, signal)
  })
  if ('extracted' in found) return withoutIds(found.extracted)
  const { opened } = found
  if (opened.kind === 'feed') return await listFeed(opened, limit, context)
  opened.discard()
  if (!isMedia(opened.kind)) throw new SourceFailure('SOURCE_UNSUPPORTED')
  const title = opened.title || null
  return { title, count: 1, items: [{ url: linkOf(url) ?? url, title, durationSeconds: null }] }
}

const withoutIds = ({ title, count, items }: PageList): SourceList => ({
  title,
  count,
  items: items.map(({ platformId: _, ...item }) => item),
})

/** The largest feed, uncompressed. Ten thousand episodes with notes have about 30 MB. */
const MAX_BYTES = 50_000_000

const feedReader = inReader<typeof import('./read-feed.ts')>(new URL('./read-feed.ts', import.meta.url))

const listFeed = async (opened: OpenedUrl, limit: number, context: FetchContext): Promise<SourceList> =>
  await feedReader('readFeed', [await downloadFeed(opened, context), limit], context.signal)

/** Throws SOURCE_TRUNCATED if it is shorter than announced. */
export const downloadFeed = async (opened: OpenedUrl, context: FetchContext): Promise<FeedDocument> => {
  const chunks: { bytes: Uint8Array; offset: number }[] = []
  const check = (sizeBytes: number) => {
    if (sizeBytes > MAX_BYTES) throw new SourceFailure('MEDIA_TOO_LARGE', 'The feed has more than 50 MB.')
  }
  const write = async (bytes: Uint8Array, offset: number) => {
    check(offset + bytes.length)
    chunks.push({ bytes, offset })
  }
  const transport = { kind: 'file' as const, url: opened.url, headers: {}, opened }
  const bytes = new Uint8Array(await downloadFile(transport, { announce: check, write }, context))
  for (const chunk of chunks) bytes.set(chunk.bytes, chunk.offset)
  return { bytes, contentType: opened.contentType, url: opened.url }
}
