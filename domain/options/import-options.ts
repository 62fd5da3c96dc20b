import { bucketNameProblem, bucketNameRule, storageClasses } from '../bucket/bucket-rules.ts'
import { filenameProblem, filenameRule, pathProblem, pathRule } from '../bucket/object-name.ts'
import { MAX_JOB_DOLLARS, MAX_LIMIT_BYTES } from '../limits.ts'
import { AudioFormat, AudioQuality, VideoQuality } from '../protocol/protocol.ts'
import type { Options } from './option.ts'
import { clip, maxSeconds, metadata, reuseWithinSeconds, webhookUrl } from './shared-options.ts'

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
      ['import', '--quality <quality>', 'at most this video quality: 720p, 1080p, best, lowest …'],
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
    flags: [['import batch', '--audio [format]', 'only the audio, as it is or as mp3, m4a, opus, wav']],
    form: { label: 'Format', labels: ['As the source has it', 'MP3', 'M4A', 'Opus', 'WAV'], shown: { for: 'audio' } },
  },
  clip,
  maxCostDollars: {
    shape: { type: 'dollars', max: MAX_JOB_DOLLARS },
    about:
      'The most that the import may cost. It fails with MAX_COST_EXCEEDED, for free: before the first byte if the size is known, else when it has downloaded as much.',
    mcp: 'The most that this call may cost. A larger file ends with an error, and costs nothing.',
  },
  maxBytes: {
    shape: { type: 'integer', min: 1, max: MAX_LIMIT_BYTES },
    about: 'The most bytes to download. Beyond it the import fails with MEDIA_TOO_LARGE, as with maxCostDollars.',
  },
  maxSeconds,
  reuseWithinSeconds,
  webhookUrl,
  store: {
    shape: boolean,
    default: false,
    about: "Copy the file to the account's S3 bucket.",
    mcp: 'Also copy the file to the bucket that the user has set for this account.',
    flags: [
      ['import', '--store', 'copy it to the bucket of the account'],
      ['batch', '--store', 'copy the files to the bucket of the account'],
    ],
    form: { label: 'Copy to my bucket', shown: { isMore: true } },
  },
  storagePath: {
    shape: { type: 'checked', problem: (path) => pathProblem(path), rule: pathRule() },
    about: 'The folder in the bucket, below the pathPrefix.',
    example: 'films/2026',
    form: { label: 'Folder', placeholder: 'films/2026', shown: { needs: 'store', isMore: true } },
  },
  storageBucket: {
    shape: { type: 'checked', problem: bucketNameProblem, rule: bucketNameRule },
    about: 'A different bucket at the same endpoint, with the same keys.',
  },
  storageClass: {
    shape: { type: 'choice', values: storageClasses },
    about: 'Overrides the storageClass of PUT /storage.',
  },
  storageReturnLocation: {
    shape: boolean,
    default: true,
    about: 'Set to false to get a mediaUrl on this service and an s3Storage without a url.',
  },
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
  storageFilename: {
    shape: { type: 'checked', problem: filenameProblem, rule: filenameRule },
    about: 'The filename without its extension, which is added. At most 240 bytes. Defaults to the title.',
    form: { label: 'Filename', placeholder: 'the title', shown: { from: 'url', needs: 'store', isMore: true } },
  },
  metadata,
} as const satisfies Options
