import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { inOrder, type Segment } from '../../../../../domain/words/segment.ts'
import { type FileOptions, formatted } from '../../../../rules/worker/speech/formatting.ts'
import { runs } from '../../../../support/runs.ts'
import { type Budget, expectLinear, repeat, textOf } from '../../hostile-input.ts'
import { countAsyncOperations } from '../../operations.ts'

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

/** Measured: at most 300 operations for each character, for some hundred words of no width; usually 30. */
const budget: Budget = { each: 400, fixed: 2_000 }

const chaptersOf = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ title: `Part ${at}`, startSeconds: at, endSeconds: at + 1 }))

/** JSON is not formatted but copied from storage. */
const files = [
  ['txt', {}],
  ['srt', {}],
  ['vtt', { speakers: true, maxLineChars: 100, maxLines: 3 }],
  ['tsv', {}],
  ['md', { speakers: true, chapters: true, about: { chapters: chaptersOf(10) } }],
] as const satisfies [string, FileOptions][]

describe.each(files)('a transcript as %s', (format, options) => {
  const operationsOf = (segments: Segment[]): Promise<number> =>
    countAsyncOperations(async () => {
      for await (const text of formatted(segments, format, options)) if (text === '') throw new Error('no text')
    })
  const growsLinearly = async (segmentsOf: (count: number) => Segment[], count: number) => {
    expectLinear(count, await operationsOf(segmentsOf(count)), await operationsOf(segmentsOf(2 * count)))
  }

  test.each(Object.entries(pieces))('of one segment of %s: twice as many take twice as long', (_title, piece) =>
    growsLinearly((count) => [{ start: 0, end: 60, text: repeat(piece, count) }], Math.ceil(characters / piece.length)),
  )

  test.each(Object.entries(pieces))('of many segments of %s: twice as many take twice as long', (_title, piece) =>
    growsLinearly(
      (count) =>
        Array.from({ length: count }, (_, index) => ({
          start: index,
          end: index + 1,
          text: repeat(piece, 5),
          speaker: `${index % 3}`,
        })),
      200,
    ),
  )

  test('of any segments is written within the budget', async () => {
    const time = fc.oneof(fc.double({ min: 0, max: 100, noNaN: true }), fc.double())
    const segment = fc.record(
      { start: time, end: time, text: textOf(Object.values(pieces)), speaker: fc.string({ maxLength: 3 }) },
      { requiredKeys: ['start', 'end', 'text'] },
    )
    await fc.assert(
      fc.asyncProperty(fc.array(segment, { maxLength: 6 }), async (given) => {
        const segments = inOrder(given)
        const size = segments.reduce((sum, { text }) => sum + text.length + 1, 0)
        expect(await operationsOf(segments)).toBeLessThanOrEqual(budget.each * size + budget.fixed)
      }),
      runs(20),
    )
  })
})
