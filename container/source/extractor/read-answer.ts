import type { z } from 'zod'
import { failureOfExtractor, SourceFailure } from '../../failures.ts'
import { createItems, type SourceList } from '../list/source-list.ts'
import type { Source } from '../source.ts'
import { maxTitleCharacters, shortened } from '../source.ts'
import { describe, pageTitle } from './describe.ts'
import { ExtractorAnswer, type Failed, type List, ListAnswer } from './extractor-answer.ts'

/** These read the answer of a fork that read the page at `url`. They are called in the reader process. */

/** `playlist`: the URL is not of a single video. */
export const readAnswer = (json: Uint8Array, url: string): Source | 'playlist' => {
  const answer = parsed(json, ExtractorAnswer)
  if ('info' in answer) return describe(answer.info, url)
  if ('playlist' in answer) return 'playlist'
  throw failureOf(answer)
}

export const readList = (json: Uint8Array, limit: number): SourceList => {
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

const listOf = (list: List, limit: number): SourceList => {
  const title = list.isSingle ? pageTitle(list) : list.title
  const items = createItems(limit)
  for (const item of list.items) items.add(list.isSingle ? { ...item, title } : item)
  return { title: shortened(title, maxTitleCharacters), count: list.count ?? null, items: items.list() }
}
