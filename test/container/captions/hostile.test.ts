import { runInNewContext } from 'node:vm'
import { describe, expect, test } from 'vitest'
import { CaptionsTooLarge, type Cue, collectCues, maxCues } from '../../../container/captions/cue.ts'
import { readCaptionSegments, readCaptions } from '../../../container/captions/read.ts'

const encoded = (text: string) => new TextEncoder().encode(text)
const filled = (head: string, piece: string, bytes: number, tail = '') =>
  head + piece.repeat(Math.floor((bytes - head.length - tail.length) / piece.length)) + tail

/**
 * Stops synchronous work that does not end, which a test's own timeout cannot. Linear work takes
 * a part of a second on a quiet machine; quadratic work would take hours.
 */
const interruptible = <T>(work: () => T): T => runInNewContext('work()', { work }, { timeout: 80_000 })

type Outcome = 'kept as text' | 'no captions' | 'refused'

const outcomeOf = (file: string): Outcome => {
  const bytes = encoded(file)
  try {
    const segments = interruptible(() => readCaptions(bytes))
    if (segments.length === 0) return 'no captions'
    expect(segments.map(({ text }) => text).join() === file.slice(vtt.length).trim()).toBe(true)
    return 'kept as text'
  } catch (error) {
    expect(error).toBeInstanceOf(CaptionsTooLarge)
    return 'refused'
  }
}

const vtt = 'WEBVTT\n\n00:00.000 --> 00:01.000\n'
const srt = '1\n00:00:00,000 --> 00:00:01,000\n'

/**
 * A quarter of the largest file that is read. That it takes linear time, as what else may repeat, is tested in
 * test/further/fuzz/.
 */
const BYTES = 2_500_000

describe('2.5 megabytes', () => {
  test.each<[title: string, Outcome, head: string, piece: string, tail?: string]>([
    ['one line without end', 'refused', vtt, 'a'],
    ['tags that are never closed', 'refused', vtt, '<b'],
    ['a voice tag that is never closed', 'refused', `${vtt}<v `, 'x'],
    ['only tags', 'no captions', vtt, '<b>'],
    ['timestamp tags that are never closed', 'refused', vtt, '<1:'],
    ['ASS overrides that are never closed', 'refused', vtt, '{\\'],
    ['character references without a number', 'refused', vtt, '&#x'],
    ['one entity without end', 'refused', `${vtt}&`, 'a'],
    ['arrows', 'no captions', vtt, '1-->'],
    ['colons', 'refused', vtt, '1:'],
    ['spaces before a letter', 'refused', vtt, ' ', 'x'],
    ['a cue of a million lines', 'refused', srt, 'a\n'],
    ['a cue of a million numbers', 'refused', srt, '1\n'],
    ['empty JSON events', 'no captions', '{"events":[', '{},', '{}]}'],
    ['nested XML tags', 'refused', '<tt>', '<p>'],
    ['XML comments that are never closed', 'refused', '', '<!--'],
  ])('%s: %s', (_title, outcome, head, piece, tail) => {
    expect(outcomeOf(filled(head, piece, BYTES, tail))).toBe(outcome)
  })
})

test('100,000 cues are read, one more is refused', () => {
  const cues = (count: number) =>
    Array.from({ length: count }, (_, index) => `${index}:00.000 --> ${index}:01.000\nx${index}\n\n`).join('')
  expect(readCaptions(encoded(`WEBVTT\n\n${cues(100_000)}`))).toHaveLength(100_000)
  expect(() => readCaptions(encoded(`WEBVTT\n\n${cues(100_001)}`))).toThrow(CaptionsTooLarge)
})

test('a parser that yields cues without end is stopped at the first one above the limit', () => {
  let yielded = 0
  function* endless(): Generator<Cue> {
    for (;;) {
      yielded++
      yield { start: 0, end: 1, text: 'x' }
    }
  }
  expect(() => collectCues(endless())).toThrow(CaptionsTooLarge)
  expect(yielded).toBe(maxCues + 1)
})

test('half a million XML elements are refused before a tree is built', () => {
  expect(() => readCaptions(encoded(`<tt>${'<p/>'.repeat(500_001)}</tt>`))).toThrow(CaptionsTooLarge)
})

test('the size limit applies to all segments together', () => {
  const half = encoded(vtt.padEnd(6_000_000))
  expect(() => readCaptionSegments([half, half])).toThrow(CaptionsTooLarge)
})
