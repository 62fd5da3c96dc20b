import { z } from '@hono/zod-openapi'
import { transcriptFormats } from '../../speech/transcript-formats.ts'
import { defaultLayout } from '../../speech/transcript-layout.ts'
import { JobIdQuery } from '../schemas.ts'

/** `1`, or `0`, which is also the default. */
export const Flag = z
  .enum(['0', '1'])
  .default('0')
  .transform((value) => value === '1')

const wholeNumber = (min: number, max: number, fallback: number, description: string) =>
  // The library would add null, which a query cannot be. With a type it leaves out the limits.
  z.coerce
    .number()
    .int()
    .min(min)
    .max(max)
    .default(fallback)
    .openapi({ type: 'integer', minimum: min, maximum: max, description })

export const TranscriptQuery = z.object({
  id: JobIdQuery,
  format: z.enum(transcriptFormats).default('json'),
  speakers: Flag.openapi({
    description: '`1`: names before lines in txt, md, srt and vtt. JSON and tsv always have the speakers.',
  }),
  chapters: Flag.openapi({ description: '`1`: the titles of chapters as headings in txt and md.' }),
  maxLineChars: wholeNumber(
    20,
    100,
    defaultLayout.maxLineChars,
    'The most characters of a line in srt and vtt. Chinese, Japanese and Korean ones count twice.',
  ),
  maxLines: wholeNumber(1, 3, defaultLayout.maxLines, 'The most lines of a subtitle in srt and vtt.'),
})
