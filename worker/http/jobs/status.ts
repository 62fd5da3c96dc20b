import { z } from '@hono/zod-openapi'
import type { Context } from 'hono'
import { failureCodes } from '../../../domain/codes/failures.ts'
import type { JobKind, JobPhase } from '../../../domain/jobs/job.ts'
import { partKinds } from '../../../domain/jobs/part-kinds.ts'
import { serviceNames } from '../../../domain/jobs/providers.ts'
import { MAX_WAIT_SECONDS } from '../../../domain/limits.ts'
import { transcriptFormats } from '../../../domain/words/transcript-formats.ts'
import { hasEnded, whenEnded } from '../follow.ts'
import { account, type HttpEnv, identity } from '../request-context.ts'
import { handleAnswer, respondJob, respondJobLater } from '../respond.ts'
import {
  always,
  Bytes,
  Cost,
  Flag,
  Integer,
  JobId,
  JobIdQuery,
  named,
  Seconds,
  Timestamp,
  Title,
  wholeNumber,
} from '../schemas.ts'

export const StatusQuery = z.object({
  id: JobIdQuery,
  wait: wholeNumber(0, MAX_WAIT_SECONDS, 0, 'The number of seconds to wait for the job to end.'),
})

export const TranscriptionStatusQuery = StatusQuery.extend({
  words: Flag.describe('`1`: the segments have the times of their words, if there are any.'),
})

export const waitDescription = `With \`wait\`, the response is sent when the job ends, or after up to ${MAX_WAIT_SECONDS} seconds.`

const optionalText = z.string().optional()
const optionalTime = Timestamp.nullable()
const Time = z.number().describe('Seconds from the start of the media.')

export const StartedJob = named('StartedJob', {
  jobId: JobId,
  status: z.enum(['queued', 'completed']).describe('`completed` if an earlier job is reused.'),
  reused: always(true)
    .optional()
    .describe('Present if an earlier job of the same request is the answer: see `reuseWithinSeconds`.'),
  message: z.string(),
})

const phases = ['waiting', 'running', 'delivering'] satisfies JobPhase[]
export const Phase = z.enum(phases).optional().openapi({
  description:
    'What the job is doing: it waits for its start, it runs, or its file is copied into your bucket. Absent once it has ended.',
})

const JobProgress = named('JobProgress', {
  stage: z.string(),
  percent: z.number().nullable(),
  downloadedBytes: Integer,
  totalBytes: Integer.nullable(),
  bytesPerSecond: z.number().nullable(),
  etaSeconds: Integer.nullable(),
})

export const MetadataView = z.record(z.string(), z.string()).openapi({
  description: 'As in the request that started it. `{}` if there was none.',
  example: { episode: '42' },
})

const jobFields = {
  phase: Phase,
  startedAt: optionalTime,
  completedAt: optionalTime,
  metadata: MetadataView,
  progress: JobProgress.optional(),
  message: optionalText.describe('Why the job failed.'),
  code: z.enum(failureCodes).optional(),
  retryable: z.boolean().optional().describe('Whether the same request can succeed later.'),
}

const removedAt = (what: string) =>
  Timestamp.optional().openapi({ format: 'date-time', description: `When the ${what} was removed.` })

export const readByFields = {
  extractor: z.string().nullable().openapi({
    description:
      'What read the source: an extractor of yt-dlp, such as `youtube`, or `direct`. null if it is not known.',
    example: 'direct',
  }),
  extractorVersion: z.string().nullable().openapi({
    description: 'The version of yt-dlp. null if it was not needed, as for `direct`.',
  }),
}

const Quote = named('Quote', {
  estimatedMinutes: z.number(),
  estimatedCostDollars: z
    .number()
    .describe('The price with `builtin`, including the download. Of a file of an import: of the speech alone.'),
  estimated: z.boolean().optional().openapi({
    description:
      'true if the source does not state its duration, which was estimated from the size and the first seconds.',
  }),
})

export const JobFile = named('JobFile', {
  kind: z.enum(['media', ...partKinds]),
  language: optionalText,
  origin: z.enum(['manual', 'automatic']).optional(),
  format: z.enum(transcriptFormats).optional(),
  status: z.enum(['completed', 'skipped', 'failed']),
  filename: optionalText,
  url: z.url().optional(),
  key: optionalText.describe('In your bucket.'),
  contentType: optionalText,
  sizeBytes: Bytes.optional(),
  sha256: optionalText,
  expiresAt: Timestamp.optional(),
  code: optionalText.describe('Why it was skipped, or failed.'),
  message: optionalText,
  retryable: z.boolean().optional(),
  quote: Quote.optional(),
  costInDollars: Cost,
})

/** Of jobs that make files beside their main result. */
const filesFields = {
  complete: z.boolean().optional().describe('false: a file failed.'),
  files: z
    .array(JobFile)
    .optional()
    .describe(
      'Of an import with `captions`, `transcribe` or `files`; of a transcription with `captions`, `formats` or a bucket.',
    ),
}

const S3Storage = z
  .object({
    url: z.url().optional().describe('Absent with `storageReturnLocation: false`.'),
    bucket: z.string(),
    key: z.string().describe('The path and filename in the bucket.'),
  })
  .optional()
  .describe('Present with `store`.')

