import { expect, test } from 'vitest'
import { fromBase64, fromBase64Url, toBase64, toBase64Url, toHex, utf8 } from '../../../domain/encoding.ts'

test.each([
  ['', '', ''],
  ['f', '66', 'Zg=='],
  ['foobar', '666f6f626172', 'Zm9vYmFy'],
])('%j is %j in hex and %j in base64 (RFC 4648, section 10)', (text, hex, base64) => {
  expect(toHex(utf8(text))).toBe(hex)
  expect(toBase64(utf8(text))).toBe(base64)
  expect(fromBase64(base64)).toEqual(utf8(text))
})

test('base64url has no padding and none of the characters that URLs reserve', () => {
  const bytes = Uint8Array.of(0xfb, 0xff, 0xfe, 0x01)
  expect(toBase64Url(bytes)).toBe('-__-AQ')
  expect(fromBase64Url('-__-AQ')).toEqual(bytes)
  expect(fromBase64Url('not base64!')).toBeNull()
})

test('a megabyte is encoded without overflowing the stack', () => {
  const bytes = new Uint8Array(1_000_000).fill(7)
  expect(toBase64(bytes)).toBe(Buffer.from(bytes).toString('base64'))
})
