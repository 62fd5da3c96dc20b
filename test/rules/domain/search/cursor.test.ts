import { expect, test } from 'vitest'
import { cursorText, readCursor } from '../../../../domain/search/cursor.ts'

test.each([
  { id: 3_774_873_600_000_001 },
  { id: 7, ranking: { score: 1.234_567_890_123_456_7, lowest: 1, highest: 9, weights: [0.1, 2 / 3] } },
])('a cursor is read as it was written', (cursor) => {
  const text = cursorText(cursor)
  expect(text).toMatch(/^[\w-]+$/)
  expect(readCursor(text)).toEqual(cursor)
})

const encoded = (value: unknown): string => btoa(JSON.stringify(value)).replaceAll('=', '')

test.each([
  ['nothing', ''],
  ['no base64', '%%%'],
  ['no JSON', btoa('[1')],
  ['an empty list', encoded([])],
  ['another value', encoded({ id: 1 })],
  ['texts', encoded(['1'])],
  ['no numbers', encoded([null])],
  ['a part of a ranking', encoded([1, 2, 3])],
])('%s is no cursor', (_, text) => expect(readCursor(text)).toBeNull())
