import type { Job } from '../../domain/jobs/job.ts'
import { transcriptFacts } from '../../domain/jobs/job-status.ts'
import { readableTranscript } from '../../domain/jobs/readable-words.ts'
import type { Transcript } from '../../domain/jobs/transcript.ts'
import { wordsKey } from '../../domain/media/media-keys.ts'
import type { Segment, SegmentWord } from '../../domain/words/segment.ts'
import { rangeInObject, storedSegments, storedWords } from '../../domain/words/transcript-body.ts'
import { contentTypes, type TranscriptFormat } from '../../domain/words/transcript-formats.ts'
import { formatTranscript, type WrittenFormat } from '../speech/transcript-formats.ts'
import type { AboutTranscript, Layout } from '../speech/transcript-layout.ts'
import { inChunks, readInChunks, streamOf } from './chunks.ts'
import { jsonWithTranscript, type OpenTranscript } from './json-with-transcript.ts'

/** null: it is not stored any more. */
export const openTranscript = async (
  env: Env,
  jobId: string,
  transcript: Transcript | null,
  { withWords }: { withWords: boolean },
): Promise<OpenTranscript | null> => {
  if (!transcript) return null
  const range = rangeInObject(transcript, withWords)
  const stored = await env.MEDIA.get(wordsKey(jobId, transcript), { range })
  return stored && { body: stored.body, sizeBytes: range.length ?? stored.size - range.offset }
}

export const transcriptSegments = async (env: Env, job: Job): Promise<AsyncGenerator<Segment> | null> => {
  const stored = await openTranscript(env, job.id, readableTranscript(job), { withWords: false })
  return stored && segmentsOf(stored)
}

export const segmentsOf = (stored: OpenTranscript): AsyncGenerator<Segment> => storedSegments(chunksOf(stored))

export const wordsOf = (stored: OpenTranscript): AsyncGenerator<SegmentWord> => storedWords(chunksOf(stored))

/** A transcript that ends between two lines would be taken for a shorter one. */
async function* chunksOf({ body, sizeBytes }: OpenTranscript): AsyncGenerator<Uint8Array> {
  let left = sizeBytes
  for await (const chunk of readInChunks(body)) {
    left -= chunk.length
    yield chunk
  }
  if (left > 0) throw new Error('the stored transcript is incomplete')
}

/** null: it is not stored any more. */
export const transcriptFile = async (
  env: Env,
  jobId: string,
  transcript: Transcript,
  format: TranscriptFormat,
  layout: Layout,
) => {
  const stored = await openTranscript(env, jobId, transcript, { withWords: format === 'json' })
  if (!stored) return null
  const body = format === 'json' ? jsonFile(stored, transcript) : writtenFile(stored, format, layout, transcript)
  return { body, contentType: contentTypes[format] }
}

export const writtenFile = (
  stored: OpenTranscript,
  format: WrittenFormat,
  layout: Layout,
  about: AboutTranscript,
): ReadableStream<Uint8Array> => streamOf(inChunks(formatTranscript(segmentsOf(stored), format, layout, about)))

const jsonFile = (stored: OpenTranscript, transcript: Transcript) =>
  jsonWithTranscript(stored, ({ text, segments }) => ({ text, ...transcriptFacts(transcript), segments }))
