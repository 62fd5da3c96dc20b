import { expect, test } from 'vitest'
import { type Document, Follower } from '../../../../rules/domain/watches/follower.ts'
import { runs } from '../../../../support/runs.ts'
import { type Chances, type Edit, LivingList, type Nature, type TrueEntry } from './living-list.ts'
import { type Poll, Reference } from './reference.ts'

/**
 * Histories of polls of lists that live. A history that breaks a rule is named by its seed:
 * `WATCH_SEED=4711 npm test -- test/further/rules/domain/watches/histories.test.ts` runs it alone.
 */
const only = process.env.WATCH_SEED
const seeds = (count: number): number[] =>
  only === undefined ? Array.from({ length: runs(count).numRuns }, (_, index) => index + 1) : [Number(only)]

const MOST_POLLS = 5

const window = ({ is, upTo }: Chances): number => (is(0.4) ? 1_000 : 2 + upTo(4))

const anyNature = (chances: Chances): Nature => {
  const { is, oneOf } = chances
  const all: Edit[] = ['title', 'date', 'url', 'guid', 'https', 'removal', 'return', 'doubling', 'rewriting']
  return {
    guids: oneOf(['own', 'none', 'one for all', 'from a few']),
    dates: oneOf(['all', 'none', 'some']),
    urls: oneOf(['own', 'query', 'latest']),
    titles: oneOf(['own', 'one for all', 'none']),
    ...{ isOfPlatform: is(0.2), hasTokens: is(0.3), order: oneOf(['newest first', 'appended']) },
    ...{ source: oneOf(['feed', 'page']), window: window(chances), edits: all.filter(() => is(0.3)) },
  }
}

/** Its items can be told apart, and known again, by the contract: nothing may be lost, or taken twice. */
const tameNature = (chances: Chances): Nature => {
  const { is, oneOf } = chances
  const isOfPlatform = is(0.3)
  const guids: Nature['guids'] = isOfPlatform ? oneOf(['own', 'none']) : oneOf(['own', 'own', 'none'])
  const dates: Nature['dates'] = oneOf(['all', 'none', 'some'])
  // All dates are different. What has none is known by its URL or title.
  const isKnownByDate = isOfPlatform || dates === 'all'
  const urls: Nature['urls'] = isKnownByDate ? oneOf(['own', 'query', 'latest']) : oneOf(['own', 'query'])
  const titles: Nature['titles'] = isKnownByDate ? oneOf(['own', 'one for all', 'none']) : 'own'
  const isFree = isOfPlatform || guids === 'own'
  const edits: Edit[] = ['https', 'removal', 'return']
  if (isFree) edits.push('title', 'date', 'url')
  if (isOfPlatform) edits.push('guid', 'doubling', 'rewriting')
  // Without a guid, what is repeated has one date, URL and title.
  if (guids === 'none') edits.push('doubling')
  const isAppended = is(0.3)
  return {
    ...{ guids, dates, urls, titles, isOfPlatform, hasTokens: is(0.3), edits: edits.filter(() => is(0.5)) },
    ...{ order: isAppended ? 'appended' : 'newest first', source: isOfPlatform ? 'feed' : oneOf(['feed', 'page']) },
    window: isAppended ? 1_000 : window(chances),
  }
}

interface Polled {
  number: number
  poll: Poll
  taken: TrueEntry[]
  marked: TrueEntry[]
  expected: ReturnType<Reference['read']>
}

/** Polls of one list, with what was taken, and what the reference expects. */
const follow = (seed: number, natureOf: (chances: Chances) => Nature) => {
  const list = new LivingList(seed, natureOf)
  const { is, upTo, oneOf } = list.chances
  const now = list.now
  const settings = { since: is(0.7) ? now : now - upTo(8) * 3_600_000, first: oneOf([0, 0, 0, 1, 3]) }
  const follower = new Follower<TrueEntry>(settings)
  const reference = new Reference(settings)
  const polls: Polled[] = []
  for (let number = 0; number <= 1 + upTo(MOST_POLLS - 1); number++) {
    if (number > 0) list.pass()
    const feed = pollOf(list)
    const isNews = number > 0 && feed.entries.length > 0 && !feed.isWhole
    const isFamiliar = [follower.knowsSomeOf(documentOf(feed)), reference.knowsSomeOf(feed)]
    expect(isFamiliar[0]).toBe(isFamiliar[1])
    const poll =
      isNews && list.nature.isOfPlatform && !isFamiliar[0] ? { ...feed, entries: list.merged(), isWhole: true } : feed
    polls.push({ number, poll, ...follower.read(documentOf(poll)), expected: reference.read(poll) })
  }
  return { list, settings, polls }
}

