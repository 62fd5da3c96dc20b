import { z } from '@hono/zod-openapi'
import type { Router } from '../router.ts'
import { named, refusedWith } from '../schemas.ts'
import { TranscriptionForm, TranslationForm } from './transcription-form.ts'

/** What the OpenAPI document says of this API. */

const ErrorBody = named('OpenaiError', {
  error: z
    .object({
      message: z.string().describe('A message for people.'),
      type: z.enum(['invalid_request_error', 'server_error']),
      param: z.string().nullable().describe('The field that is wrong.'),
      code: z.string().describe('A code of this service, or `model_not_found`.'),
      jobId: z.string().optional().describe('Present if there is a job.'),
    })
    .loose(),
})

export const openaiErrors = refusedWith(ErrorBody, {
  400: 'The request is not valid, or the media cannot be transcribed.',
  402: 'The account balance is too low, or the price is above `max_cost_dollars`.',
  403: 'The account is suspended.',
  404: 'There is no such model.',
  410: 'The transcript was removed.',
  413: 'The file is too large for a request. The message says how to send it.',
  415: 'The body is not multipart/form-data.',
  500: 'Something went wrong on our side, or the job timed out.',
  502: 'The provider could not transcribe the media.',
  504: 'The job still runs at the end of TRANSCRIPTION_WAIT_MS. The same request waits for it again.',
})

const file = z.string().optional().openapi({
  format: 'binary',
  description:
    'An audio or video file, of up to 100 MB unless the operator sets another limit. Exactly one of `file` and `url` is required.',
})

export const registerForms = ({ openAPIRegistry }: Router): void => {
  openAPIRegistry.register('OpenaiTranscriptionForm', z.object({ file, ...TranscriptionForm.shape }))
  openAPIRegistry.register('OpenaiTranslationForm', z.object({ file, ...TranslationForm.shape }))
}

/** A reference, because the library would read a body with a schema into memory to validate it. */
const formNamed = (name: string) => ({
  required: true,
  content: { 'multipart/form-data': { schema: { $ref: `#/components/schemas/${name}` } } },
})

export const transcriptionForm = formNamed('OpenaiTranscriptionForm')
export const translationForm = formNamed('OpenaiTranslationForm')

const Usage = z.object({
  type: z.literal('duration'),
  seconds: z.number().describe('The duration of the media.'),
})

const Transcription = named('OpenaiTranscription', {
  text: z.string().openapi({ example: 'Good morning.' }),
  usage: Usage,
})

const Segment = named('OpenaiSegment', {
  id: z.number().int().describe('From 0.'),
  seek: z.literal(0),
  start: z.number().describe('Seconds from the start of the media.'),
  end: z.number(),
  text: z.string(),
  tokens: z.array(z.number().int()).max(0),
  temperature: z.literal(0),
  avg_logprob: z.literal(0),
  compression_ratio: z.literal(1),
  no_speech_prob: z.literal(0),
})

const VerboseTranscription = named('OpenaiVerboseTranscription', {
  task: z.enum(['transcribe', 'translate']),
  language: z.string().openapi({ description: 'An English name in lower case, or `unknown`.', example: 'english' }),
  duration: z.number().describe('In seconds.'),
  text: z.string(),
  segments: z.array(Segment).optional().describe('Present with the granularity `segment`.'),
  words: z
    .array(named('OpenaiWord', { word: z.string(), start: z.number(), end: z.number() }))
    .optional()
    .describe('Present with the granularity `word`, if the transcript has word times.'),
  usage: Usage,
})

const DiarizedTranscription = named('OpenaiDiarizedTranscription', {
  task: z.literal('transcribe'),
  duration: z.number().describe('In seconds.'),
  text: z.string(),
  segments: z.array(
    named('OpenaiDiarizedSegment', {
      type: z.literal('transcript.text.segment'),
      id: z.string(),
      start: z.number(),
      end: z.number(),
      text: z.string(),
      speaker: z.string().describe('`A`, `B` and so on, in order of first appearance.'),
    }),
  ),
  usage: Usage,
})

const text = { schema: z.string() }
const files = { 'text/plain': text, 'application/x-subrip': text, 'text/vtt': text }
const headers = z.object({ 'X-Haul-Job-Id': z.string() })

export const transcriptionResponse = {
  description: 'The transcript, in the format of `response_format`.',
  headers,
  content: {
    'application/json': { schema: z.union([Transcription, VerboseTranscription, DiarizedTranscription]) },
    ...files,
    'text/event-stream': text,
  },
}

export const translationResponse = {
  description: 'The transcript in English, in the format of `response_format`.',
  headers,
  content: { 'application/json': { schema: z.union([Transcription, VerboseTranscription]) }, ...files },
}
