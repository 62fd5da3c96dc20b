import { expect, test } from 'vitest'
import { ifNoneMatchMatches, ifRangeMatches, parseRange } from '../../../../worker/media/range.ts'

const all = { kind: 'all' }
const unsatisfiable = { kind: 'unsatisfiable' }
const part = (offset: number, length: number) => ({ kind: 'part', offset, length })

/** RFC 9110, section 14.1.2, with its own examples for 10,000 bytes. */
test.each([
  ['bytes=0-499', part(0, 500)],
  ['bytes=500-999', part(500, 500)],
  ['bytes=-500', part(9_500, 500)],
  ['bytes=9500-', part(9_500, 500)],
  ['bytes=0-', part(0, 10_000)],
  ['bytes=0-0', part(0, 1)],
  ['bytes=-1', part(9_999, 1)],
  ['bytes=9999-', part(9_999, 1)],
  ['bytes=0-10000', part(0, 10_000)],
  ['bytes=9999-99999', part(9_999, 1)],
  ['bytes=0-99999999999999999999999', part(0, 10_000)],
  ['bytes=-20000', part(0, 10_000)],
  ['bytes=-99999999999999999999999', part(0, 10_000)],
  ['Bytes=0-0', part(0, 1)],
  ['bytes= 0-0', part(0, 1)],
  ['bytes=10000-', unsatisfiable],
  ['bytes=10000-20000', unsatisfiable],
  ['bytes=99999999999999999999999-', unsatisfiable],
  ['bytes=-0', unsatisfiable],
  ['bytes=500-499', all],
  ['bytes=0-0,-1', all],
  ['bytes=-', all],
  ['bytes=', all],
  ['bytes', all],
  ['bytes 0-499', all],
  ['bytes=0x0-0x1', all],
  ['bytes=1.5-2', all],
  ['bytes=--1', all],
  ['bytes=1 0-20', all],
  ['seconds=0-499', all],
  ['', all],
  [null, all],
])('for 10,000 bytes, %s is %o', (header, range) => expect(parseRange(header, 10_000)).toEqual(range))

test.each([
  ['bytes=0-', unsatisfiable],
  ['bytes=-1', unsatisfiable],
  [null, all],
])('for an empty file, %s is %o', (header, range) => expect(parseRange(header, 0)).toEqual(range))

test.each([
  [null, true],
  ['"a"', true],
  ['W/"a"', false],
  ['"b"', false],
  ['Sat, 21 Nov 2026 07:00:00 GMT', false],
])('If-Range %s matches "a": %s', (header, matches) => expect(ifRangeMatches(header, '"a"')).toBe(matches))

test.each([
  [null, false],
  ['"a"', true],
  ['W/"a"', true],
  ['"b", "a"', true],
  ['"b" , W/"a"', true],
  ['*', true],
  ['"b"', false],
  ['a', false],
  ['', false],
])('If-None-Match %s matches "a": %s', (header, matches) => expect(ifNoneMatchMatches(header, '"a"')).toBe(matches))
