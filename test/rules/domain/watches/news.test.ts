import { expect, test } from 'vitest'
import type { Entry } from '../../../../domain/watches/identity.ts'
import { type Document, Follower } from './follower.ts'

const DAY = 86_400_000
const begin = Date.UTC(2026, 10, 22)

/** An episode of a podcast: the higher its number, the newer it is. */
const episode = (number: number, facts: Partial<Entry> = {}): Entry => ({
  url: `https://pod.example/${number}.mp3`,
  title: `Episode ${number}`,
  publishedAt: begin + number * DAY,
  guid: `guid-${number}`,
  platformId: null,
  ...facts,
})
const undated = (number: number, facts: Partial<Entry> = {}) =>
  episode(number, { publishedAt: null, guid: null, ...facts })
const video = (number: number, facts: Partial<Entry> = {}) =>
  episode(number, { platformId: `youtube:${number}`, url: `https://youtube.com/watch?v=${number}`, ...facts })
/** As a page lists it. */
const listed = (number: number) => video(number, { guid: null, publishedAt: null })

/** From the newest to the oldest. */
const numbers = (newest: number, oldest: number): number[] =>
  Array.from({ length: newest - oldest + 1 }, (_, index) => newest - index)

const titles = (entries: Entry[]) => entries.map(({ title }) => title)
const titlesOf = (...episodes: number[]) => episodes.map((number) => `Episode ${number}`)

/** What the last of these documents has brought. */
const after = (documents: (Entry[] | Document<Entry>)[], settings = { since: begin + 3.5 * DAY }) => {
  const follower = new Follower<Entry>(settings)
  const news = documents.map((document) => follower.read(Array.isArray(document) ? { entries: document } : document))
  const { taken = [], marked = [], asked = 0 } = news.at(-1) ?? {}
  return { taken: titles(taken), marked: titles(marked), asked }
}

const first = numbers(3, 1).map((number) => episode(number))
const changed = (facts: (number: number) => Partial<Entry>) =>
  numbers(3, 1).map((number) => episode(number, facts(number)))

test('the first read marks what is there', () => {
  expect(after([first])).toEqual({ taken: [], marked: titlesOf(3, 2, 1), asked: 0 })
})

test('the first read of undated entries marks them, whatever `since` is', () => {
  expect(after([numbers(3, 1).map((number) => undated(number))], { since: 0 }).taken).toEqual([])
})

test('what is dated after `since` is new even in the first read, oldest first', () => {
  expect(after([first], { since: begin + 2 * DAY })).toEqual({ taken: titlesOf(2, 3), marked: titlesOf(1), asked: 0 })
})

test.each([
  [1, titlesOf(3)],
  [2, titlesOf(2, 3)],
  [9, titlesOf(1, 2, 3)],
])('the first read takes %i of the newest if it is asked to', (count, taken) => {
  const settings = { since: begin + 9 * DAY, first: count }
  expect(after([first], settings)).toMatchObject({ taken, asked: taken.length })
  expect(after([first.toReversed()], settings)).toMatchObject({ taken, asked: taken.length })
  expect(after([numbers(3, 1).map((number) => undated(number))], settings)).toMatchObject({ taken })
})

test('what `first` asks for is counted apart from what `since` does', () => {
  expect(after([first], { since: begin + 2 * DAY, first: 1 } as never)).toMatchObject({
    taken: titlesOf(2, 3),
    asked: 1,
  })
})

test('later reads take nothing because of `first`', () => {
  expect(after([first, [episode(0), ...first]], { since: begin + 9 * DAY, first: 5 } as never)).toMatchObject({
    taken: [],
    asked: 0,
  })
})

test('a list that was empty has marked nothing', () => {
  expect(after([[], [undated(2), undated(1)]]).taken).toEqual(titlesOf(1, 2))
})

test.each<[string, Entry[]]>([
  ['nothing has changed', first],
  ['the enclosures have moved (castget#67)', changed((number) => ({ url: `https://cdn.example/new/${number}` }))],
  [
    'each URL has another token, and each date is later',
    changed((number) => ({ url: `https://pod.example/${number}.mp3?token=b`, publishedAt: begin + 10 * DAY })),
  ],
  ['titles and dates were edited', changed((number) => ({ title: `Better ${number}`, publishedAt: begin + 10 * DAY }))],
  ['guids have changed', changed((number) => ({ guid: `new-${number}` }))],
  ['the order has changed', first.toReversed()],
  ['an entry is there twice', [...first, episode(1)]],
])('nothing is new when %s', (_, second) => expect(after([first, second])).toEqual({ taken: [], marked: [], asked: 0 }))

