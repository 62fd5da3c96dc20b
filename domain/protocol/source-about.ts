import { z } from 'zod'

/** What a source says of itself. Strangers wrote it: the container bounds it and removes control characters. */
export const SourceAbout = z.object({
  /** A file has none of its own, so it is made from the URL. */
  id: z.string().nullable(),
  uploader: z.string().nullable(),
  /** ISO 8601 in UTC, with milliseconds. */
  publishedAt: z.string().nullable(),
  /** Its line breaks are kept. */
  description: z.string().nullable(),
  tags: z.array(z.string()),
  /** As the source writes it, such as `en-US`. */
  language: z.string().nullable(),
})
export type SourceAbout = z.infer<typeof SourceAbout>
