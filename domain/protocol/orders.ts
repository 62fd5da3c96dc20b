import { z } from 'zod'
import { PlannedUploads } from './uploads.ts'

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

export const Selection = z.object({
  includeVideo: z.boolean(),
  includeAudio: z.boolean(),
  videoQuality: VideoQuality,
  audioQuality: AudioQuality,
})
export type Selection = z.infer<typeof Selection>

/** Times of the media. null: from its start, or to its end. */
export const Clip = z.object({
  startSeconds: z.number().nonnegative().nullable(),
  endSeconds: z.number().positive().nullable(),
})
export type Clip = z.infer<typeof Clip>

/** `source`: as the source has it. Only the others may be re-encoded, and only audio. */
export const AudioFormat = z.enum(['source', 'mp3', 'm4a', 'opus', 'wav'])
export type AudioFormat = z.infer<typeof AudioFormat>

export const SpeakerCount = z.object({
  min: z.number().int().positive().nullable(),
  max: z.number().int().positive().nullable(),
})
export type SpeakerCount = z.infer<typeof SpeakerCount>

/** A file that a feed names beside the media of an item. */
export const LinkedFile = z.object({
  url: z.url(),
  /** How its text is written. The names are those of caption formats. */
  format: z.enum(['vtt', 'srt', 'json', 'html']),
  language: z.string().nullable(),
})
export type LinkedFile = z.infer<typeof LinkedFile>

/** `podcast:transcript` and `podcast:chapters` of an item. */
export const LinkedFiles = z.object({
  transcripts: z.array(LinkedFile),
  chapters: z.url().nullable(),
})
export type LinkedFiles = z.infer<typeof LinkedFiles>

/** In these languages, or all captions of the source that are not machine translations. */
export const CaptionFiles = z.union([z.literal('all'), z.array(z.string())])
export type CaptionFiles = z.infer<typeof CaptionFiles>

/** The captions that a fetch reads beside its media. */
export const WantedCaptions = z.object({
  /** Absent: only the transcript's. */
  files: CaptionFiles.optional(),
  /** The best ones become the transcript. `language` null means the media's own language. */
  transcript: z.object({ language: z.string().nullable() }).optional(),
})
export type WantedCaptions = z.infer<typeof WantedCaptions>

/** What is likely to be said, in the caller's words: a text, and names and terms in the order of their importance. */
export const Vocabulary = z.object({ prompt: z.string().nullable(), keywords: z.array(z.string()) })
export type Vocabulary = z.infer<typeof Vocabulary>

/** The order's URL is a file in our own storage, which is read without the guard and is not billed. */
export const StoredSource = z.object({
  title: z.string(),
  contentType: z.string(),
  sizeBytes: z.number().int().positive(),
  durationSeconds: z.number().nonnegative().nullable(),
})
export type StoredSource = z.infer<typeof StoredSource>

export const StepLimits = z.object({
  maxBytes: z.number().int().positive(),
  /** The media is too large if a step needs more disk space than this. */
  maxDiskBytes: z.number().int().positive(),
  maxDurationSeconds: z.number().positive(),
  /** Measured from the start of this attempt. */
  timeoutMs: z.number().int().positive(),
})
export type StepLimits = z.infer<typeof StepLimits>

export const Callback = z.object({ url: z.url(), token: z.string() })
export type Callback = z.infer<typeof Callback>

/** Grows with what orders can say. */
export const ORDER_VERSION = 3

const AnyStep = z.object({
  /** The ORDER_VERSION that a container must have so as not to ignore what the order says. Absent: 1. */
  v: z.number().int().positive().optional(),
  jobId: z.string(),
  attempt: z.number().int(),
  accountId: z.string(),
  placeId: z.string(),
  callback: Callback,
  limits: StepLimits,
  heartbeatMs: z.number().int().positive(),
  /** What the account agreed to pay for when the step was claimed. null: there is no such limit. */
  agreed: z.object({ bytes: z.number().nullable(), seconds: z.number().nullable() }),
  diskBytes: z.number().int().nonnegative(),
})

const SourceStep = AnyStep.extend({
  url: z.url(),
  clip: Clip.optional(),
  /** Whether to report what the source says of its media. */
  about: z.boolean().optional(),
})

export const FetchOrder = SourceStep.extend({
  step: z.literal('fetch'),
  selection: Selection,
  /** Absent: `source`. */
  audioFormat: AudioFormat.optional(),
  captions: WantedCaptions.optional(),
  linked: LinkedFiles.optional(),
  /** Absent: the account has noted none. */
  uploads: PlannedUploads.optional(),
})
export type FetchOrder = z.infer<typeof FetchOrder>

/** Fetches captions that already exist. `language` null means the media's own language. */
export const CaptionsOrder = SourceStep.extend({
  step: z.literal('captions'),
  language: z.string().nullable(),
  /** More captions, which become files. */
  files: CaptionFiles.optional(),
  linked: LinkedFiles.optional(),
  stored: StoredSource.optional(),
})
export type CaptionsOrder = z.infer<typeof CaptionsOrder>

/** `samples` is 16 kHz mono PCM for the container's own speech engine, `opus` is 24 kbit/s mono for every other one. */
export const AudioOrder = SourceStep.extend({
  step: z.literal('audio'),
  pieces: z.object({
    encoding: z.enum(['samples', 'opus']),
    maxBytes: z.number().int().positive(),
    maxSeconds: z.number().positive(),
    /** Which model will hear the samples, so that it can be loaded meanwhile. Absent: the default one. */
    model: z.string().optional(),
  }),
  /** Of these, the chapters. */
  linked: LinkedFiles.optional(),
  stored: StoredSource.optional(),
  speakers: SpeakerCount.optional(),
})
export type AudioOrder = z.infer<typeof AudioOrder>

export const RecognizeOrder = AnyStep.extend({
  step: z.literal('recognize'),
  /** A name of EngineState.models. Absent: the default one. */
  model: z.string().optional(),
  language: z.string().nullable(),
  words: z.boolean().optional(),
  translate: z.literal('en').optional(),
  vocabulary: Vocabulary.optional(),
  /** The Turns that the audio step has stored. */
  turns: z.object({ url: z.url(), sizeBytes: z.number().int().nonnegative() }).optional(),
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

const knownSteps = StepOrder.options.map(({ shape }): string => shape.step.value)

const OrderOfAnyImage = z.object({ step: z.string(), v: z.number().optional() })

/** Whether the order is for a container of a later image: it names a step, or has a version, that this one does not know. */
export const isForLaterImage = (order: unknown): boolean => {
  const { success, data } = OrderOfAnyImage.safeParse(order)
  return success && (!knownSteps.includes(data.step) || (data.v ?? 1) > ORDER_VERSION)
}
