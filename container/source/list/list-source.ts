import type { Egress } from '../../egress/egress.ts'
import { SourceFailure } from '../../failures.ts'
import { openOrExtract } from '../resolve.ts'
import { isMedia } from '../sniff.ts'
import { listFeed } from './feed.ts'
import { linkOf, type SourceList } from './source-list.ts'

/** Lists pages. A page with a single video, or a manifest, is a list of one. */
export interface Lister {
  list(url: string, limit: number, egress: Egress, signal: AbortSignal): Promise<SourceList>
}

/** Lists what a URL offers, without opening the items. A direct file is a list of one. */
export async function listSource(
  url: string,
  limit: number,
  egress: Egress,
  lister: Lister,
  signal: AbortSignal,
): Promise<SourceList> {
  const found = await openOrExtract(url, egress, signal, () => lister.list(url, limit, egress, signal))
  if ('extracted' in found) return found.extracted
  const { opened } = found
  if (opened.kind === 'feed') return await listFeed(opened, limit, egress, signal)
  opened.discard()
  if (!isMedia(opened.kind)) throw new SourceFailure('SOURCE_UNSUPPORTED')
  const title = opened.title || null
  return { title, count: 1, items: [{ url: linkOf(url) ?? url, title, durationSeconds: null }] }
}
