import type { Segment } from '../domain/words/segment.ts'
import { cutLong, sentences, type Word } from '../domain/words/sentences.ts'
import type { Recognition } from './recognition.ts'

/** Longer than anyone reads in one go. */
const LONGEST_SECONDS = 7

/** Segments as they are where they can be read, and cut where they can't: by the words, where the engine told their times. */
export const readable = ({ segments, words = [] }: Pick<Recognition, 'segments' | 'words'>): Segment[] => {
  const wordsOf = inTurn(words)
  return segments.flatMap((segment) => {
    const own = wordsOf(segment)
    if (segment.end - segment.start <= LONGEST_SECONDS) return [segment]
    return own.length > 0 ? sentences(own) : cutLong([segment])
  })
}

/** Segments and words come in order, so each word is looked at once. */
const inTurn = (words: Word[]) => {
  let at = 0
  return ({ end }: Segment): Word[] => {
    const from = at
    while (at < words.length && (words[at]?.start ?? end) < end) at++
    return words.slice(from, at)
  }
}
