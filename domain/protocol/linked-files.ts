import { z } from 'zod'

/** A file that a feed names beside the media of an item. */
export const LinkedFile = z.object({
  url: z.url(),
  /** How its text is written. The names are those of caption formats. */
  format: z.enum(['vtt', 'srt', 'json', 'html']),
  /** null: the feed does not state it. */
  language: z.string().nullable(),
})
export type LinkedFile = z.infer<typeof LinkedFile>

/** `podcast:transcript` and `podcast:chapters` of an item. */
export const LinkedFiles = z.object({
  transcripts: z.array(LinkedFile),
  /** The URL of a JSON file. */
  chapters: z.url().nullable(),
})
export type LinkedFiles = z.infer<typeof LinkedFiles>
