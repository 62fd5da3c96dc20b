import { describe, expect, test } from 'vitest'
import {
  type FleetExtractors,
  isExtractorVersion,
  knownSites,
  versionsIn,
  versionToShow,
} from '../../../domain/sites.ts'

const version = '2026.10.26'
const named = (...names: string[]) => names.map((name) => ({ name, isBroken: false }))

describe('the names of sites', () => {
  test('are sorted, and the broken ones are a list of their own', () => {
    const sites = [...named('youtube', 'ABC', '9now.com.au'), { name: 'abc:broken', isBroken: true }]
    expect(knownSites({ version, sites })).toEqual({
      version,
      working: ['9now.com.au', 'ABC', 'youtube'],
      broken: ['abc:broken'],
    })
  })

  test.each(['3sat', 'youtube:playlist', 'southpark.cc.com:español', 'Bilibili category extractor', 'x'.repeat(60)])(
    '%s is shown',
    (name) => {
      expect(knownSites({ version, sites: named(name) })?.working).toEqual([name])
    },
  )

  test.each([
    '',
    ' youtube',
    '<img src=x onerror=alert(1)>',
    '[youtube](https://evil.example)',
    'line\nbreak',
    'you\u202etube',
    'you\u200btube',
    'уoutube',
    'a|b',
    'a`b',
    'a*b',
    'https://evil.example/',
    'x'.repeat(61),
  ])('%j is left out', (name) => {
    expect(knownSites({ version, sites: named(name, 'youtube') })?.working).toEqual(['youtube'])
  })

  test('are 5,000 at most, each once', () => {
    const sites = named(...Array.from({ length: 9_000 }, (_, index) => `site-${index % 6_000}`))
    expect(knownSites({ version, sites })?.working).toHaveLength(5_000)
    expect(knownSites({ version, sites: named('a', 'a') })?.working).toEqual(['a'])
  })

  test('are not shown if there is none, or if the version is not one', () => {
    expect(knownSites({ version, sites: [] })).toBeNull()
    expect(knownSites({ version: '<b>1</b>', sites: named('youtube') })).toBeNull()
  })
})

test.each([
  ['2026.10.26', true],
  ['2026.10.26.232610.dev0', true],
  ['2026.10.26+local', true],
  ['', false],
  ['v1', false],
  ['1 2', false],
  ['1"', false],
  ['1'.repeat(41), false],
])('%j is a version: %s', (text, isVersion) => {
  expect(isExtractorVersion(text)).toBe(isVersion)
})

const fleet = (engines: Record<string, number>, lists: Record<string, number> = {}): FleetExtractors => ({
  engines: Object.entries(engines).map(([of, count]) => ({ version: of, count })),
  lists: Object.entries(lists).map(([of, usedSince]) => ({ version: of, usedSince })),
})

test('the versions of all fleets are listed once, newest first', () => {
  const fleets = [fleet({ '2026.9.30': 1, '2026.10.26': 3 }), fleet({ '2026.10.26': 1 }), fleet({})]
  expect(versionsIn(fleets)).toEqual(['2026.10.26', '2026.9.30'])
})

test.each([
  ['the version that most engines of all fleets use', [fleet({ b: 2, a: 1 }, { a: 2, b: 1 }), fleet({ a: 2 })], 'a'],
  ['without engines, the version that was used last', [fleet({}, { a: 1 }), fleet({}, { b: 2 })], 'b'],
  ['of equally many engines, the version that came last', [fleet({ a: 1, b: 1 }, { a: 1, b: 2 })], 'b'],
  ['a version whose sites are known, although more engines use another', [fleet({ a: 9, b: 1 }, { b: 1 })], 'b'],
  ['none, where no sites are known', [fleet({ a: 9 })], null],
])('the list of sites is that of %s', (_, fleets, expected) => {
  expect(versionToShow(fleets)).toBe(expected)
})
