import { z } from '@hono/zod-openapi'
import type { Context } from 'hono'
import { failureCodes } from '../../../domain/codes/failures.ts'
import { isTerminal, type JobKind } from '../../../domain/jobs/job.ts'
import { MAX_WAIT_SECONDS } from '../../../domain/limits.ts'
import { account, type HttpEnv, identity } from '../request-context.ts'
import { handleAnswer, respondJob } from '../respond.ts'
import { JobIdQuery, Timestamp } from '../schemas.ts'
import { nextChange } from './follow-job.ts'

export const StatusQuery = z.object({
  id: JobIdQuery,
  wait: z.coerce.number().int().min(0).max(MAX_WAIT_SECONDS).default(0).openapi({
    // The library would add null, which a query cannot be. With a type it leaves out the limits.
    type: 'integer',
    minimum: 0,
    maximum: MAX_WAIT_SECONDS,
    description: 'The number of seconds to wait for the job to end.',
  }),
})

export const waitDescription = `With \`wait\`, the response is sent when the job ends, or after up to ${MAX_WAIT_SECONDS} seconds.`

export const StartedJob = z
  .object({ jobId: z.string(), status: z.literal('queued'), message: z.string() })
  .openapi('StartedJob')

const JobProgress = z
  .object({
    stage: z.string(),
    percent: z.number().nullable(),
    downloadedBytes: z.number().int(),
    totalBytes: z.number().int().nullable(),
    bytesPerSecond: z.number().nullable(),
    etaSeconds: z.number().int().nullable(),
  })
  .openapi('JobProgress')

/** Shared by both kinds of jobs, apart from the descriptions of what is removed. */
const failureFields = {
  message: z.string().optional().openapi({ description: 'Why the job failed.' }),
  code: z.enum(failureCodes).optional(),
  retryable: z.boolean().optional().openapi({ description: 'Whether the same request can succeed later.' }),
}

const removedAt = (what: string) =>
  Timestamp.optional().openapi({ format: 'date-time', description: `When the ${what} was removed.` })

const ImportResult = z
  .object({
    mediaUrl: z.url().openapi({
      description:
        'A link to the file. It is valid until expiresAt. With `store` it points to your bucket, unless `storageReturnLocation` is false.',
    }),
    title: z.string(),
    duration: z.number().openapi({ description: 'In seconds.' }),
    thumbnailUrl: z.url().nullable(),
    costInDollars: z.number(),
    fileSizeBytes: z.number().int(),
    downloadedBytes: z.number().int(),
    filename: z.string(),
    contentType: z.string(),
    sha256: z.string(),
    width: z.number().int().nullable(),
    height: z.number().int().nullable(),
    videoCodec: z.string().nullable(),
    audioCodec: z.string().nullable(),
    expiresAt: Timestamp,
    clip: z
      .object({
        start: z.number().openapi({ description: 'As requested.' }),
        end: z.number().openapi({ description: 'As requested, or where the media ends.' }),
        actualStart: z.number().openapi({
          description: 'Where the file starts: at the keyframe at or before `start`. Without a picture, at `start`.',
        }),
      })
      .optional()
      .openapi({ description: 'Present with `clip`. Seconds from the start of the media.' }),
    s3Storage: z
      .object({
        url: z.url().optional().openapi({ description: 'Absent with `storageReturnLocation: false`.' }),
        bucket: z.string(),
        key: z.string().openapi({ description: 'The path and filename in the bucket.' }),
      })
      .optional()
      .openapi({ description: 'Present with `store`.' }),
    message: z.string().optional().openapi({
      description: 'A note about the result, for example that a page contained several videos.',
    }),
  })
  .openapi('ImportResult')

export const ImportStatus = z
  .object({
    jobId: z.string(),
    status: z.enum(['queued', 'running', 'failed', 'completed']),
    startedAt: Timestamp.nullable(),
    completedAt: Timestamp.nullable(),
    removedAt: removedAt('media'),
    progress: JobProgress.optional(),
    ...failureFields,
    result: ImportResult.optional(),
  })
  .openapi('ImportStatus')

const Segment = z
  .object({
    start: z.number().openapi({ description: 'Seconds from the start of the media.' }),
    end: z.number(),
    text: z.string(),
    speaker: z
      .string()
      .optional()
      .openapi({ description: 'Present if the source or the provider separates speakers.' }),
  })
  .openapi('Segment')

const TranscriptionResult = z
  .object({
    text: z.string().optional().openapi({ description: 'The whole transcript. Absent after it was removed.' }),
    source: z.enum(['platform_captions', 'builtin', 'provider_a', 'provider_b', 'provider_c']),
    language: z.string().openapi({ description: 'A BCP 47 tag; `und` if the language is unknown.' }),
    duration: z.number().openapi({ description: 'The duration of the media in seconds.' }),
    data: z
      .object({ segments: z.array(Segment) })
      .optional()
      .openapi({ description: 'Segments in order, without overlaps. Absent after the transcript was removed.' }),
    costInDollars: z.number().openapi({ description: 'The total cost, including the download.' }),
    downloadCostInDollars: z.number().optional().openapi({ description: 'Present if audio was downloaded.' }),
  })
  .openapi('TranscriptionResult')

const Quote = z
  .object({
    estimatedMinutes: z.number(),
    estimatedCostDollars: z.number().openapi({ description: 'The price with `builtin`, including the download.' }),
  })
  .openapi('Quote')

export const TranscriptionStatus = z
  .object({
    jobId: z.string(),
    status: z.enum(['queued', 'failed', 'completed']).openapi({
      description: '`queued` until the job ends. startedAt and progress show whether it has started.',
    }),
    startedAt: Timestamp.nullable(),
    completedAt: Timestamp.nullable(),
    removedAt: removedAt('transcript'),
    progress: JobProgress.optional(),
    ...failureFields,
    quote: Quote.optional().openapi({
      description: 'Present with TRANSCRIPTION_PROVIDER_REQUIRED and MAX_COST_EXCEEDED if the duration is known.',
    }),
    result: TranscriptionResult.optional(),
  })
  .openapi('TranscriptionStatus')

/** One call to the account, and others only if the caller waits for a live job. */
export const readStatus = async (
  c: Context<HttpEnv>,
  kind: JobKind,
  { id, wait }: z.infer<typeof StatusQuery>,
): Promise<Response> => {
  const answer = await account(c).read(identity(c), id, kind)
  return handleAnswer(c, answer, async (first) => {
    const until = Date.now() + wait * 1000
    let snapshot = first
    while (!isTerminal(snapshot.job.state) && Date.now() < until) {
      const change = await nextChange(c, snapshot, until - Date.now())
      if (change === null || change === 'unchanged') break
      snapshot = change
    }
    return respondJob(c, snapshot.job)
  })
}
