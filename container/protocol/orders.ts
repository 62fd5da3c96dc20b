import { z } from 'zod'
import { Selection } from './selection.ts'

export const StepLimits = z.object({
  maxBytes: z.number().int().positive(),
  maxDurationSeconds: z.number().positive(),
  /** From the start of this attempt. */
  timeoutMs: z.number().int().positive(),
})
export type StepLimits = z.infer<typeof StepLimits>

export const Callback = z.object({ url: z.url(), token: z.string() })
export type Callback = z.infer<typeof Callback>

const Task = z.object({
  jobId: z.string(),
  attempt: z.number().int(),
  callback: Callback,
  limits: StepLimits,
})

export const FetchOrder = Task.extend({
  step: z.literal('fetch'),
  url: z.url(),
  selection: Selection,
})
export type FetchOrder = z.infer<typeof FetchOrder>

/** Looks for captions that exist already. `language` null wants those of the media's own language. */
export const CaptionsOrder = Task.extend({
  step: z.literal('captions'),
  url: z.url(),
  language: z.string().nullable(),
})
export type CaptionsOrder = z.infer<typeof CaptionsOrder>

/**
 * Fetches the sound and cuts it at silences into pieces that the recognizer takes. `samples` is 16 kHz mono
 * for the container's own engine, `opus` is 24 kbit/s mono for everybody else.
 */
export const AudioOrder = Task.extend({
  step: z.literal('audio'),
  url: z.url(),
  pieces: z.object({
    encoding: z.enum(['samples', 'opus']),
    maxBytes: z.number().int().positive(),
    maxSeconds: z.number().positive(),
  }),
})
export type AudioOrder = z.infer<typeof AudioOrder>

/** Turns pieces into words with the container's own engine. */
export const RecognizeOrder = Task.extend({
  step: z.literal('recognize'),
  language: z.string().nullable(),
  pieces: z.array(
    z.object({
      url: z.url(),
      offsetSeconds: z.number().nonnegative(),
      durationSeconds: z.number().nonnegative(),
      sizeBytes: z.number().int().nonnegative(),
    }),
  ),
})
export type RecognizeOrder = z.infer<typeof RecognizeOrder>

export const StepOrder = z.discriminatedUnion('step', [FetchOrder, CaptionsOrder, AudioOrder, RecognizeOrder])
export type StepOrder = z.infer<typeof StepOrder>
