import { describe, expect, test } from 'vitest'
import { CaptionsTooLarge, maxBytes } from '../../../container/speech/captions/cue.ts'
import { readCaptionSegments, readCaptions } from '../../../container/speech/captions/read.ts'

const encoded = (text: string) => new TextEncoder().encode(text)
const filled = (head: string, piece: string, bytes: number, tail = '') =>
  head + piece.repeat(Math.floor((bytes - head.length - tail.length) / piece.length)) + tail

/** Any error but this one fails the test. */
const readOrRefuse = (input: Uint8Array) => {
  try {
    readCaptions(input)
  } catch (error) {
    expect(error).toBeInstanceOf(CaptionsTooLarge)
  }
}

const vtt = 'WEBVTT\n\n00:00.000 --> 00:01.000\n'
const srt = '1\n00:00:00,000 --> 00:00:01,000\n'

const attacks: [title: string, head: string, piece: string, tail?: string][] = [
  ['one endless line', vtt, 'a'],
  ['tags that never close', vtt, '<b'],
  ['opening marks', vtt, '<'],
  ['a voice that never closes', `${vtt}<v `, 'x'],
  ['tags and nothing else', vtt, '<b>'],
  ['timestamps that never close', vtt, '<1:'],
  ['overrides that never close', vtt, '{\\'],
  ['ampersands', vtt, '&'],
  ['entities that never end', vtt, '&#x'],
  ['one endless entity', `${vtt}&`, 'a'],
  ['endless digits', 'WEBVTT\n\n', '1', '-->'],
  ['arrows', vtt, '1-->'],
  ['colons', vtt, '1:'],
  ['spaces', vtt, ' ', 'x'],
  ['empty lines', vtt, '\n'],
  ['carriage returns', vtt, '\r'],
  ['a million lines', srt, 'a\n'],
  ['a million numbers', srt, '1\n'],
  ['brackets', '{"events":', '['],
  ['empty events', '{"events":[', '{},', '{}]}'],
  ['tags within tags', '<tt>', '<p>'],
  ['a hundred attributes', '<tt', ' a="1"'],
  ['comments that never end', '', '<!--'],
  ['undefined entities', '<tt>', '&a;', '</tt>'],
]

describe('ten hostile megabytes cost at most a few seconds', () => {
  test.each(attacks)('%s', { timeout: 60_000 }, (_, head, piece, tail) => {
    readOrRefuse(encoded(filled(head, piece, maxBytes, tail)))
  })
})

/** Four times the bytes in clearly less than sixteen times the time, on a machine that others use too. */
test.each(attacks)('the work grows with the length: %s', { timeout: 60_000 }, (_, head, piece, tail) => {
  const time = (bytes: number) => {
    const input = encoded(filled(head, piece, bytes, tail))
    const runs = Array.from({ length: 3 }, () => {
      const before = performance.now()
      readOrRefuse(input)
      return performance.now() - before
    })
    return Math.min(...runs)
  }
  expect(time(1_000_000)).toBeLessThan(12 * time(250_000) + 100)
})

test('a hundred thousand cues are read, one more is refused', { timeout: 60_000 }, () => {
  const cues = (count: number) =>
    Array.from({ length: count }, (_, index) => `${index}:00.000 --> ${index}:01.000\nx${index}\n\n`).join('')
  expect(readCaptions(encoded(`WEBVTT\n\n${cues(100_000)}`))).toHaveLength(100_000)
  expect(() => readCaptions(encoded(`WEBVTT\n\n${cues(100_001)}`))).toThrow(CaptionsTooLarge)
})

test('a million empty elements are refused before they are a tree', () => {
  expect(() => readCaptions(encoded(`<tt>${'<p/>'.repeat(1_000_001)}</tt>`))).toThrow(CaptionsTooLarge)
})

test('segments together may not be larger than one file', () => {
  const half = encoded(vtt.padEnd(6_000_000))
  expect(() => readCaptionSegments([half, half])).toThrow(CaptionsTooLarge)
})
