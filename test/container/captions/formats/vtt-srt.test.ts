import fc from 'fast-check'
import webvtt from 'node-webvtt'
import { expect, test } from 'vitest'
import { parseTime, vttCues } from '../../../../container/captions/formats/vtt-srt.ts'

const pad = (value: number, digits = 2) => String(value).padStart(digits, '0')
const clock = (ms: number) =>
  `${pad(Math.floor(ms / 3_600_000))}:${pad(Math.floor(ms / 60_000) % 60)}:${pad(Math.floor(ms / 1000) % 60)}.${pad(ms % 1000, 3)}`

const line = fc.stringMatching(/^[A-Za-zäöüß今日はд?!.,' -]{1,40}$/).filter((text) => text.trim() !== '')
const cue = fc.record({
  startMs: fc.nat(36_000_000),
  lengthMs: fc.integer({ min: 1, max: 20_000 }),
  lines: fc.array(line, { minLength: 1, maxLength: 3 }),
  identifier: fc.option(fc.stringMatching(/^[a-z]{1,8}$/)),
  settings: fc.constantFrom('', ' align:start', ' line:0% position:10%'),
})

test('any well-formed file gives the same times and text as node-webvtt', () => {
  fc.assert(
    fc.property(fc.array(cue, { maxLength: 20 }), fc.constantFrom('\n', '\r\n', '\r'), (cues, newline) => {
      const blocks = cues.map(({ startMs, lengthMs, lines, identifier, settings }) =>
        [
          ...(identifier === null ? [] : [identifier]),
          `${clock(startMs)} --> ${clock(startMs + lengthMs)}${settings}`,
          ...lines,
        ].join(newline),
      )
      const file = ['WEBVTT', 'NOTE a comment', ...blocks].join(newline + newline)
      const reference = webvtt.parse(file, { meta: true, strict: false })
      expect(reference.errors).toEqual([])
      const trimmed = ({ start, end, text }: { start: number; end: number; text: string }) => [
        Math.round(start * 1000),
        Math.round(end * 1000),
        text.trimEnd(),
      ]
      expect(Array.from(vttCues(file), trimmed)).toEqual(reference.cues.map(trimmed))
    }),
  )
})

test('any time is parsed to the millisecond', () => {
  fc.assert(
    fc.property(fc.nat(2e9), (ms) => {
      expect(Math.round((parseTime(clock(ms)) ?? Number.NaN) * 1000)).toBe(ms)
    }),
  )
})

test('no input makes the parser throw or yield a cue that ends before it starts', () => {
  const fragment = fc.constantFrom(
    ...['WEBVTT', '\n', '\n\n', '00:01.000', ' --> ', '00:02.000', '<v A>', '<', '&lt;', '1', 'NOTE', 'x'],
  )
  fc.assert(
    fc.property(fc.array(fc.oneof(fragment, fc.string())), (pieces) => {
      for (const { start, end, text } of vttCues(pieces.join(''))) {
        expect(end).toBeGreaterThan(start)
        expect(text.trim()).not.toBe('')
      }
    }),
  )
})