test('guids that move from http to https are known (FreshRSS#5151)', () => {
  const named = (scheme: string) =>
    changed((number) => ({
      guid: `${scheme}://pod.example/?p=${number}`,
      publishedAt: begin + number * DAY,
      url: `${scheme}://pod.example/${scheme}/${number}.mp3`,
    }))
  expect(after([named('http'), named('https')])).toMatchObject({ taken: [], marked: [] })
})

test('without guids, entries with a token in each URL are known, dated or not', () => {
  for (const make of [(number: number, facts: Partial<Entry>) => episode(number, { guid: null, ...facts }), undated]) {
    const withToken = (token: string, ...some: number[]) =>
      some.map((number) => make(number, { url: `https://pod.example/${number}.mp3?token=${token}-${number}` }))
    expect(after([withToken('a', 3, 2, 1), withToken('b', 4, 3, 2, 1)])).toMatchObject({
      taken: titlesOf(4),
      marked: [],
    })
  }
})

test('the same URL and title on another day is new', () => {
  const news = (day: number) => episode(day, { guid: null, url: 'https://radio.example/news.mp3', title: 'The news' })
  expect(after([[news(3)], [news(4)], [news(5), news(4)]])).toMatchObject({ taken: ['The news'] })
})

test('ten items with one guid are ten (miniflux#4197)', () => {
  const same = (...some: number[]) => some.map((number) => episode(number, { guid: 'podcast' }))
  expect(after([[], same(...numbers(13, 4))]).taken).toEqual(titlesOf(...numbers(13, 4).toReversed()))
  expect(after([same(3, 2, 1), same(4, 3, 2, 1)])).toMatchObject({ taken: titlesOf(4), marked: [] })
})

test('a guid that stood twice in a document tells nothing for good', () => {
  const same = (...some: number[]) => some.map((number) => episode(number, { guid: 'podcast' }))
  expect(after([same(3, 2), same(4), same(5)]).taken).toEqual(titlesOf(5))
})

test('a guid that has stood twice does not make an entry another beside one without a guid', () => {
  const podcast = (number: number) => episode(number, { guid: 'podcast' })
  expect(
    after([
      [podcast(3), podcast(2)],
      [episode(5, { guid: null }), podcast(5)],
    ]).taken,
  ).toEqual(titlesOf(5))
})

test('a guid that has stood for one episode is ambiguous from its first repetition on', () => {
  const same = (...some: number[]) => some.map((number) => episode(number, { guid: 'podcast' }))
  expect(after([same(3), same(5, 4, 3)]).taken).toEqual(titlesOf(4, 5))
})

test('a guid that is used again for another episode is missed, by choice', () => {
  expect(after([[episode(3)], [episode(4, { guid: 'guid-3' })]])).toMatchObject({ taken: [], marked: [] })
})

test('an episode whose guid, URL and date are edited at once is taken again, by choice', () => {
  const edited = episode(3, { guid: 'x', url: 'https://a.example/', publishedAt: begin + 5 * DAY })
  expect(after([first, [edited, episode(2), episode(1)]]).taken).toEqual(['Episode 3'])
})

test('two episodes of one document that are both called latest.mp3 are two', () => {
  const latest = (number: number) =>
    episode(number, { url: 'https://pod.example/latest.mp3', title: 'Latest', publishedAt: begin + 4 * DAY })
  const undatedLatest = (number: number) => ({ ...latest(number), publishedAt: null })
  expect(after([[], [latest(5), latest(4)]]).taken).toHaveLength(2)
  expect(after([[], [undatedLatest(5), undatedLatest(4)]]).taken).toHaveLength(2)
  expect(after([[], [latest(5), latest(4)], [latest(5), latest(4)]])).toMatchObject({ taken: [], marked: [] })
})

test('an episode that a document repeats without a guid of its own is one', () => {
  const repeated = (facts: Partial<Entry>) => [episode(5, facts), episode(5, facts)]
  expect(after([[], repeated({ guid: null })]).taken).toHaveLength(1)
  expect(after([[], repeated({})]).taken).toHaveLength(1)
  expect(after([[], repeated({ guid: null, publishedAt: null })]).taken).toHaveLength(1)
  expect(after([[], repeated({ platformId: 'youtube:5' })]).taken).toHaveLength(1)
})

