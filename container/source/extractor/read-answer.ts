import { failureOfExtractor, SourceFailure } from '../../failures.ts'
import type { Source } from '../source.ts'
import { describe } from './describe.ts'
import { ExtractorAnswer } from './extractor-answer.ts'

/** Reads the answer of a fork that read the page at `url`. Called in the reader process. */
export const readAnswer = (json: Uint8Array, url: string): Source => sourceOf(parsed(json), url)

/** A malformed answer counts as a crash of the fork. */
const parsed = (json: Uint8Array): ExtractorAnswer => {
  try {
    return ExtractorAnswer.parse(JSON.parse(new TextDecoder().decode(json)))
  } catch {
    return { died: 'malformed answer' }
  }
}

const sourceOf = (answer: ExtractorAnswer, url: string): Source => {
  if ('info' in answer) return describe(answer.info, url)
  if ('died' in answer) {
    // Other causes than a timeout are too much memory, too long an answer and a crash, all due to the page.
    throw new SourceFailure(answer.died === 'timeout' ? 'TIMED_OUT' : 'SOURCE_UNSUPPORTED')
  }
  const { text, kind } = answer.error
  if (text.includes('The URL is a playlist')) {
    throw new SourceFailure('SOURCE_UNSUPPORTED', 'The URL is a playlist. Send the URL of a single video.')
  }
  throw new SourceFailure(failureOfExtractor(text, kind), undefined, { cause: text })
}
