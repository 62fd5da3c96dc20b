import { z } from '@hono/zod-openapi'
import { named, refusedWith } from '../schemas.ts'

const ErrorBody = named('OpenaiError', {
  error: z.looseObject({
    message: z.string().describe('A message for people.'),
    type: z.enum(['invalid_request_error', 'server_error']),
    param: z.string().nullable().describe('The field that is wrong.'),
    code: z.string().describe('A code of this service, or `model_not_found`.'),
    jobId: z.string().optional().describe('Present if there is a job.'),
  }),
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

export const sentFile = z.string().optional().openapi({
  format: 'binary',
  description:
    'An audio or video file, of up to 100 MB unless the operator sets another limit. Exactly one of `file` and `url` is required.',
})

const Usage = z.object({ type: z.literal('duration'), seconds: z.number().describe('The duration of the media.') })
const text = z.string()
const duration = z.number().describe('In seconds.')

const Transcription = named('OpenaiTranscription', { text: text.openapi({ example: 'Good morning.' }), usage: Usage })

const Segment = named('OpenaiSegment', {
  id: z.number().int().describe('From 0.'),
  seek: z.literal(0),
  start: z.number().describe('Seconds from the start of the media.'),
  end: z.number(),
  text,
  tokens: z.array(z.number().int()).max(0),
  temperature: z.literal(0),
  avg_logprob: z.literal(0),
  compression_ratio: z.literal(1),
  no_speech_prob: z.literal(0),
})

const VerboseTranscription = named('OpenaiVerboseTranscription', {
  task: z.enum(['transcribe', 'translate']),
  language: z.string().openapi({ description: 'An English name in lower case, or `unknown`.', example: 'english' }),
  duration,
  text,
  segments: z.array(Segment).optional().describe('Present with the granularity `segment`.'),
  words: z
    .array(named('OpenaiWord', { word: z.string(), start: z.number(), end: z.number() }))
    .optional()
    .describe('Present with the granularity `word`, if the transcript has word times.'),
  usage: Usage,
})

const DiarizedSegment = named('OpenaiDiarizedSegment', {
  type: z.literal('transcript.text.segment'),
  id: z.string(),
  start: z.number(),
  end: z.number(),
  text,
  speaker: z.string().describe('`A`, `B` and so on, in order of first appearance.'),
})

const DiarizedTranscription = named('OpenaiDiarizedTranscription', {
  task: z.literal('transcribe'),
  duration,
  text,
  segments: z.array(DiarizedSegment),
  usage: Usage,
})

const file = { schema: text }
const files = { 'text/plain': file, 'application/x-subrip': file, 'text/vtt': file }
const headers = z.object({ 'X-Haul-Job-Id': z.string() })

export const transcriptionResponse = {
  description: 'The transcript, in the format of `response_format`.',
  headers,
  content: {
    'application/json': { schema: z.union([Transcription, VerboseTranscription, DiarizedTranscription]) },
    ...files,
    'text/event-stream': file,
  },
}

export const translationResponse = {
  description: 'The transcript in English, in the format of `response_format`.',
  headers,
  content: { 'application/json': { schema: z.union([Transcription, VerboseTranscription]) }, ...files },
}
