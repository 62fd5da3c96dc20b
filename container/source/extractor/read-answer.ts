import type { z } from 'zod'
import { failureOfExtractor, SourceFailure } from '../../failures.ts'
import { isVideoId, youtubeVideoOf } from '../follow/youtube.ts'
import { createItems, linkOf, type PageList } from '../list/source-list.ts'
import type { Source } from '../source.ts'
import { maxTitleCharacters, shortened } from '../source.ts'
import { describe, pageTitle } from './describe.ts'
import { ExtractorAnswer, type Failed, type List, ListAnswer } from './extractor-answer.ts'

/** These read the answer of a fork that read the page at `url`. They are called in the reader process. */

/** `playlist`: the URL is not of a single video. */
export const readAnswer = (json: Uint8Array, url: string, now: number): Source | 'playlist' => {
  const answer = parsed(json, ExtractorAnswer)
  if ('info' in answer) return describe(answer.info, url, now)
  if ('playlist' in answer) return 'playlist'
  throw failureOf(answer)
}

export const readList = (json: Uint8Array, limit: number): PageList => {
  const answer = parsed(json, ListAnswer)
  if ('list' in answer) return listOf(answer.list, limit)
  throw failureOf(answer)
}

/** A malformed answer counts as a crash of the fork. */
const parsed = <Schema extends z.ZodType>(json: Uint8Array, schema: Schema): z.infer<Schema> | Failed => {
  try {
    return schema.parse(JSON.parse(new TextDecoder().decode(json)))
  } catch {
    return { died: 'malformed answer' }
  }
}

const failureOf = (answer: Failed): SourceFailure => {
  if ('playlist' in answer) return new SourceFailure('SOURCE_UNSUPPORTED')
  if ('died' in answer) {
    // Other causes than a timeout are too much memory, too long an answer and a crash, all due to the page.
    return new SourceFailure(answer.died === 'timeout' ? 'TIMED_OUT' : 'SOURCE_UNSUPPORTED')
  }
  const { text, kind } = answer.error
  return new SourceFailure(failureOfExtractor(text, kind), undefined, { cause: text })
}

const listOf = (list: List, limit: number): PageList => {
  const { isSingle, isWhole, count } = list
  const title = isSingle ? pageTitle(list) : list.title
  const ids = new Map(list.items.map((item) => [linkOf(item.url), platformIdOf(item)]))
  const items = createItems(limit)
  for (const item of list.items) items.add(isSingle ? { ...item, title } : item)
  return {
    title: shortened(title, maxTitleCharacters),
    count,
    items: items.list().map((item) => ({ ...item, platformId: ids.get(item.url) ?? null })),
    ...{ isSingle, isWhole, channelId: list.channel_id ?? null },
  }
}

const MAX_ID_CHARACTERS = 200

/** Every extractor of YouTube's videos names them as YouTube does. The generic one numbers what is on a page. */
const platformIdOf = ({ url, id = '', ie_key = '' }: List['items'][number]): string | null => {
  const videoId = youtubeVideoOf(url) ?? (/^youtube/i.test(ie_key) && isVideoId(id) ? id : null)
  if (videoId !== null) return `youtube:${videoId}`
  const isNamed =
    id !== '' && id.length <= MAX_ID_CHARACTERS && !['', 'generic', 'html5'].includes(ie_key.toLowerCase())
  return isNamed ? `${ie_key.toLowerCase()}:${id}` : null
}
