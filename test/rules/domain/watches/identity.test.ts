import { expect, test } from 'vitest'
import { type Entry, identitiesOf, isGuid, isStrong } from '../../../../domain/watches/identity.ts'

const at = Date.UTC(2026, 10, 22)

const entry = (facts: Partial<Entry> = {}): Entry => ({
  ...{ url: 'https://pod.example/1.mp3', title: 'One', publishedAt: at, guid: 'guid-1', platformId: null },
  ...facts,
})

const undated = (facts: Partial<Entry> = {}): Entry => entry({ guid: null, publishedAt: null, ...facts })

test.each<[string, Entry, string[]]>([
  ['a dated entry', entry(), ['g:guid-1', `d://pod.example/1.mp3\nOne\n${at}`]],
  ['one without a guid', entry({ guid: null }), [`d://pod.example/1.mp3\nOne\n${at}`]],
  ['one with an empty guid', entry({ guid: '' }), [`d://pod.example/1.mp3\nOne\n${at}`]],
  ['one without a title', entry({ guid: null, title: null }), [`d://pod.example/1.mp3\n\n${at}`]],
  ['one of 1970', entry({ guid: null, publishedAt: 0 }), ['d://pod.example/1.mp3\nOne\n0']],
  ['an undated entry', undated(), ['u://pod.example/1.mp3', 't://pod.example/1.mp3\nOne']],
  [
    'an undated one with a guid',
    undated({ guid: 'g' }),
    ['g:g', 'u://pod.example/1.mp3', 't://pod.example/1.mp3\nOne'],
  ],
  ['an undated one without a title', undated({ title: null }), ['u://pod.example/1.mp3']],
  [
    'an undated one whose URL has a query and a fragment',
    undated({ url: 'https://pod.example/1.mp3?token=a#t=5' }),
    ['u://pod.example/1.mp3?token=a#t=5', 't://pod.example/1.mp3\nOne'],
  ],
  ['one of a platform', entry({ platformId: 'youtube:x', guid: 'yt:video:x' }), ['p:youtube:x', 'g:yt:video:x']],
  ['one of a platform, from its page', undated({ platformId: 'youtube:x' }), ['p:youtube:x']],
])('%s is known by these', (_, given, identities) => expect(identitiesOf(given)).toEqual(identities))

const isKnownBy = (one: Entry, other: Entry): boolean =>
  identitiesOf(one).some((identity) => identitiesOf(other).includes(identity))

test.each<[string, Entry, Entry]>([
  ['another enclosure', entry(), entry({ url: 'https://cdn.example/1-remastered.mp3' })],
  ['another title', entry(), entry({ title: 'One, corrected' })],
  ['another date', entry(), entry({ publishedAt: at + 60_000 })],
  ['no date any more', entry(), entry({ publishedAt: null })],
  ['another guid', entry(), entry({ guid: 'other' })],
  [
    'https instead of http in its guid',
    entry({ guid: 'http://pod.example/?p=1' }),
    entry({ guid: 'https://pod.example/?p=1', url: 'https://a.example/' }),
  ],
  [
    'HTTPS in capitals',
    entry({ guid: 'HTTP://pod.example/?p=1' }),
    entry({ guid: 'https://pod.example/?p=1', url: 'https://a.example/' }),
  ],
  ['spaces around its guid', entry({ guid: ' guid-1\n' }), entry({ url: 'https://a.example/' })],
  [
    'https instead of http in its URL',
    undated({ url: 'http://pod.example/1.mp3', title: null }),
    undated({ title: null }),
  ],
  ['a token in its URL', entry({ guid: null }), entry({ guid: null, url: 'https://pod.example/1.mp3?token=abc' })],
  [
    'another token, and no date',
    undated({ url: 'https://a.example/1.mp3?t=1' }),
    undated({ url: 'https://a.example/1.mp3?t=2' }),
  ],
  ['another title, and no date', undated(), undated({ title: 'Other' })],
  [
    'the page of its platform',
    entry({ platformId: 'vimeo:1' }),
    undated({ platformId: 'vimeo:1', url: 'https://x.example/' }),
  ],
])('an entry with %s is known', (_, one, other) =>
  expect([isKnownBy(one, other), isKnownBy(other, one)]).toEqual([true, true]),
)

test.each<[string, Entry, Entry]>([
  ['another day, with one URL and title', entry({ guid: null }), entry({ guid: null, publishedAt: at + 86_400_000 })],
  ['another title, with one URL and date', entry({ guid: null }), entry({ guid: null, title: 'Two' })],
  [
    'another URL, with one title and date',
    entry({ guid: null }),
    entry({ guid: null, url: 'https://pod.example/2.mp3' }),
  ],
  [
    'another query, without a title or a date',
    undated({ url: 'https://a.example/?v=1', title: null }),
    undated({ url: 'https://a.example/?v=2', title: null }),
  ],
  [
    'another video of a platform with one path',
    entry({ platformId: 'youtube:a', guid: null, url: 'https://youtube.com/watch?v=a' }),
    entry({ platformId: 'youtube:b', guid: null, url: 'https://youtube.com/watch?v=b' }),
  ],
  ['another guid, URL and title', entry(), entry({ guid: 'guid-2', url: 'https://pod.example/2.mp3', title: 'Two' })],
  [
    'a guid that only ends as this one',
    entry({ guid: 'tag:http:1', url: 'https://a.example/1' }),
    entry({ guid: 'tag:1' }),
  ],
])('an entry with %s is another', (_, one, other) =>
  expect([isKnownBy(one, other), isKnownBy(other, one)]).toEqual([false, false]),
)

test.each([
  ['p:youtube:x', true, false],
  ['g:guid', true, true],
  ['d:x', false, false],
  ['u:x', false, false],
  ['t:x', false, false],
])('of %s it is %s that it alone tells entries apart, and %s that it is a guid', (identity, strong, guid) => {
  expect([isStrong(identity), isGuid(identity)]).toEqual([strong, guid])
})
