import { expect, test } from 'vitest'
import { CaptionsTooLarge } from '../../../container/speech/captions/cue.ts'
import { decode } from '../../../container/speech/captions/decode.ts'

const bytes = (...values: number[]) => Uint8Array.from(values)

test.each([
  ['UTF-8', new TextEncoder().encode('né €'), 'né €'],
  ['UTF-8 with its mark', bytes(0xef, 0xbb, 0xbf, 0x41), 'A'],
  ['UTF-16, little end first', bytes(0xff, 0xfe, 0x41, 0, 0xac, 0x20), 'A€'],
  ['UTF-16, big end first', bytes(0xfe, 0xff, 0, 0x41, 0x20, 0xac), 'A€'],
  ['what is no UTF-8 is what Windows wrote', bytes(0x6e, 0xe9, 0x20, 0x80, 0x92), 'né €’'],
  ['nothing', bytes(), ''],
])('%s is read', (_, encoded, text) => expect(decode(encoded)).toBe(text))

test('more than ten megabytes are refused', () => {
  expect(() => decode(new Uint8Array(10_000_001))).toThrow(CaptionsTooLarge)
  expect(decode(new Uint8Array(10_000_000).fill(0x61))).toHaveLength(10_000_000)
})
