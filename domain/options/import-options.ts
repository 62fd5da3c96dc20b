import { MAX_JOB_DOLLARS, MAX_LIMIT_BYTES } from '../limits.ts'
import { AudioFormat, AudioQuality, VideoQuality } from '../protocol/protocol.ts'
import { importFileOptions } from './file-options.ts'
import type { Options } from './option.ts'
import { clip, index, maxCostField, maxSeconds, metadata, reuseWithinSeconds, webhookUrl } from './shared-options.ts'
import { storageFilename, storageOptions } from './storage-options.ts'

const boolean = { type: 'boolean' } as const

export const importOptions = {
  includeVideo: { shape: boolean, default: true, about: 'Set to false to import only the audio.' },
  includeAudio: {
    shape: boolean,
    default: true,
    about: 'Set to false to import only the video. Not both can be false.',
  },
  videoQuality: {
    shape: { type: 'choice', values: VideoQuality.options },
    default: '1080p',
    mcp: 'The best picture up to this height.',
    flags: [
      ['import', '--quality <quality>', 'at most this video quality: 720p, 1080p, best …'],
      ['batch', '--quality <quality>', 'at most this video quality: 720p …'],
    ],
    form: { label: 'Quality', choices: VideoQuality.options.toReversed(), shown: { for: 'video silent' } },
  },
  audioQuality: {
    shape: { type: 'choice', values: AudioQuality.options },
    default: 'best',
    form: {
      label: 'Quality',
      choices: AudioQuality.options.toReversed(),
      labels: ['Best', 'High, ≤ 256 kbit/s', 'Medium, ≤ 160 kbit/s', 'Low, ≤ 96 kbit/s', 'Lowest, ≤ 48 kbit/s'],
      shown: { for: 'audio' },
    },
  },
  audioFormat: {
    shape: { type: 'choice', values: AudioFormat.options },
    default: 'source',
    about:
      'The format of the file. Only with `includeVideo: false`, except for `source`. The audio is re-encoded only if it has another one.',
    mcp: 'With audio_only: the format of the file. It is re-encoded only if the source has another one.',
    flags: [['import batch', '--audio [format]', 'only the audio, as it is or as mp3, m4a, opus, wav', 'source']],
    form: { label: 'Format', labels: ['As the source has it', 'MP3', 'M4A', 'Opus', 'WAV'], shown: { for: 'audio' } },
  },
  clip,
  maxCostDollars: {
    shape: { type: 'dollars', max: MAX_JOB_DOLLARS },
    about:
      'The most that the import may cost. It fails with MAX_COST_EXCEEDED, for free: before the first byte if the size is known, else when it has downloaded as much. If only its captions or its transcript would exceed it, they fail alone.',
    mcp: 'The most that this call may cost. A larger file ends with an error, and costs nothing.',
    flags: [['import', '--max-cost <dollars>', 'the most that it may cost']],
    form: maxCostField,
  },
  maxBytes: {
    shape: { type: 'integer', min: 1, max: MAX_LIMIT_BYTES },
    about: 'The most bytes to download. Beyond it the import fails with MEDIA_TOO_LARGE, as with maxCostDollars.',
  },
  maxSeconds,
  reuseWithinSeconds,
  index,
  webhookUrl,
  ...storageOptions,
  ...importFileOptions,
} as const satisfies Options

/** With the fields that only a single import has: items of a batch would overwrite each other's files, and have its metadata. */
export const importFields = {
  ...importOptions,
  url: {
    shape: { type: 'url' },
    required: true,
    about: 'A publicly accessible media URL.',
    mcp: 'The address of a page or of a file with media.',
  },
  storageFilename,
  metadata,
} as const satisfies Options
