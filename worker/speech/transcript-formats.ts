import { milliseconds } from '../../domain/words/segment.ts'
import type { TranscriptFormat } from '../../domain/words/transcript-formats.ts'
import { markdown, txt } from './paragraphs.ts'
import { srt, vtt } from './subtitles.ts'
import type { AboutTranscript, Layout, Segments } from './transcript-layout.ts'

/** JSON is copied from storage instead. */
export type WrittenFormat = Exclude<TranscriptFormat, 'json'>

/** Yields a few hundred characters at a time, so that neither the transcript nor the file is in memory as a whole. */
export const formatTranscript = (
  segments: Segments,
  format: WrittenFormat,
  layout: Layout,
  about: AboutTranscript,
): AsyncIterable<string> => writers[format](segments, layout, about)

/** A value has no quotes or escapes in this format, so it must not contain a tab or a line end. */
async function* tsv(segments: Segments, _layout: Layout, { hasSpeakers }: AboutTranscript): AsyncGenerator<string> {
  const row = (values: (string | number)[]) =>
    `${values.map((value) => `${value}`.replace(separators, ' ')).join('\t')}\n`
  yield row(['start', 'end', 'text', ...(hasSpeakers ? ['speaker'] : [])])
  for await (const { start, end, text, speaker = '' } of segments)
    yield row([milliseconds(start), milliseconds(end), text, ...(hasSpeakers ? [speaker] : [])])
}

/** Some programs end a line at U+0085, or at a control character such as U+001E. */
const separators = /[\s\p{Cc}]+/gu

const writers = { txt, srt, vtt, tsv, md: markdown } satisfies Record<WrittenFormat, typeof txt>
