import { z } from 'zod'
import { SourceAbout } from './source-about.ts'
import { Uploaded } from './uploads.ts'

/** A report is also the heartbeat that renews the lease, so it is sent at regular intervals, even if nothing has changed. */
export const Progress = z.object({
  /** `delivering` is the copy into the caller's bucket, which the Worker does itself. */
  stage: z.enum(['resolving', 'downloading', 'processing', 'uploading', 'recognizing', 'delivering']),
  /** 0 to 100 of the whole step, or null if unknown. */
  percent: z.number().min(0).max(100).nullable(),
  downloadedBytes: z.number().int().nonnegative(),
  /** Only a size that the source announced, never an estimate: the account holds money for it. */
  totalBytes: z.number().int().nonnegative().nullable(),
  /** The expected size of a download, if the source does not announce it. Only for quotes. */
  estimatedBytes: z.number().int().nonnegative().optional(),
  bytesPerSecond: z.number().nonnegative().nullable(),
  /** Of the speech that is charged. Absent until the source is resolved, null if it is unknown after that. */
  durationSeconds: z.number().nonnegative().nullable().optional(),
  durationIsEstimate: z.boolean().optional(),
  /** The download waits until this many bytes are agreed. After it: the largest size of the file to be re-encoded. */
  neededBytes: z.number().int().nonnegative().optional(),
  /** What the download asks for in advance, so that it need not stop. */
  wantedBytes: z.number().int().nonnegative().optional(),
  /** The speech turns out to last longer than was stated, and so much of it is asked for. */
  wantedSeconds: z.number().nonnegative().optional(),
})
export type Progress = z.infer<typeof Progress>

/** The progress of a step that has just been claimed. Nobody needs to report it. */
export const firstProgress: Progress = {
  stage: 'resolving',
  percent: null,
  downloadedBytes: 0,
  totalBytes: null,
  bytesPerSecond: null,
}

export const ProgressResponse = z.object({
  stop: z.boolean(),
  /** The bytes that the hold covers: no more are downloaded before the next report. Absent: they are free. */
  agreedBytes: z.number().int().nonnegative().optional(),
  /** The seconds of speech that the hold covers: no more are decoded. */
  agreedSeconds: z.number().nonnegative().optional(),
})
export type ProgressResponse = z.infer<typeof ProgressResponse>

export const Chapter = z.object({ title: z.string(), startSeconds: z.number(), endSeconds: z.number() })
export type Chapter = z.infer<typeof Chapter>

export const MediaFacts = z.object({
  title: z.string(),
  /** The extension without its dot, from the container format that ffprobe detected. */
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
  /** A note to the caller, for example that the page had several videos and the first one was imported. */
  note: z.string().nullable(),
  /** What was cut, in times of the media, if the order has a clip. The picture starts at `actualStartSeconds`. */
  clip: z
    .object({
      startSeconds: z.number().nonnegative(),
      endSeconds: z.number().nonnegative(),
      actualStartSeconds: z.number().nonnegative(),
    })
    .optional(),
  transcoded: z.boolean().optional(),
})
export type MediaFacts = z.infer<typeof MediaFacts>

/** The uploaded transcript is `{text, segments}` as JSON; these are its other properties. */
export const TranscriptFacts = z.object({
  language: z.string(),
  /** Absent: captions, or the engine does not tell. */
  languageProbability: z.number().min(0).max(1).optional(),
  /** The name of the weights. Absent: captions. */
  model: z.string().optional(),
  /** Whether the engine used the order's vocabulary. Absent: the order had none. */
  vocabulary: z.boolean().optional(),
  durationSeconds: z.number().nonnegative(),
  segments: z.number().int().nonnegative(),
  /** How the transcript is stored: see StoredLayout. */
  hasWords: z.boolean(),
  hasSpeakers: z.boolean(),
  plainBytes: z.number().int().positive().nullable(),
})
export type TranscriptFacts = z.infer<typeof TranscriptFacts>

/** `code`: NOT_AT_SOURCE, or the failure because of which it could not be read. */
const MissingTrack = z.object({ language: z.string(), code: z.string() })

const ReadTrack = z.object({
  /** As it was asked for, else that of the track. */
  language: z.string(),
  origin: z.enum(['manual', 'automatic']),
  /** Where its transcript is in the uploaded object. */
  range: z.object({ offset: z.number().int().nonnegative(), length: z.number().int().positive() }),
  facts: TranscriptFacts,
})
export type ReadTrack = z.infer<typeof ReadTrack>

