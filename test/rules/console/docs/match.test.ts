import { expect, test } from 'vitest'
import { bestMatches, type Entry } from '../../../../console/assets/docs/match.js'

const entry = (kind: Entry['kind'], title: string, place = '', text = ''): Entry => ({
  kind,
  title,
  place,
  text,
  href: '',
})

const entries = [
  entry('site', 'audio'),
  entry('site', 'audiomack:audio'),
  entry('field', 'audioFormat'),
  entry('guide', 'Costs', 'Audio'),
  entry('guide', 'Files', 'Guides', 'sound and audio'),
  entry('guide', 'Get audio only', 'Recipes'),
]

test.each([
  // Words of the documentation come before the names of sites, but for a site that has this name.
  ['AUDIO', ['audio', 'Get audio only', 'audioFormat', 'Costs', 'audiomack:audio', 'Files']],
  ['audiomack:audio', ['audiomack:audio']],
  ['sound audio', ['Files']],
  ['audio xyzzy', []],
  [' ', []],
])('a search for "%s" finds %j', (query, titles) => {
  expect(bestMatches(entries, query).map(({ title }) => title)).toEqual(titles)
})
