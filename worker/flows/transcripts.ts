import type { TranscriptionJob } from '../domain/jobs/job.ts'
import { type TranscriptBody, transcriptionStatus } from '../domain/jobs/view.ts'
import { transcriptKey } from '../domain/media/media-keys.ts'
import type { TranscriptFormat } from '../domain/words/formats.ts'
import { contentTypes, format } from '../speech/formats/formats.ts'

/** Finished transcripts, as the status shows them and as files. */
export const presentTranscription = async (env: Env, job: TranscriptionJob): Promise<object> =>
  transcriptionStatus(job, await bodyOf(env, job))

/** null: it was removed, or there never was one. */
export const transcriptFile = async (env: Env, job: TranscriptionJob, as: TranscriptFormat) => {
  const body = await bodyOf(env, job)
  if (!job.result || !body) return null
  const { source, language, durationSeconds: duration } = job.result
  const transcript = { text: body.text, source, language, duration, segments: body.segments }
  return { body: streamed(format(transcript, as)), contentType: contentTypes[as] }
}

const bodyOf = async (env: Env, { id, result, removedAt }: TranscriptionJob): Promise<TranscriptBody | null> => {
  if (!result || removedAt !== null) return null
  const object = await env.MEDIA.get(transcriptKey(id, result.step, result.attempt))
  return object ? object.json<TranscriptBody>() : null
}

const CHUNK_CHARACTERS = 32_768

/** A chunk is made when it is wanted. */
const streamed = (lines: Iterable<string>): ReadableStream<Uint8Array> => {
  const encoder = new TextEncoder()
  const left = lines[Symbol.iterator]()
  return new ReadableStream({
    pull: (controller) => {
      let chunk = ''
      while (chunk.length < CHUNK_CHARACTERS) {
        const { value, done } = left.next()
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
