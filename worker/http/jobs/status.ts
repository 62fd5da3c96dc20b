import { z } from '@hono/zod-openapi'
import type { Context } from 'hono'
import { failureCodes } from '../../domain/codes/failures.ts'
import { isTerminal, type JobKind } from '../../domain/jobs/job.ts'
import { MAX_WAIT_SECONDS } from '../../domain/limits.ts'
import { account, pass } from '../api.ts'
import type { Api } from '../context.ts'
import { answer } from '../respond.ts'
import { JobIdQuery } from '../schemas.ts'

export const StatusQuery = z.object({
  id: JobIdQuery,
  wait: z.coerce.number().int().min(0).max(MAX_WAIT_SECONDS).default(0).openapi({
    description: 'Seconds to wait for the job to end.',
  }),
})

export const StartedJob = z
  .object({ jobId: z.string(), status: z.literal('queued'), message: z.string() })
  .openapi('StartedJob')

export const JobProgress = z
  .object({
    stage: z.string(),
    percent: z.number().nullable(),
    downloadedBytes: z.number().int(),
    totalBytes: z.number().int().nullable(),
    bytesPerSecond: z.number().nullable(),
    etaSeconds: z.number().int().nullable(),
  })
  .openapi('JobProgress')

export const ImportResult = z
  .object({
    mediaUrl: z.url().openapi({
      description:
        'On the service until expiresAt; in your bucket with `store`, unless `storageReturnLocation` is false.',
    }),
    title: z.string(),
    duration: z.number().openapi({ description: 'Seconds.' }),
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
    expiresAt: z.string().openapi({ format: 'date-time' }),
    s3Storage: z
      .object({
        url: z.url().optional().openapi({ description: 'Not with `storageReturnLocation: false`.' }),
        bucket: z.string(),
        key: z.string().openapi({ description: 'Path and filename within the bucket.' }),
      })
      .optional()
      .openapi({ description: 'With `store`.' }),
    message: z.string().optional().openapi({ description: 'For example that a page held several videos.' }),
  })
  .openapi('ImportResult')

const Time = z.string().nullable().openapi({ format: 'date-time' })

export const ImportStatus = z
  .object({
    jobId: z.string(),
    status: z.enum(['queued', 'running', 'failed', 'completed']),
    startedAt: Time,
    completedAt: Time,
    removedAt: z.string().optional().openapi({ format: 'date-time', description: 'When the media was removed.' }),
    progress: JobProgress.optional(),
    message: z.string().optional().openapi({ description: 'Why it failed.' }),
    code: z.enum(failureCodes).optional(),
    retryable: z.boolean().optional().openapi({ description: 'Whether the same request may do better later.' }),
    result: ImportResult.optional(),
  })
  .openapi('ImportStatus')

/** One call to the account; a second one only where the caller wants to wait. */
export const readStatus = async (
  c: Context<Api>,
  kind: JobKind,
  { id, wait }: z.infer<typeof StatusQuery>,
): Promise<Response> => {
  const answered = await account(c).read(pass(c), id, kind)
  return answer(c, answered, async ({ job }) => {
    const isOver = wait === 0 || isTerminal(job.state)
    const latest = isOver ? job : ((await account(c).follow(c.var.caller.keyHash, id, null, wait * 1000))?.job ?? job)
    return c.var.parts.present(latest)
  })
}
