import { MAX_BATCH_DOLLARS } from '../limits.ts'
import { MAX_ENTRIES, MAX_EVERY_MINUTES, MIN_EVERY_MINUTES } from '../watches/watch.ts'
import type { Options } from './option.ts'
import { metadata, webhookUrl } from './shared-options.ts'

/** Several, separated by commas. */
const titleField = { look: 'wide', shown: { from: 'watch', isMore: true } } as const

/** What a watch may be told to do otherwise later. */
export const watchOptions = {
  everyMinutes: {
    shape: { type: 'integer', min: MIN_EVERY_MINUTES, max: MAX_EVERY_MINUTES },
    default: 60,
    about:
      'How often the list is read. A page without a feed is read at most once an hour. A poll comes up to a quarter of this, and at most 15 minutes, early.',
    mcp: 'How often the list is read, in minutes.',
    flags: [['watch', '--every <minutes>', 'how often the list is read (default: 60)']],
    form: {
      label: 'Look for new items',
      choices: ['15', '60', '360', '1440', '10080'],
      labels: ['Every 15 minutes', 'Every hour', 'Every 6 hours', 'Every day', 'Every week'],
      shown: { from: 'watch' },
    },
  },
  since: {
    shape: { type: 'time' },
    about:
      'What is dated after this is new, even at the first read; what is dated before is never taken. The time of the request when omitted.',
    mcp: 'Take what is dated after this time, such as 2026-11-01T00:00:00Z. Now, when omitted.',
    flags: [['watch', '--since <time>', 'take what is dated after this: 2026-11-01']],
  },
  first: {
    shape: { type: 'integer', min: 0, max: MAX_ENTRIES },
    default: 0,
    about:
      'How many of the newest items the first read takes. Without it, or `since`, only what is new from now on is taken.',
    mcp: 'Take so many of the newest items at once.',
    flags: [['watch', '--first <number>', 'take so many of the newest at once']],
    form: { label: 'Newest items to take now', placeholder: 'none', shown: { from: 'watch' } },
  },
  filter: {
    shape: { type: 'watchFilter' },
    about:
      '`title`: one of these strings is in the title. `notTitle`: none of these is, whatever the case. `minSeconds`, `maxSeconds`: an item without a stated length is inspected first, and passes if its length stays unknown.',
    example: { title: ['interview'], notTitle: ['trailer'], minSeconds: 120 },
    flags: [
      ['watch', '--title <text>', 'only with this text in the title; may be repeated'],
      ['watch', '--not-title <text>', 'only without this text in the title; may be repeated'],
      ['watch', '--min-seconds <number>', 'only what is as long, or longer: 120'],
      ['watch', '--max-seconds <number>', 'only what is as long, or shorter: 3600'],
    ],
    form: [
      { ...titleField, label: 'Only titles with', name: 'titlesWith', part: 'title', placeholder: 'interview, live' },
      { ...titleField, label: 'No titles with', name: 'titlesWithout', part: 'notTitle', placeholder: 'trailer' },
      {
        label: 'Shortest media, seconds',
        name: 'minSeconds',
        part: 'minSeconds',
        placeholder: 'any',
        shown: { from: 'watch', isMore: true },
      },
    ],
  },
  maxCostDollarsPerMonth: {
    shape: { type: 'dollars', max: MAX_BATCH_DOLLARS },
    about:
      'The most that its jobs may be charged in a month of UTC. Then it is paused until the next one, and what is new waits.',
    mcp: {
      default: 5,
      about:
        'The most that the watch may cost in a month. Then what is new waits for the next one. Ask the user before you raise it.',
    },
    flags: [['watch', '--max-cost <dollars>', 'the most that it may cost in a month']],
    form: {
      label: 'Maximum cost a month, $',
      name: 'watchMaxCostDollars',
      placeholder: 'no limit',
      shown: { for: 'video audio silent transcript', from: 'watch', isMoney: true },
    },
  },
  maxNew: {
    shape: { type: 'integer', min: 1, max: MAX_ENTRIES },
    default: 25,
    about:
      'If more items than this are new at once, the watch is paused with TOO_MANY_NEW, and they wait for you: a feed may have been rewritten.',
    flags: [['watch', '--max-new <number>', 'pause if more are new at once (default: 25)']],
  },
  webhookUrl: {
    ...webhookUrl,
    about:
      'Receives `watch.item` for each new item, and `watch.failing`, `watch.paused` and `watch.resumed`. The `webhookUrl` within `import` or `transcribe` receives the ends of the jobs.',
    flags: [['watch', '--webhook <url>', 'is told of each new item, of failures and of pauses']],
  },
  metadata: {
    ...metadata,
    about: 'As for a single job. The jobs of the items have it too.',
    flags: [['watch', '--metadata <key=value>', 'note this on the watch and its jobs; may be repeated']],
  },
} as const satisfies Options

export const watchFields = {
  url: {
    shape: { type: 'url' },
    required: true,
    about:
      'A feed, a channel, a playlist, or a page with several videos. A page that names a feed is followed by its feed.',
    example: 'https://example.com/feed.xml',
  },
  ...watchOptions,
} as const satisfies Options
