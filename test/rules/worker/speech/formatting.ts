import fc from 'fast-check'
import { inOrder, type Segment } from '../../../../domain/words/segment.ts'
import { formatTranscript, type WrittenFormat } from '../../../../worker/speech/transcript-formats.ts'
import {
  type AboutTranscript,
  defaultLayout,
  type Layout,
  type Segments,
} from '../../../../worker/speech/transcript-layout.ts'

export type FileOptions = Partial<Layout> & { about?: Partial<AboutTranscript> }

export const transcript = (...rows: [number, number, string, string?][]): Segment[] =>
  inOrder(rows.map(([start, end, text, speaker]) => ({ start, end, text, ...(speaker ? { speaker } : {}) })))

export const formatted = (segments: Segments, as: WrittenFormat, { about, ...layout }: FileOptions = {}) =>
  formatTranscript(
    segments,
    as,
    { ...defaultLayout, ...layout },
    { title: null, chapters: [], hasSpeakers: hasSpeakers(segments), ...about },
  )

const hasSpeakers = (segments: Segments): boolean =>
  Array.isArray(segments) && segments.some(({ speaker }) => speaker !== undefined)

export const rendered = async (segments: Segment[], as: WrittenFormat, options?: FileOptions): Promise<string> => {
  let text = ''
  for await (const piece of formatted(segments, as, options)) text += piece
  return text
}

const pieces = [
  ...['a', ' ', '\t', '\n', '\r', '\v', '\u0085', '\u001e', '\u2028', '"', '&', '<', '>', '-->'],
  ...['é', 'สวัส', 'ดี', '👍', '👨\u200d👩\u200d👧', '🇩🇪'],
]
/** By default few texts would be longer than a line. */
const long = { size: 'max' } as const
const text = fc.oneof(
  fc.stringMatching(/^[a-zA-Z,.!? -]{1,400}$/, long),
  fc.stringMatching(/^(?:[a-z]{1,9}[,.]? ){1,40}$/, long),
  fc.stringMatching(/^[今日は天気良い、。한국어 ]{1,200}$/, long),
  fc.array(fc.constantFrom(...pieces), { ...long, minLength: 1, maxLength: 60 }).map((some) => some.join('')),
  fc.stringMatching(/^[a-z]{1,250}$/, long),
)

/** Segments as they are stored, some with speakers. */
export const someSegments = fc
  .array(
    fc.record(
      {
        pause: fc.double({ min: 0, max: 5, noNaN: true }),
        length: fc.double({ min: 0.001, max: 30, noNaN: true }),
        speaker: fc.constantFrom('A', 'Dr.\tB', 'C'),
        text,
      },
      { requiredKeys: ['pause', 'length', 'text'] },
    ),
    { maxLength: 12 },
  )
  .map((rows) => {
    let clock = 0
    const segments = rows.map(({ pause, length, ...rest }): Segment => {
      const start = clock + pause
      clock = start + length
      return { start, end: clock, ...rest }
    })
    return inOrder(segments)
  })
