import type { TranscriptionJob, TranscriptResult } from '../../domain/jobs/job.ts'
import { transcriptFacts } from '../../domain/jobs/job-status.ts'
import { transcriptKey } from '../../domain/media/media-keys.ts'
import type { Segment, SegmentWord } from '../../domain/words/segment.ts'
import { rangeInObject, storedSegments, storedWords } from '../../domain/words/transcript-body.ts'
import {
  contentTypes,
  formatTranscript,
  type TranscriptFormat,
  type WrittenFormat,
} from '../speech/transcript-formats.ts'
import type { AboutTranscript, Layout } from '../speech/transcript-layout.ts'
import { inChunks, readInChunks, streamOf } from './chunks.ts'
import { jsonWithTranscript, type OpenTranscript } from './json-with-transcript.ts'

/** null: the job is not completed, or its transcript was removed. */
export const openTranscript = async (
  env: Env,
  { id, result, removedAt }: TranscriptionJob,
  { withWords }: { withWords: boolean },
): Promise<OpenTranscript | null> => {
  if (!result || removedAt !== null) return null
  const range = rangeInObject(result.plainBytes, withWords)
  const stored = await env.MEDIA.get(transcriptKey(id, result.step, result), { range })
  return stored && { body: stored.body, sizeBytes: range.length ?? stored.size - range.offset }
}

export const transcriptSegments = async (env: Env, job: TranscriptionJob): Promise<AsyncGenerator<Segment> | null> => {
  const stored = await openTranscript(env, job, { withWords: false })
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

/** null: the transcript was removed, or the job has none. */
export const transcriptFile = async (env: Env, job: TranscriptionJob, format: TranscriptFormat, layout: Layout) => {
  const stored = await openTranscript(env, job, { withWords: format === 'json' })
  if (!job.result || !stored) return null
  const body = format === 'json' ? jsonFile(stored, job.result) : writtenFile(stored, format, layout, job.result)
  return { body, contentType: contentTypes[format] }
}

export const writtenFile = (
  stored: OpenTranscript,
  format: WrittenFormat,
  layout: Layout,
  about: AboutTranscript,
): ReadableStream<Uint8Array> => streamOf(inChunks(formatTranscript(segmentsOf(stored), format, layout, about)))

const jsonFile = (stored: OpenTranscript, result: TranscriptResult) =>
  jsonWithTranscript(stored, ({ text, segments }) => ({ text, ...transcriptFacts(result), segments }))
