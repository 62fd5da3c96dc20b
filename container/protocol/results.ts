import { z } from 'zod'
import { Uploaded } from './uploads.ts'

/** What ffprobe and the source say of the file that was made. */
export const MediaFacts = z.object({
  title: z.string(),
  /** Extension without the dot, from the real container. */
  extension: z.string(),
  contentType: z.string(),
  durationSeconds: z.number().nonnegative(),
  sizeBytes: z.number().int().positive(),
  downloadedBytes: z.number().int().nonnegative(),
  sha256: z.string(),
  width: z.number().int().nullable(),
  height: z.number().int().nullable(),
  videoCodec: z.string().nullable(),
  audioCodec: z.string().nullable(),
  /** For the caller, for example that a page held several videos and the first was taken. */
  note: z.string().nullable(),
})
export type MediaFacts = z.infer<typeof MediaFacts>

export const FetchedMedia = z.object({
  step: z.literal('fetch'),
  media: Uploaded,
  thumbnail: Uploaded.nullable(),
  facts: MediaFacts,
})
export type FetchedMedia = z.infer<typeof FetchedMedia>

/** What an uploaded transcript holds: `{text, segments}` as JSON, and these facts about it. */
export const TranscriptFacts = z.object({
  language: z.string(),
  durationSeconds: z.number().nonnegative(),
  segments: z.number().int().nonnegative(),
})

export const FoundCaptions = z.object({
  step: z.literal('captions'),
  /** null: there are none, or none could be had. */
  transcript: Uploaded.nullable(),
  facts: TranscriptFacts.nullable(),
  /** Of the media, for the quote, where it is known. */
  durationSeconds: z.number().nonnegative().nullable(),
  /** What the audio step would have to download, for the quote as well: announced or estimated. */
  audioBytes: z.number().int().nonnegative().nullable().optional(),
  /** Without a transcript: there are captions, and this failure, which may pass, kept them from us. */
  withheld: z.string().nullable().optional(),
})
export type FoundCaptions = z.infer<typeof FoundCaptions>

export const PreparedSound = z.object({
  step: z.literal('audio'),
  durationSeconds: z.number().nonnegative(),
  downloadedBytes: z.number().int().nonnegative(),
  pieces: z.array(
    z.object({
      upload: Uploaded,
      offsetSeconds: z.number().nonnegative(),
      durationSeconds: z.number().nonnegative(),
    }),
  ),
})
export type PreparedSound = z.infer<typeof PreparedSound>

export const RecognizedSpeech = z.object({
  step: z.literal('recognize'),
  transcript: Uploaded,
  facts: TranscriptFacts,
})
export type RecognizedSpeech = z.infer<typeof RecognizedSpeech>

export const StepResult = z.discriminatedUnion('step', [FetchedMedia, FoundCaptions, PreparedSound, RecognizedSpeech])
export type StepResult = z.infer<typeof StepResult>
