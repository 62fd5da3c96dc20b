import type { TranscriptionJob, TranscriptResult } from '../../domain/jobs/job.ts'
import { transcriptKey } from '../../domain/media/media-keys.ts'
import { storedSegments } from '../../domain/words/transcript-body.ts'
import { contentTypes, formatTranscript, type TranscriptFormat } from '../speech/transcript-formats.ts'
import { inChunks, readInChunks, streamOf } from './chunks.ts'
import { jsonWithTranscript } from './json-with-transcript.ts'

/** null: the job is not completed, or its transcript was removed. */
export const openTranscript = async (
  env: Env,
  { id, result, removedAt }: TranscriptionJob,
): Promise<R2ObjectBody | null> => {
  if (!result || removedAt !== null) return null
  return env.MEDIA.get(transcriptKey(id, result.step, result.attempt))
}

/** A finished transcript as a streamed file. null: the transcript was removed, or the job has none. */
export const transcriptFile = async (env: Env, job: TranscriptionJob, as: TranscriptFormat) => {
  const stored = await openTranscript(env, job)
  if (!job.result || !stored) return null
  const body =
    as === 'json'
      ? jsonFile(stored, job.result)
      : streamOf(inChunks(formatTranscript(storedSegments(readInChunks(stored.body)), as)))
  return { body, contentType: contentTypes[as] }
}

const jsonFile = (stored: R2ObjectBody, { source, language, durationSeconds: duration }: TranscriptResult) =>
  jsonWithTranscript(stored, ({ text, segments }) => ({ text, source, language, duration, segments }))
