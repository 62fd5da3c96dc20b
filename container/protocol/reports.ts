import { z } from 'zod'
import { StepResult } from './results.ts'

/** Also the heartbeat that renews the lease: sent about once a second, changed or not. */
export const Progress = z.object({
  stage: z.enum(['resolving', 'downloading', 'processing', 'uploading', 'recognizing']),
  /** 0 to 100 of the whole step, or null while it cannot be told. */
  percent: z.number().min(0).max(100).nullable(),
  downloadedBytes: z.number().int().nonnegative(),
  /** Announced by the source, not guessed: the account holds money for it. */
  totalBytes: z.number().int().nonnegative().nullable(),
  bytesPerSecond: z.number().nonnegative().nullable(),
  /**
   * Of the media, for steps that are paid by the minute: a number once it is known, null when nobody knows
   * although the source was resolved, absent before that.
   */
  durationSeconds: z.number().nonnegative().nullable().optional(),
})
export type Progress = z.infer<typeof Progress>

export const ProgressAnswer = z.object({ stop: z.boolean() })
export type ProgressAnswer = z.infer<typeof ProgressAnswer>

/** `failed` is the source's doing and ends the job; `gaveBack` is ours (a restart) and another attempt runs. */
export const Outcome = z.discriminatedUnion('status', [
  z.object({ status: z.literal('done'), result: StepResult }),
  z.object({ status: z.literal('failed'), code: z.string(), message: z.string() }),
  z.object({ status: z.literal('gaveBack'), reason: z.string() }),
])
export type Outcome = z.infer<typeof Outcome>
