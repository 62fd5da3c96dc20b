import type { TranscriptionJob, TranscriptResult } from '../../../domain/jobs/job.ts'
import { milliseconds, type Segment } from '../../../domain/words/segment.ts'
import { storedSegments, storedWords } from '../../../domain/words/transcript-body.ts'
import { seam } from '../../../domain/words/writing.ts'
import { inChunks, readInChunks, streamOf } from '../../media/chunks.ts'
import { type OpenTranscript, textOf } from '../../media/json-with-transcript.ts'
import { openTranscript, transcriptFile } from '../../media/transcripts.ts'
import { languageName } from '../../speech/languages.ts'
import { defaultLayout } from '../../speech/transcript-layout.ts'
import { type TranscriptionForm, wantsSegments, wantsWords } from './transcription-form.ts'

/** The transcript in the format of the request, written while it is read. null: it was removed. */
export const transcriptionBody = async (
  env: Env,
  job: TranscriptionJob,
  form: TranscriptionForm,
): Promise<{ body: ReadableStream<Uint8Array>; contentType: string } | null> => {
  const { result } = job
  if (!result) return null
  const format = form.response_format
  if (format === 'srt' || format === 'vtt') return transcriptFile(env, job, format, defaultLayout)
  const open = (withWords: boolean) => openTranscript(env, job, { withWords })
  const plain = await open(false)
  if (!plain) return null
  if (format === 'text') return { body: streamOf(text(plain)), contentType: 'text/plain; charset=utf-8' }
  const chunks = format === 'json' ? json(plain, result) : verboseJson({ plain, open, result, form })
  return { body: streamOf(chunks), contentType: 'application/json' }
}

const usageOf = ({ durationSeconds }: TranscriptResult) =>
  JSON.stringify({ type: 'duration', seconds: durationSeconds })

const encode = (written: string): Uint8Array => new TextEncoder().encode(written)

/** One line, as in the other formats. */
const text = (plain: OpenTranscript): AsyncGenerator<Uint8Array> => inChunks(line(segmentsOf(plain)))

async function* line(segments: AsyncIterable<Segment>): AsyncGenerator<string> {
  let previous = ''
  for await (const { text } of segments) {
    yield previous === '' ? text : seam(previous, text) + text
    previous = text
  }
  yield '\n'
}

async function* json(plain: OpenTranscript, result: TranscriptResult): AsyncGenerator<Uint8Array> {
  yield encode('{"text":')
  yield* textOf(plain)
  yield encode(`,"usage":${usageOf(result)}}`)
}

interface Verbose {
  plain: OpenTranscript
  open: (withWords: boolean) => Promise<OpenTranscript | null>
  result: TranscriptResult
  form: TranscriptionForm
}

async function* verboseJson({ plain, open, result, form }: Verbose): AsyncGenerator<Uint8Array> {
  const { language, durationSeconds, hasWords } = result
  const facts = { task: 'transcribe', language: languageName(language) ?? UNKNOWN_LANGUAGE, duration: durationSeconds }
  yield encode(`${JSON.stringify(facts).slice(0, -1)},"text":`)
  yield* textOf(plain)
  if (wantsSegments(form)) yield* list('segments', numbered(segmentsOf(present(await open(false)))))
  if (wantsWords(form) && hasWords) yield* list('words', wordsOf(present(await open(true))))
  yield encode(`,"usage":${usageOf(result)}}`)
}

const UNKNOWN_LANGUAGE = 'unknown'

const segmentsOf = ({ body }: OpenTranscript): AsyncGenerator<Segment> => storedSegments(readInChunks(body))

const present = (transcript: OpenTranscript | null): OpenTranscript => {
  if (!transcript) throw new Error('the transcript was removed while it was sent')
  return transcript
}

/**
 * A segment in OpenAI's shape. Whisper's measurements of a segment are not known here, and many engines have none. Their
 * values are those of a segment about which nothing was noticed.
 */
async function* numbered(segments: AsyncIterable<Segment>): AsyncGenerator<object> {
  let id = 0
  for await (const { start, end, text } of segments) {
    yield {
      id: id++,
      seek: 0,
      start: milliseconds(start),
      end: milliseconds(end),
      text,
      tokens: [],
      temperature: 0,
      avg_logprob: 0,
      compression_ratio: 1,
      no_speech_prob: 0,
    }
  }
}

async function* wordsOf({ body }: OpenTranscript): AsyncGenerator<object> {
  for await (const { text, start, end } of storedWords(readInChunks(body))) yield { word: text, start, end }
}

/** A property of the object that is being written, as a list. */
async function* list(name: string, values: AsyncIterable<object>): AsyncGenerator<Uint8Array> {
  yield encode(`,"${name}":[`)
  yield* inChunks(separated(values))
  yield encode(']')
}

async function* separated(values: AsyncIterable<object>): AsyncGenerator<string> {
  let separator = ''
  for await (const value of values) {
    yield separator + JSON.stringify(value)
    separator = ','
  }
}
