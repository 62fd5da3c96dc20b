import { MAX_METADATA_CHARACTERS, MAX_METADATA_KEYS } from '../jobs/job-metadata.ts'
import { MAX_REUSE_SECONDS, MAX_SECONDS } from '../limits.ts'
import type { FormField, Option } from './option.ts'

/** A tag of BCP 47. */
export const languageTag = {
  type: 'text',
  max: 35,
  pattern: /^[A-Za-z]{2,8}([-_][A-Za-z0-9]{1,8})*$/,
  message: 'must be a language code such as en or pt-BR',
} as const

export const clip = {
  shape: { type: 'clip' },
  about:
    'Only this part of the media. `start` and `end` are seconds, or times such as `2:30` and `1:02:03.5`. One of them may be omitted: the clip is then from the start of the media, or to its end.',
  flags: [['import transcribe', '--clip <start-end>', 'only a part: 1:00-2:30, 90-, -0:30']],
  form: [
    { label: 'Start at', name: 'clipStart', part: 'start', placeholder: '0:00', shown: { isMore: true } },
    { label: 'End at', name: 'clipEnd', part: 'end', placeholder: 'the end', shown: { isMore: true } },
  ],
} as const satisfies Option

/** In the console: what a job that recognizes speech may cost. */
export const maxCostField = {
  label: 'Maximum cost, $',
  placeholder: 'no limit',
  shown: { for: 'transcript', way: 'auto builtin', isMoney: true },
} as const satisfies FormField

export const maxSeconds = {
  shape: { type: 'integer', min: 1, max: MAX_SECONDS },
  about:
    'The longest media, or the longest clip of it, in seconds. What is longer fails with MEDIA_TOO_LONG, for free. Captions may be of longer media.',
  mcp: 'The longest media, in seconds. Longer media ends with an error, and costs nothing.',
  flags: [['import transcribe', '--max-seconds <number>', 'fail, for free, if it is longer: 3600']],
  form: { label: 'Longest media, seconds', placeholder: 'any', shown: { isMore: true } },
} as const satisfies Option

export const reuseWithinSeconds = {
  shape: { type: 'integer', min: 0, max: MAX_REUSE_SECONDS },
  default: 0,
  about:
    'The maximum age of a completed job of the same request that is returned instead of a new one, without a charge. With 0, a new job is always started.',
  form: {
    label: 'Earlier results',
    choices: ['', '3600', '86400', '604800'],
    labels: ['Do not reuse', 'Reuse for an hour', 'Reuse for a day', 'Reuse for a week'],
    shown: { from: 'url urls list', isMore: true },
  },
} as const satisfies Option

export const index = {
  shape: { type: 'boolean' },
  default: true,
  about: 'Set to false to keep its words out of `GET /search`.',
  flags: [['import transcribe batch', '--no-index', 'keep its words out of haul search']],
  form: { label: 'Keep its words out of the search', look: 'check', value: 'false', shown: { isMore: true } },
} as const satisfies Option

export const webhookUrl = {
  shape: { type: 'url' },
  about: 'Receives a webhook when the job ends.',
  form: { label: 'Webhook URL', look: 'wide', placeholder: 'https://example.com/hooks/haul', shown: { isMore: true } },
} as const satisfies Option

export const metadata = {
  shape: { type: 'metadata' },
  about: `Your own notes: up to ${MAX_METADATA_KEYS} keys of letters, digits, \`_\`, \`.\` and \`-\`, with strings of up to ${MAX_METADATA_CHARACTERS} characters. It comes back wherever the job does, and \`GET /jobs\` finds jobs by it.`,
  flags: [
    ['import transcribe', '--metadata <key=value>', 'note this on the job; may be repeated'],
    ['batch', '--metadata <key=value>', 'note this on the batch and its jobs; may be repeated'],
  ],
} as const satisfies Option