const feed = (...some: number[]): Document<Entry> => ({
  entries: some.map((number) => undated(number)),
  source: 'feed',
})

test('when an entry is removed and the 16th appears, it is marked (subarr#8)', () => {
  expect(after([feed(...numbers(15, 1)), feed(...numbers(15, 2), 0)])).toMatchObject({ taken: [], marked: titlesOf(0) })
  const dated = (...some: number[]) => some.map((number) => episode(number))
  expect(after([dated(3, 2, 1), dated(3, 2, 0)])).toMatchObject({ taken: [], marked: titlesOf(0) })
})

test('undated entries above the last known one are new, and those below it are not', () => {
  expect(after([feed(5, 4, 3, 1, 0), feed(7, 5, 6, 4, 2)])).toMatchObject({
    taken: titlesOf(6, 7),
    marked: titlesOf(2),
  })
})

test.each(['feed', 'page'] as const)('a %s that grows at its end has brought news (tubearchivist#518)', (source) => {
  const list = (...some: number[]) => ({ ...feed(...some), source })
  expect(after([list(1, 2, 3), list(1, 2, 3, 4, 5)]).taken).toEqual(titlesOf(5, 4))
})

test('a page that lost an entry and was appended has news, and a feed shows a part of more', () => {
  expect(
    after([
      { ...feed(1, 2, 3), source: 'page' },
      { ...feed(1, 3, 4), source: 'page' },
    ]).taken,
  ).toEqual(titlesOf(4))
  expect(after([feed(1, 2, 3), feed(1, 3, 4)])).toMatchObject({ taken: [], marked: titlesOf(4) })
})

test.each([
  ['this time', true, false],
  ['the time before', false, true],
])('what is unknown at the end of a list that was not read to its end %s is marked', (_, wasWhole, isWhole) => {
  const list = (isWhole: boolean, ...some: number[]): Document<Entry> => ({ ...feed(...some), source: 'page', isWhole })
  expect(after([list(wasWhole, 9, 8), list(isWhole, 9, 8, 7)])).toMatchObject({ taken: [], marked: titlesOf(7) })
})

test('20 uploads between two polls are 20 (FreshRSS#6510)', () => {
  expect(after([first, numbers(23, 1).map((number) => episode(number))]).taken).toEqual(
    titlesOf(...numbers(23, 4).toReversed()),
  )
})

test('a feed of a platform that shows nothing known is recognized by that, and its page brings all of them', () => {
  const follower = new Follower<Entry>({ since: begin + 15.5 * DAY })
  const newest = (newest: number): Document<Entry> => ({
    entries: numbers(newest, newest - 14).map((number) => video(number)),
    isWhole: false,
  })
  follower.read(newest(15))
  expect(follower.knowsSomeOf(newest(29))).toBe(true)
  expect(follower.knowsSomeOf(newest(35))).toBe(false)
  const page = {
    entries: [...numbers(35, 21).map((number) => video(number)), ...numbers(20, -20).map(listed)],
    isWhole: true,
  }
  const { taken, marked } = follower.read(page)
  expect(titles(taken)).toEqual(titlesOf(...numbers(35, 16).toReversed()))
  expect(titles(marked)).toEqual(titlesOf(...numbers(0, -20)))
})

test('a premiere is the film that it becomes', () => {
  expect(
    after([[], [video(4, { title: 'Premieres soon' })], [video(4, { publishedAt: begin + 9 * DAY })]]),
  ).toMatchObject({ taken: [], marked: [] })
})

test('a feed whose guids and dates are all rewritten is all new (liferea#1195)', () => {
  const archive = numbers(300, 1).map((number) => episode(number, { publishedAt: begin - number * DAY }))
  const rewritten = archive.map((entry, index) => ({
    ...entry,
    guid: `new-${index}`,
    publishedAt: begin + 9 * DAY + index,
  }))
  expect(after([archive, rewritten]).taken).toHaveLength(300)
})

test('taken entries are in the order of their dates, or of the list if one has none', () => {
  expect(after([[], [episode(5), episode(7), episode(6)]]).taken).toEqual(titlesOf(5, 6, 7))
  expect(after([[], [episode(5), undated(7), episode(6)]]).taken).toEqual(titlesOf(6, 7, 5))
})
