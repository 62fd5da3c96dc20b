import type { Segment } from '../../domain/words/segment.ts'
import { randomFrom } from '../../test/support/random-numbers.ts'

const WORDS_A_SECOND = 2.5
const HOUR_SECONDS = 3_600

/** What is said in a recording: sentences in a random order, each a segment. Always the same for a number. */
export const speechOf = (sentences: readonly string[], number: number, hours: number): Segment[] => {
  const random = randomFrom(number)
  const segments: Segment[] = []
  for (let start = 0; start < hours * HOUR_SECONDS; ) {
    const text = sentences[Math.floor(random() * sentences.length)] as string
    const end = start + text.split(' ').length / WORDS_A_SECOND
    segments.push({ start, end, text })
    start = end
  }
  return segments
}