const Track = z.union([ReadTrack, MissingTrack])
export type Track = z.infer<typeof Track>

/** The captions that an order asks for as files, and those that may be the transcript. */
export const ReadCaptions = z.object({
  /** One object with all of them. null: none was read. */
  upload: Uploaded.nullable(),
  files: z.array(Track),
  transcript: Track.optional(),
})
export type ReadCaptions = z.infer<typeof ReadCaptions>

export const FetchedMedia = z.object({
  step: z.literal('fetch'),
  media: Uploaded,
  thumbnail: Uploaded.nullable(),
  facts: MediaFacts,
  /** Absent: the order asks for none. */
  captions: ReadCaptions.optional(),
  about: SourceAbout.optional(),
  chapters: z.array(Chapter).optional(),
})
export type FetchedMedia = z.infer<typeof FetchedMedia>

export const FoundCaptions = z.object({
  step: z.literal('captions'),
  /** null if the source has no captions, or none could be fetched. */
  transcript: Uploaded.nullable(),
  facts: TranscriptFacts.nullable(),
  durationSeconds: z.number().nonnegative().nullable(),
  /** What the audio step would download, announced or estimated, for the quote. */
  audioBytes: z.number().int().nonnegative().nullable().optional(),
  durationIsEstimate: z.boolean().optional(),
  title: z.string().optional(),
  chapters: z.array(Chapter).optional(),
  /** Those that the order wants as files. */
  tracks: ReadCaptions.optional(),
  about: SourceAbout.optional(),
  /** A temporary failure that prevented fetching captions that do exist. Only without a transcript. */
  withheld: z.string().nullable().optional(),
})
export type FoundCaptions = z.infer<typeof FoundCaptions>

export const UploadedAudio = z.object({
  step: z.literal('audio'),
  /** The speech that is charged: that of the clip, if there is one, else of the media. */
  durationSeconds: z.number().nonnegative(),
  mediaSeconds: z.number().nonnegative().optional(),
  title: z.string().optional(),
  chapters: z.array(Chapter).optional(),
  about: SourceAbout.optional(),
  downloadedBytes: z.number().int().nonnegative(),
  pieces: z.array(
    z.object({
      upload: Uploaded,
      offsetSeconds: z.number().nonnegative(),
      durationSeconds: z.number().nonnegative(),
    }),
  ),
  /** Turns as JSON, if the order asks who speaks. */
  turns: Uploaded.optional(),
})
export type UploadedAudio = z.infer<typeof UploadedAudio>

export const RecognizedSpeech = z.object({
  step: z.literal('recognize'),
  transcript: Uploaded,
  facts: TranscriptFacts,
})
export type RecognizedSpeech = z.infer<typeof RecognizedSpeech>

export const StepResult = z.discriminatedUnion('step', [FetchedMedia, FoundCaptions, UploadedAudio, RecognizedSpeech])
export type StepResult = z.infer<typeof StepResult>

const downloadedBytes = z.number().int().nonnegative().optional()

/** An extractor of yt-dlp, such as `youtube`, and the version of yt-dlp; or the container itself, such as `direct`. */
export const ReadBy = z.object({
  /** null: it failed before it was known which one it is. */
  extractor: z.string().nullable(),
  extractorVersion: z.string().nullable(),
})
export type ReadBy = z.infer<typeof ReadBy>

/** Absent from a step that reads no source. */
const readBy = ReadBy.optional()

/**
 * `failed` is caused by the source and ends the job. `gaveBack` is caused by us: another attempt runs, and `code` is
 * the failure if none is left. `usesAttempt` false: the container is draining, or lacks the `diskBytes` that the step
 * needs.
 */
export const StepOutcome = z.discriminatedUnion('status', [
  z.object({ status: z.literal('done'), result: StepResult, readBy }),
  z.object({ status: z.literal('failed'), code: z.string(), message: z.string(), downloadedBytes, readBy }),
  z.object({
    status: z.literal('gaveBack'),
    reason: z.string(),
    code: z.string().optional(),
    usesAttempt: z.boolean().optional(),
    diskBytes: z.number().int().nonnegative().optional(),
    downloadedBytes,
  }),
])
export type StepOutcome = z.infer<typeof StepOutcome>