const pollOf = (list: LivingList): Poll => {
  const { source, window, isOfPlatform } = list.nature
  const isFeedOfPlatform = isOfPlatform && window < 1_000
  // A feed has no other end than the one it shows. Only a page says that it has more.
  const isWhole = !isFeedOfPlatform && (source === 'feed' || window === 1_000)
  return { entries: list.entries(), source, isWhole }
}

const documentOf = ({ entries, source, isWhole }: Poll): Document<TrueEntry> => ({
  entries: [...entries],
  source,
  isWhole,
})

const numbersOf = (entries: readonly TrueEntry[]): number[] => entries.map(({ item }) => item).sort((a, b) => a - b)

const broken = (seed: number, rules: readonly (string | false)[]): string[] =>
  rules.flatMap((rule) => (rule === false ? [] : [`seed ${seed}: ${rule}`]))

/** Whatever a list does: what is taken, and what is marked, is what the contract says. */
const comparedWithReference = (seed: number): string[] =>
  follow(seed, anyNature).polls.flatMap(({ number, taken, marked, expected }) =>
    broken(seed, [
      `${numbersOf(taken)}` !== `${[...expected.taken].sort((a, b) => a - b)}` &&
        `poll ${number} took ${numbersOf(taken)}, not ${[...expected.taken]}`,
      `${numbersOf(marked)}` !== `${[...expected.marked].sort((a, b) => a - b)}` &&
        `poll ${number} marked ${numbersOf(marked)}, not ${[...expected.marked]}`,
    ]),
  )

/** Of a list whose items can be told apart: none is lost, none comes twice, nothing old is taken. */
const comparedWithTruth = (seed: number): string[] => {
  const { list, settings, polls } = follow(seed, tameNature)
  const before = new Set<number>()
  return polls.flatMap(({ number, poll, taken }) => {
    const seenBefore = new Set(before)
    for (const { item } of poll.entries) before.add(item)
    const takenNow = numbersOf(taken)
    const lowest = poll.entries.findLastIndex(({ item }) => seenBefore.has(item))
    const mayBeMissed = ({ publishedAt }: TrueEntry, index: number) =>
      publishedAt === null
        ? (poll.source === 'feed' || !poll.isWhole) && index > lowest && lowest >= 0
        : publishedAt < settings.since
    const lost = poll.entries.filter(
      (entry, index) =>
        number > 0 &&
        isYoung(list, entry) &&
        !seenBefore.has(entry.item) &&
        !takenNow.includes(entry.item) &&
        !mayBeMissed(entry, index),
    )
    const old = taken.filter(
      (entry) =>
        number > 0 &&
        isOld(list, entry) &&
        (entry.publishedAt === null ? lowest >= 0 : entry.publishedAt < settings.since),
    )
    return broken(seed, [
      takenNow.some((item) => seenBefore.has(item)) &&
        `poll ${number} took ${takenNow.filter((item) => seenBefore.has(item))} although they were known`,
      new Set(takenNow).size !== takenNow.length && `poll ${number} took ${takenNow}`,
      lost.length > 0 && `poll ${number} lost ${numbersOf(lost)}`,
      old.length > 0 && `poll ${number} took ${numbersOf(old)}, which are old`,
    ])
  })
}

/** It appeared after the first read. */
const isYoung = ({ items }: LivingList, { item }: TrueEntry): boolean => (items[item]?.bornBefore ?? 0) > 0

/** It was there all the time. */
const isOld = (list: LivingList, entry: TrueEntry): boolean =>
  !isYoung(list, entry) && list.items[entry.item]?.hasReturned === false

/** The first few, and how many there are. */
const told = (found: string[]): unknown => ({ broken: found.length, first: found.slice(0, 5) })

test('in 50,000 histories of any lists, what is taken and what is marked follows from the rules', {
  timeout: 600_000,
}, () => {
  expect(told(seeds(50_000).flatMap(comparedWithReference))).toEqual({ broken: 0, first: [] })
})

test('in 50,000 histories of lists whose items can be told apart, none is lost, none comes twice, and nothing old is taken', {
  timeout: 600_000,
}, () => {
  expect(told(seeds(50_000).flatMap(comparedWithTruth))).toEqual({ broken: 0, first: [] })
})
