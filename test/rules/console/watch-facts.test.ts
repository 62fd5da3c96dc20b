import { expect, test } from 'vitest'
import type { Watch } from '../../../client/src/api-types.ts'
import {
  every,
  isWrong,
  madeOf,
  nextReadMs,
  reasonOf,
  soon,
  sourceOf,
  startedText,
  watchTitle,
} from '../../../console/assets/watches/watch-facts.js'

const watch: Watch = {
  ...{ watchId: 'wat_1', url: 'https://example.com/a/feed.xml?token=1', title: null, source: null },
  ...{ status: 'active', code: null, message: null, createdAt: '2026-11-01T00:00:00.000Z' },
  ...{ nextPollAt: null, lastPollAt: null, failures: 0, waiting: 0, spentThisMonthDollars: 0 },
  ...{ resetsAt: '2026-12-01T12:00:00.000Z', everyMinutes: 60, since: '2026-11-01T00:00:00.000Z', first: 0 },
  ...{ filter: {}, import: null, transcribe: null, maxCostDollarsPerMonth: null, maxNew: 25 },
  ...{ webhookUrl: null, metadata: {} },
}

test.each([
  ['A podcast', 'A podcast'],
  [null, 'example.com/a/feed.xml'],
  ['', 'example.com/a/feed.xml'],
])('a watch of %j is called "%s"', (title, name) => expect(watchTitle({ ...watch, title })).toBe(name))

test.each([
  [0, 'The watch takes only what is new from now on. What its list has already is marked.'],
  [
    1,
    'The watch takes the newest item at once, and what is new from now on. What else its list has already is marked.',
  ],
  [
    3,
    'The watch takes the 3 newest items at once, and what is new from now on. What else its list has already is marked.',
  ],
])('a watch that begins with %i items says so', (first, text) => expect(startedText(first)).toBe(text))

test.each([
  [{ import: null, transcribe: null }, 'only tells'],
  [{ import: null, transcribe: {} }, 'transcripts'],
  [{ import: {}, transcribe: null }, 'video'],
  [{ import: { includeVideo: false, transcribe: {} }, transcribe: null }, 'audio and transcripts'],
  [{ import: { includeAudio: false }, transcribe: null }, 'video without sound'],
])('of the items of a watch with %j it makes %s', (items, made) => expect(madeOf(items)).toBe(made))

test.each([
  [null, 'example.com'],
  ['feed' as const, 'feed of example.com'],
  ['page' as const, 'page of example.com'],
])('a source that is %j is a %s', (source, text) => expect(sourceOf({ ...watch, source })).toBe(text))

test.each([
  [15, 'every 15 minutes'],
  [60, 'every hour'],
  [90, 'every 90 minutes'],
  [360, 'every 6 hours'],
  [1_440, 'every day'],
  [10_080, 'every week'],
])('%i minutes are %s', (minutes, text) => expect(every(minutes)).toBe(text))

test.each([
  [0, 'in less than a minute'],
  [20.4, 'in 20 minutes'],
])('what comes in %d minutes comes %s', (minutes, text) =>
  expect(soon(new Date(Date.now() + minutes * 60_000 + 500).toISOString())).toBe(text),
)

const paused = (code: Watch['code'], message: string | null = null): Watch => ({
  ...watch,
  status: 'paused',
  code,
  message,
})

test.each<[string, Watch, string | null, boolean]>([
  ['is active', watch, null, false],
  ['was paused by its caller', paused(null), null, false],
  [
    'has failed once',
    { ...watch, code: 'SOURCE_UNREACHABLE', message: 'The source is unreachable.', failures: 1 },
    'The source is unreachable.',
    false,
  ],
  [
    'fails',
    { ...watch, status: 'failing', code: 'SOURCE_UNREACHABLE', message: 'The source is unreachable.' },
    'The source is unreachable.',
    true,
  ],
  [
    'has found too much',
    { ...paused('TOO_MANY_NEW', 'Send paused: false.'), waiting: 300 },
    '300 items are new at once, and more than 25 may be a mistake of the source. Take them, or leave them for good?',
    true,
  ],
  [
    'has spent its ceiling',
    paused('MAX_COST_EXCEEDED', 'Its maxCostDollarsPerMonth.'),
    'It has reached its maximum cost for this month. It goes on Dec 1, 2026.',
    true,
  ],
  [
    'has spent the budget of its key',
    paused('KEY_BUDGET_EXCEEDED', 'The budget does not cover it.'),
    'The budget does not cover it. It goes on Dec 1, 2026.',
    true,
  ],
  [
    'has lost its key',
    paused('KEY_REMOVED', 'Change the watch with another key.'),
    'The key that started the watch was removed. Resume it with the key of this console.',
    true,
  ],
  ['has lost its source', paused('SOURCE_GONE', 'It is gone.'), 'It is gone.', true],
])('a watch that %s says why, and whether somebody has to act', (_, given, reason, needsSomebody) => {
  expect(reasonOf(given)).toBe(reason)
  expect(isWrong(given)).toBe(needsSomebody)
})

const now = Date.parse('2026-11-28T12:00:00.000Z')
const pollIn = (seconds: number) => ({ nextPollAt: new Date(now + seconds * 1_000).toISOString() })

test.each([
  ['none', [], 60_000],
  ['one that is not polled', [{ nextPollAt: null }], 60_000],
  ['one that is polled in an hour', [pollIn(3_600)], 60_000],
  ['two that are polled soon', [pollIn(30), pollIn(20)], 23_000],
  ['one that is being polled', [pollIn(0)], 5_000],
  ['one that should have been polled', [pollIn(-100)], 5_000],
])('with %s, %j, the list is read again in %i ms', (_, watches, ms) => expect(nextReadMs(watches, now)).toBe(ms))