const ImportResult = named('ImportResult', {
  mediaUrl: z.url().openapi({
    description:
      'A link to the file. It is valid until expiresAt. With `store` it points to your bucket, unless `storageReturnLocation` is false.',
    example: 'https://haul.example.com/media/imp_01kb6v3zq2/A%20talk.mp4?expires=1796000000&signature=Zm9v',
  }),
  title: Title,
  duration: Seconds.describe('In seconds.'),
  thumbnailUrl: z.url().nullable(),
  costInDollars: Cost,
  fileSizeBytes: Bytes,
  downloadedBytes: Bytes,
  billedBytes: Bytes.describe(
    'What costInDollars is for: the bytes downloaded, or of a re-encoded file the larger of those and fileSizeBytes.',
  ),
  filename: z.string().openapi({ example: 'A talk.mp4' }),
  contentType: z.string().openapi({ example: 'video/mp4' }),
  sha256: z.string().openapi({ example: '9f86d081…' }),
  width: Integer.openapi({ example: 1920 }).nullable(),
  height: Integer.openapi({ example: 1080 }).nullable(),
  videoCodec: z.string().openapi({ example: 'h264' }).nullable(),
  audioCodec: z.string().openapi({ example: 'aac' }).nullable(),
  transcoded: z.boolean().describe('Whether the audio was re-encoded, for an `audioFormat`.'),
  ...readByFields,
  expiresAt: Timestamp,
  clip: z
    .object({
      start: z.number().describe('As requested.'),
      end: z.number().describe('As requested, or where the media ends.'),
      actualStart: z
        .number()
        .describe('Where the file starts: at the keyframe at or before `start`. Without a picture, at `start`.'),
    })
    .optional()
    .describe('Present with `clip`. Seconds from the start of the media.'),
  s3Storage: S3Storage,
  ...filesFields,
  message: optionalText.describe('A note about the result, for example that a page contained several videos.'),
})

export const ImportStatus = named('ImportStatus', {
  jobId: JobId,
  status: z.enum(['queued', 'running', 'failed', 'completed']),
  ...jobFields,
  removedAt: removedAt('media'),
  result: ImportResult.optional(),
})

const Word = named('Word', {
  start: z.number(),
  end: z.number(),
  text: z.string(),
  confidence: z.number().min(0).max(1).optional(),
  speaker: optionalText,
})

const Segment = named('Segment', {
  start: Time,
  end: z.number(),
  text: z.string(),
  speaker: optionalText.describe('Present with `speakers`, and if captions say it.'),
  words: z.array(Word).optional().describe('Only with `words=1`, if wordsAvailable is true.'),
})

const Chapter = named('Chapter', { title: z.string(), start: Time, end: z.number() })

const TranscriptionResult = named('TranscriptionResult', {
  text: optionalText.describe('The whole transcript. Absent after it was removed.'),
  source: z.enum(['platform_captions', 'builtin', 'provider_a', 'provider_b', 'provider_c']),
  providerService: z.enum(serviceNames).optional().openapi({
    description:
      'The service that was behind the provider when it recognized the speech. Absent for captions and `builtin`.',
  }),
  model: optionalText.describe(
    'What recognized the speech: the weights of `builtin`, such as `whisper-base`, or the model as the service names it. Absent for captions, and if the service does not tell.',
  ),
  title: Title.nullable().describe('The title of the media. null if the source has none.'),
  language: z.string().openapi({
    description:
      'A BCP 47 tag; `und` if the language is unknown. The language of the speech, even if the text is translated.',
    example: 'en',
  }),
  languageProbability: z.number().min(0).max(1).optional().openapi({
    description: 'How sure the engine is of the language, from 0 to 1. Absent if it does not tell.',
  }),
  translatedTo: z.enum(['en']).optional().describe('The language of the text, if the speech was translated.'),
  vocabulary: z
    .boolean()
    .describe('Whether the speech was recognized with the `prompt` and `keywords` of the request.'),
  duration: Seconds.describe('The duration of the media in seconds.'),
  chapters: z.array(Chapter).optional().describe('Present if the source has chapters.'),
  ...readByFields,
  wordsAvailable: z
    .boolean()
    .describe('Whether the segments have word times: with `words=1`, and in the JSON file of the transcript.'),
  data: z
    .object({ segments: z.array(Segment) })
    .optional()
    .describe('Segments in order, without overlaps. Absent after the transcript was removed.'),
  ...filesFields,
  s3Storage: S3Storage,
  costInDollars: Cost.describe('The total cost, including the download.'),
  downloadCostInDollars: z.number().optional().describe('Present if audio was downloaded.'),
})

export const TranscriptionStatus = named('TranscriptionStatus', {
  jobId: JobId,
  status: z.enum(['queued', 'failed', 'completed']).openapi({
    description: '`queued` until the job ends. `phase` says whether it has started.',
  }),
  ...jobFields,
  removedAt: removedAt('transcript'),
  quote: Quote.optional().describe(
    'Present with TRANSCRIPTION_PROVIDER_REQUIRED, MAX_COST_REQUIRED and MAX_COST_EXCEEDED if the duration is known or can be estimated.',
  ),
  result: TranscriptionResult.optional(),
})

export const readStatus = (
  c: Context<HttpEnv>,
  kind: JobKind,
  { id, wait, words = false }: z.infer<typeof StatusQuery> & { words?: boolean },
): Promise<Response> =>
  handleAnswer(c, account(c).read(identity(c), id, kind), (first) => {
    const shown = { withWords: words }
    if (wait === 0 || hasEnded(first)) return respondJob(c, first.job, {}, shown)
    return respondJobLater(c, (signal) => whenEnded(c, first, { until: Date.now() + wait * 1000, signal }), shown)
  })
