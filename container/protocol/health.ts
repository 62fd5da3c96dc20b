import { z } from 'zod'

export const Health = z.object({
  status: z.enum(['ok', 'degraded', 'stopping']),
  running: z.number().int(),
  capacity: z.number().int(),
  /** Name → true, or a sentence that says what is wrong. */
  parts: z.record(z.string(), z.union([z.literal(true), z.string()])),
})
export type Health = z.infer<typeof Health>
