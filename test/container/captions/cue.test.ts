import { expect, test } from 'vitest'
import { CaptionsTooLarge, decodeText } from '../../../container/captions/cue.ts'

const bytes = (...values: number[]) => Uint8Array.from(values)

test.each([
  ['UTF-8', new TextEncoder().encode('né €'), 'né €'],
  ['UTF-8 with a byte order mark', bytes(0xef, 0xbb, 0xbf, 0x41), 'A'],
  ['UTF-16, little endian', bytes(0xff, 0xfe, 0x41, 0, 0xac, 0x20), 'A€'],
  ['UTF-16, big endian', bytes(0xfe, 0xff, 0, 0x41, 0x20, 0xac), 'A€'],
  ['Windows-1252, if the bytes are not UTF-8', bytes(0x6e, 0xe9, 0x20, 0x80, 0x92), 'né €’'],
  ['an empty file', bytes(), ''],
])('decodes %s', (_, encoded, text) => expect(decodeText(encoded)).toBe(text))

test('files above ten megabytes are refused', () => {
  expect(() => decodeText(new Uint8Array(10_000_001))).toThrow(CaptionsTooLarge)
  expect(decodeText(new Uint8Array(10_000_000).fill(0x61))).toHaveLength(10_000_000)
})
