import { afterEach, describe, expect, test } from 'vitest'
import { dateOf } from '../../../../container/source/follow/feed-date.ts'

const zone = process.env.TZ
afterEach(() => {
  if (zone === undefined) delete process.env.TZ
  else process.env.TZ = zone
})

const iso = (text: string): string | null => {
  const at = dateOf(text)
  return at === null ? null : new Date(at).toISOString()
}

test.each([
  ['Thu, 19 Nov 2026 08:30:00 GMT', '2026-11-19T08:30:00.000Z'],
  ['Thu, 19 Nov 2026 08:30:00 +0200', '2026-11-19T06:30:00.000Z'],
  ['Thu, 19 Nov 2026 08:30 -0530', '2026-11-19T14:00:00.000Z'],
  ['19 Nov 2026 08:30:00 Z', '2026-11-19T08:30:00.000Z'],
  ['Thurs, 19 Nov 2026 08:30:00 UT', '2026-11-19T08:30:00.000Z'],
  ['Donnerstag, 19 Nov 2026 08:30:00 CET', '2026-11-19T07:30:00.000Z'],
  ['Thu, 1 Jan 26 00:00:00 GMT', '2026-01-01T00:00:00.000Z'],
  ['Fri, 1 Jan 99 00:00:00 GMT', '1999-01-01T00:00:00.000Z'],
  ['Thu, 19 Nov 2026', '2026-11-19T00:00:00.000Z'],
  ['  \n Thu,   19  Nov 2026 8:30:00 EST\n', '2026-11-19T13:30:00.000Z'],
  ['Thu Nov 19 08:30:00 2026', '2026-11-19T08:30:00.000Z'],
  ['Thu Nov 19 08:30:00 EST 2026', '2026-11-19T13:30:00.000Z'],
  ['Thu Nov 19 2026 08:30:00 GMT+0100 (Central European Time)', '2026-11-19T07:30:00.000Z'],
  ['Thursday, November 19, 2026 - 3:09pm', '2026-11-19T15:09:00.000Z'],
  ['Nov. 19th, 2026, 12:05 a.m.', '2026-11-19T00:05:00.000Z'],
  ['19-Nov-2026 12:05 PM', '2026-11-19T12:05:00.000Z'],
  ['Nov. 2026', '2026-11-01T00:00:00.000Z'],
  ['2026-11-19T08:30:00Z', '2026-11-19T08:30:00.000Z'],
  ['2026-11-19T08:30:00.125+02:00', '2026-11-19T06:30:00.125Z'],
  ['2026-11-19 08:30:00', '2026-11-19T08:30:00.000Z'],
  ['2026-11-19T08:30', '2026-11-19T08:30:00.000Z'],
  ['2026-11-19', '2026-11-19T00:00:00.000Z'],
  ['2026/11/19 08:30:00 EDT', '2026-11-19T12:30:00.000Z'],
  ['20261119', '2026-11-19T00:00:00.000Z'],
  ['2026-11', '2026-11-01T00:00:00.000Z'],
  ['2026', '2026-01-01T00:00:00.000Z'],
  ['11/19/2026 4:20 pm', '2026-11-19T16:20:00.000Z'],
  ['19/11/2026', '2026-11-19T00:00:00.000Z'],
  ['19.11.26', '2026-11-19T00:00:00.000Z'],
  ['jeu., 19 déc. 2026 08:30:00 +0000', '2026-12-19T08:30:00.000Z'],
  ['Do, 19 Mär 2026 08:30:00 +0100', '2026-03-19T07:30:00.000Z'],
  ['1795077000', '2026-11-19T08:30:00.000Z'],
])('%s', (text, expected) => expect(iso(text)).toBe(expected))

describe('the time', () => {
  test.each([
    ['of 24 hours is the next midnight', 'Thu, 19 Nov 2026 24:00:00 GMT', '2026-11-20T00:00:00.000Z'],
    ['may have a leap second', 'Thu, 31 Dec 2026 23:59:60 GMT', '2027-01-01T00:00:00.000Z'],
    ['is in UTC if its zone has an unknown name', 'Thu, 19 Nov 2026 08:30:00 XYZ', '2026-11-19T08:30:00.000Z'],
    ['is in UTC if its zone is a place', 'Thu, 19 Nov 2026 08:30:00 Europe/Rome', '2026-11-19T08:30:00.000Z'],
    ['is in UTC if no place is so far from it', '2026-11-19T08:30:00-99:99', '2026-11-19T08:30:00.000Z'],
  ])('%s', (_, text, expected) => expect(iso(text)).toBe(expected))

  test.each(['Thu, 19 Nov 2026 08:30:00', '2026-11-19T08:30:00', '2026-11-19', 'Thu, 19 Nov 2026 08:30 XYZ'])(
    '%s is the same wherever this machine is',
    (text) => {
      const expected = iso(text)
      process.env.TZ = 'Asia/Tokyo'
      expect(new Date(2026, 0, 1).getTimezoneOffset()).toBe(-540)
      expect(iso(text)).toBe(expected)
    },
  )
})

test.each([
  '',
  'yesterday',
  'about an hour',
  '25:00',
  'Thu, 30 Feb 2026 08:30:00 GMT',
  'Thu, 99 Jun 2026 08:30:00 GMT',
  '2026-13-01',
  'Thu, 19 Nov 2026 25:00:00 GMT',
  'Thu, 19 Nov 2026 08:61:00 GMT',
  '0001-01-01T00:00:00Z',
  'Thu, 01 Jan 1970 00:00:00 GMT',
  `Thu, 19 Nov 2026 08:30:00 GMT${' '.repeat(100)}`,
  '1'.repeat(100),
])('%j is no date', (text) => expect(iso(text)).toBeNull())
