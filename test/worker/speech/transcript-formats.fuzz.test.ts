import fc from 'fast-check'
import { describe, test } from 'vitest'
import type { Segment } from '../../../domain/words/segment.ts'
import { formatTranscript, toTranscript, transcriptFormats } from '../../../worker/speech/transcript-formats.ts'
import { type Budget, countGrowsLinearly, repeat, runs, textOf, within } from '../../fuzz/hostile-input.ts'

const pieces: Record<string, string> = {
  words: 'word ',
  'one word': 'word',
  'Chinese characters': '今日は',
  'Thai words': 'ภาษาไทย',
  'combining accents': '\u0301',
  'combining accents on Thai': 'ก\u0e49',
  'characters of no width': '\u200d',
  'characters of no width after Thai': 'ไ\u2060\u200b',
  'words of no width': '\u200d ',
  emojis: '👩\u200d👧',
  'opening brackets': '«',
  'opening brackets after Chinese': '今「',
  'closing brackets': '。」',
  sentences: 'A b. ',
  arrows: '-->',
  'characters to escape': '&<>',
}

/** The texts of captions have at most 10,000 characters each. */
const characters = 5_000

/** Measured: at most 100 operations for each character. */
const budget: Budget = { each: 250, fixed: 2_000 }

describe.each(transcriptFormats)('a transcript as %s', (format) => {
  const write = (segments: Segment[]): void => {
    const transcript = toTranscript(segments, { source: 'captions', language: 'en', duration: 60 })
    for (const text of formatTranscript(transcript, format)) if (text === undefined) throw new Error('no text')
  }

  test.each(Object.entries(pieces))('of one segment of %s: twice as many take twice as long', (_title, piece) => {
    const one = (text: string): Segment[] => [{ start: 0, end: 60, text }]
    countGrowsLinearly((count) => one(repeat(piece, count)), Math.ceil(characters / piece.length), write)
  })

  test.each(Object.entries(pieces))('of many segments of %s: twice as many take twice as long', (_title, piece) => {
    const many = (count: number): Segment[] =>
      Array.from({ length: count }, (_, index) => ({
        start: index,
        end: index + 1,
        text: repeat(piece, 5),
        speaker: `${index % 3}`,
      }))
    countGrowsLinearly(many, 200, write)
  })

  test('of any segments is written within the budget', () => {
    const time = fc.oneof(fc.double({ min: 0, max: 100, noNaN: true }), fc.double())
    const segment = fc.record(
      { start: time, end: time, text: textOf(Object.values(pieces)), speaker: fc.string({ maxLength: 3 }) },
      { requiredKeys: ['start', 'end', 'text'] },
    )
    fc.assert(
      fc.property(fc.array(segment, { maxLength: 6 }), (segments) => {
        const size = segments.reduce((sum, { text }) => sum + text.length + 1, 0)
        within(budget, size, () => write(segments))
      }),
      runs(40),
    )
  })
})
