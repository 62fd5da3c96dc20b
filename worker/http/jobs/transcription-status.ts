import { z } from '@hono/zod-openapi'
import { failureCodes } from '../../domain/codes/failures.ts'
import { JobProgress } from './status.ts'

const Time = z.string().nullable().openapi({ format: 'date-time' })

const Segment = z
  .object({
    start: z.number().openapi({ description: 'Seconds from the start of the media.' }),
    end: z.number(),
    text: z.string(),
    speaker: z.string().optional().openapi({ description: 'Where the source or the provider tells speakers apart.' }),
  })
  .openapi('Segment')

export const TranscriptionResult = z
  .object({
    text: z.string().optional().openapi({ description: 'The whole transcript. Gone once it was removed.' }),
    source: z.enum(['platform_captions', 'builtin', 'provider_a', 'provider_b', 'provider_c']),
    language: z.string().openapi({ description: 'BCP 47; `und` where nobody could tell.' }),
    duration: z.number().openapi({ description: 'Of the media, in seconds.' }),
    data: z
      .object({ segments: z.array(Segment) })
      .optional()
      .openapi({ description: 'Segments in order, not overlapping. Gone once the transcript was removed.' }),
    costInDollars: z.number().openapi({ description: 'The total, the download included.' }),
    downloadCostInDollars: z.number().optional().openapi({ description: 'Where sound was downloaded.' }),
  })
  .openapi('TranscriptionResult')

export const Quote = z
  .object({
    estimatedMinutes: z.number(),
    estimatedCostDollars: z.number().openapi({ description: 'By `builtin`, the download included.' }),
  })
  .openapi('Quote')

export const TranscriptionStatus = z
  .object({
    jobId: z.string(),
    status: z.enum(['queued', 'failed', 'completed']).openapi({
      description: '`queued` until the job has ended; that it has begun shows in startedAt and progress.',
    }),
    startedAt: Time,
    completedAt: Time,
    removedAt: z.string().optional().openapi({ format: 'date-time', description: 'When the transcript was removed.' }),
    progress: JobProgress.optional(),
    message: z.string().optional().openapi({ description: 'Why it failed.' }),
    code: z.enum(failureCodes).optional(),
    retryable: z.boolean().optional().openapi({ description: 'Whether the same request may do better later.' }),
    quote: Quote.optional().openapi({
      description: 'With TRANSCRIPTION_PROVIDER_REQUIRED and MAX_COST_EXCEEDED, where the duration is known.',
    }),
    result: TranscriptionResult.optional(),
  })
  .openapi('TranscriptionStatus')
