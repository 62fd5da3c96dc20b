import { z } from '@hono/zod-openapi'
import { RETENTION_MS } from '../../../domain/limits.ts'

/** Common to imports and transcriptions. */
export const ReuseField = z
  .number()
  .int()
  .min(0)
  .max(RETENTION_MS / 1_000)
  .default(0)
  .openapi({
    description:
      'Answer with a completed job of the same request that is at most this old, without a charge. 0: always start a new one.',
  })
