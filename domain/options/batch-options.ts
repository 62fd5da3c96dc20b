import { DEFAULT_PLAYLIST_ITEMS, MAX_BATCH_DOLLARS, MAX_BATCH_ITEMS } from '../limits.ts'
import type { Options } from './option.ts'
import { metadata, webhookUrl } from './shared-options.ts'

export const batchOptions = {
  urls: {
    shape: { type: 'list', of: { type: 'url' }, min: 1, max: MAX_BATCH_ITEMS },
    about: 'The sources. Either these or a `playlistUrl` is required. A URL that is given twice is one item.',
  },
  playlistUrl: {
    shape: { type: 'url' },
    about: 'A playlist, a channel, the feed of a podcast, or a page with several videos. Each entry is an item.',
    example: 'https://example.com/feed.xml',
  },
  limit: {
    shape: { type: 'integer', min: 1, max: MAX_BATCH_ITEMS },
    about: `Only with \`playlistUrl\`: the most entries that become items, from the start of the list. ${DEFAULT_PLAYLIST_ITEMS} when omitted.`,
    flags: [['batch', '--limit <number>', `of a playlist: the most entries (default: ${DEFAULT_PLAYLIST_ITEMS})`]],
    form: { label: 'Items at most', placeholder: `${DEFAULT_PLAYLIST_ITEMS}`, shown: { from: 'list' } },
  },
  maxCostDollars: {
    shape: { type: 'dollars', max: MAX_BATCH_DOLLARS },
    about: 'The most that all items together may be charged. Items that no longer fit are skipped.',
    flags: [['batch', '--max-cost <dollars>', 'the most that the batch may cost']],
    form: {
      label: 'Maximum cost of all, $',
      name: 'batchMaxCostDollars',
      placeholder: 'no limit',
      shown: { from: 'urls list', isMoney: true },
    },
  },
  webhookUrl: {
    ...webhookUrl,
    about:
      'Receives a webhook when the batch ends. The `webhookUrl` within `import` or `transcribe` receives one for each item.',
  },
  metadata: { ...metadata, about: 'As for a single job. The jobs of the items have it too.' },
} as const satisfies Options
