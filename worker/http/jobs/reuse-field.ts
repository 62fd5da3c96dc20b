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
      'The maximum age of a completed job of the same request that is returned instead of a new one, without a charge. With 0, a new job is always started.',
  })
