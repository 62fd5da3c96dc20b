import { expect, test } from 'vitest'
import { type Cursor, cursorAt, readCursor } from '../../../../../../worker/http/mcp/transcript/page.ts'

test.each<Cursor>([
  { segment: 12, character: 0, endSeconds: null },
  { segment: 0, character: 9_000, endSeconds: 62.4 },
  { part: 3, query: 'Málaga 深度', needed: 2 },
])('a cursor keeps the place %j', (place) => {
  const cursor = cursorAt(place)
  expect(cursor).toMatch(/^[\w-]+$/)
  expect(readCursor(cursor)).toEqual(place)
})

const encoded = (value: unknown) => btoa(JSON.stringify(value)).replaceAll('=', '')

test.each([
  '',
  'x',
  '!',
  'trn_01',
  encoded({}),
  encoded(null),
  encoded({ segment: -1, character: 0, endSeconds: null }),
])('what is no cursor has no place: %j', (cursor) => {
  expect(readCursor(cursor)).toBeNull()
})
