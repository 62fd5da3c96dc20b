import { z } from 'zod'

export const VideoQuality = z.enum([
  'lowest',
  '144p',
  '240p',
  '360p',
  '480p',
  '720p',
  '1080p',
  '1440p',
  '2160p',
  'best',
])
export type VideoQuality = z.infer<typeof VideoQuality>

export const AudioQuality = z.enum(['lowest', 'low', 'medium', 'high', 'best'])
export type AudioQuality = z.infer<typeof AudioQuality>

/** The parts and quality of the source that the caller requested. */
export const Selection = z.object({
  includeVideo: z.boolean(),
  includeAudio: z.boolean(),
  videoQuality: VideoQuality,
  audioQuality: AudioQuality,
})
export type Selection = z.infer<typeof Selection>

export const StepLimits = z.object({
  maxBytes: z.number().int().positive(),
  maxDurationSeconds: z.number().positive(),
  /** Measured from the start of this attempt. */
  timeoutMs: z.number().int().positive(),
})
export type StepLimits = z.infer<typeof StepLimits>

export const Callback = z.object({ url: z.url(), token: z.string() })
export type Callback = z.infer<typeof Callback>

const AnyStep = z.object({
  jobId: z.string(),
  attempt: z.number().int(),
  /** Limits how many places an account has. */
  accountId: z.string().optional(),
  /** The place that the fleet has given to this attempt. */
  placeId: z.string().optional(),
  callback: Callback,
  limits: StepLimits,
  /** How often to report progress when nothing else has to be reported. */
  heartbeatMs: z.number().int().positive().optional(),
  /** Disk space that the fleet has reserved for the step. */
  diskBytes: z.number().int().nonnegative().optional(),
})

export const FetchOrder = AnyStep.extend({
  step: z.literal('fetch'),
  url: z.url(),
  selection: Selection,
})
export type FetchOrder = z.infer<typeof FetchOrder>

/** Fetches captions that already exist. `language` null means the media's own language. */
export const CaptionsOrder = AnyStep.extend({
  step: z.literal('captions'),
  url: z.url(),
  language: z.string().nullable(),
})
export type CaptionsOrder = z.infer<typeof CaptionsOrder>

/**
 * Downloads the audio and cuts it at silences into pieces. `samples` is 16 kHz mono PCM for the
 * container's own speech engine, `opus` is 24 kbit/s mono for every other one.
 */
export const AudioOrder = AnyStep.extend({
  step: z.literal('audio'),
  url: z.url(),
  pieces: z.object({
    encoding: z.enum(['samples', 'opus']),
    maxBytes: z.number().int().positive(),
    maxSeconds: z.number().positive(),
  }),
})
export type AudioOrder = z.infer<typeof AudioOrder>

/** Transcribes pieces with the container's own speech engine. */
export const RecognizeOrder = AnyStep.extend({
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
