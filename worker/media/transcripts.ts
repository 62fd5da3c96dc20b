import type { TranscriptionJob } from '../../domain/jobs/job.ts'
import type { TranscriptBody } from '../../domain/jobs/job-status.ts'
import { transcriptKey } from '../../domain/media/media-keys.ts'
import { contentTypes, formatTranscript, type TranscriptFormat } from '../speech/transcript-formats.ts'

/** A finished transcript as a streamed file. null: the transcript was removed, or the job has none. */
export const transcriptFile = async (env: Env, job: TranscriptionJob, as: TranscriptFormat) => {
  const body = await readTranscript(env, job)
  if (!job.result || !body) return null
  const { source, language, durationSeconds: duration } = job.result
  const transcript = { text: body.text, source, language, duration, segments: body.segments }
  return { body: streamed(formatTranscript(transcript, as)), contentType: contentTypes[as] }
}

/** null: the job is not completed, or its transcript was removed. */
export const readTranscript = async (
  env: Env,
  { id, result, removedAt }: TranscriptionJob,
): Promise<TranscriptBody | null> => {
  if (!result || removedAt !== null) return null
  const object = await env.MEDIA.get(transcriptKey(id, result.step, result.attempt))
  return object ? object.json<TranscriptBody>() : null
}

const CHUNK_CHARACTERS = 32_768

/** Formats each chunk only when the client reads it. */
const streamed = (lines: Iterable<string>): ReadableStream<Uint8Array> => {
  const encoder = new TextEncoder()
  const remaining = lines[Symbol.iterator]()
  return new ReadableStream({
    pull: (controller) => {
      let chunk = ''
      while (chunk.length < CHUNK_CHARACTERS) {
        const { value, done } = remaining.next()
        if (!done) chunk += value
        else {
          if (chunk !== '') controller.enqueue(encoder.encode(chunk))
          controller.close()
          return
        }
      }
      controller.enqueue(encoder.encode(chunk))
    },
  })
}
