import { z } from '@hono/zod-openapi'
import {
  type JobMetadata,
  MAX_METADATA_CHARACTERS,
  MAX_METADATA_KEYS,
  METADATA_KEY,
  metadataProblems,
} from '../../../domain/jobs/job-metadata.ts'
import { MAX_REUSE_SECONDS } from '../../../domain/limits.ts'
import { clipTimeRule, secondsOf } from '../../../domain/media/clip-times.ts'
import type { Clip } from '../../../domain/protocol/protocol.ts'
import { checkedBy } from '../schemas.ts'

const MAX_SECONDS = 1_000_000
/** A millisecond, which is the unit of media times. Slightly less, because differences of decimal fractions are inexact. */
const SHORTEST_SECONDS = 0.000_999

const ClipTime = z.union([
  z.number().min(0).max(MAX_SECONDS),
  checkedBy(
    (text) => (secondsOf(text) === null ? 'must be seconds, or a time such as 2:30 or 1:02:03.5' : null),
    clipTimeRule,
  ),
])

/** NaN for a text that is no time, of which that is said already: it compares as neither earlier nor later. */
const seconds = (time: z.infer<typeof ClipTime>): number =>
  typeof time === 'number' ? time : (secondsOf(time) ?? Number.NaN)

/** The requested part of the media. Common to imports and transcriptions. */
export const ClipField = z
  .strictObject({ start: ClipTime.optional(), end: ClipTime.optional() })
  .superRefine(({ start, end }, context) => {
    if (start === undefined && end === undefined) {
      context.addIssue({ code: 'custom', message: 'must have a start, an end, or both' })
    } else if (end !== undefined && seconds(end) <= seconds(start ?? 0)) {
      context.addIssue({ code: 'custom', path: ['end'], message: 'must be after the start' })
    } else if (end !== undefined && seconds(end) - seconds(start ?? 0) < SHORTEST_SECONDS) {
      context.addIssue({ code: 'custom', path: ['end'], message: 'must be at least a millisecond after the start' })
    }
  })
  .openapi({
    minProperties: 1,
    description:
      'Only this part of the media. `start` and `end` are seconds, or times such as `2:30` and `1:02:03.5`. One of them may be omitted: the clip is then from the start of the media, or to its end.',
  })

export const clipOf = (field: z.infer<typeof ClipField> | undefined): Clip | null =>
  field === undefined
    ? null
    : {
        startSeconds: field.start === undefined ? null : seconds(field.start),
        endSeconds: field.end === undefined ? null : seconds(field.end),
      }

export const MaxCostField = z.number().positive().max(10_000)

export const ReuseField = z
  .number()
  .int()
  .min(0)
  .max(MAX_REUSE_SECONDS)
  .default(0)
  .describe(
    'The maximum age of a completed job of the same request that is returned instead of a new one, without a charge. With 0, a new job is always started.',
  )

const checkMetadata = (value: JobMetadata, context: z.core.$RefinementCtx<JobMetadata>): void => {
  for (const { path, message } of metadataProblems(value)) context.addIssue({ code: 'custom', path, message })
}

const metadataSchema = (prefix: string) => ({
  type: 'object' as const,
  maxProperties: MAX_METADATA_KEYS,
  propertyNames: { pattern: `^${prefix}${METADATA_KEY}$` },
  additionalProperties: { type: 'string' as const, maxLength: MAX_METADATA_CHARACTERS },
})

export const MetadataField = z
  .custom<JobMetadata>()
  .superRefine(checkMetadata)
  .optional()
  .openapi({
    ...metadataSchema(''),
    description: `What you note for yourself: up to ${MAX_METADATA_KEYS} keys of letters, digits, \`_\`, \`.\` and \`-\`, with strings of up to ${MAX_METADATA_CHARACTERS} characters. It comes back wherever the job does, and \`GET /jobs\` finds jobs by it.`,
    example: { episode: '42' },
  })

/**
 * Of a list. OpenAPI has no word for the dot: the properties of an exploded object are parameters of their own, and its own
 * name is not sent.
 */
export const MetadataFilter = z
  .custom<JobMetadata>((value) => typeof value === 'object', 'is given as metadata.KEY=VALUE')
  .superRefine(checkMetadata)
  .optional()
  .openapi({
    ...metadataSchema(String.raw`metadata\.`),
    param: { style: 'form', explode: true },
    description:
      'Each parameter `metadata.KEY=VALUE` lists only jobs whose metadata has this key with exactly this value: `metadata.episode=42`.',
  })
