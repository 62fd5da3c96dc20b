import { z } from '@hono/zod-openapi'
import { create } from 'content-disposition'
import type { Context } from 'hono'
import { apiKey } from '../guards.ts'
import type { EngineOptions } from '../jobs/transcribe-request.ts'
import { type Rendering, respondWhenEnded } from '../one-call/respond-when-ended.ts'
import { startTranscription } from '../one-call/start-transcription.ts'
import type { HttpEnv } from '../request-context.ts'
import { routerFor } from '../router.ts'
import { refusedWith } from '../schemas.ts'
import { respondDetail, respondFailed } from './errors.ts'
import { languageOf, outputOf } from './output.ts'
import { AsrQuery, asrOptions, DetectQuery, detectOptions } from './query.ts'
import { wavHeader } from './raw-samples.ts'

export const whisperAsrRoutes = routerFor('Whisper ASR API')

const errors = refusedWith(z.object({ detail: z.string() }))
const FORM = 'WhisperAsrForm'
whisperAsrRoutes.openAPIRegistry.register(
  FORM,
  z.object({ audio_file: z.string().openapi({ format: 'binary', description: 'An audio or video file.' }) }),
)
/** A reference, because the library would read a body with a schema into memory to validate it. */
const body = {
  required: true,
  content: { 'multipart/form-data': { schema: { $ref: `#/components/schemas/${FORM}` } } },
}
const refusals = errors(400, 402, 403, 410, 413, 415, 503)

whisperAsrRoutes.add('POST /asr', {
  operationId: 'createWhisperAsrTranscription',
  summary: 'Transcribe a file as whisper-asr-webservice does',
  description:
    'For programs that only speak to whisper-asr-webservice: their endpoint is the URL of this service, with an API key as its password (`https://haul:API_KEY@haul.example.com`). The built-in speech recognition hears the file. The response waits as in the OpenAI API. Media without speech has an empty transcript, which is free.',
  guards: [apiKey('transcribe', 'transcribe')],
  request: { query: AsrQuery, body },
  responses: {
    200: { description: 'The transcript.', content: { 'text/plain': { schema: z.string() } } },
    ...refusals,
  },
  refusedAs: errors,
  handle: (c) => {
    const query = c.req.valid('query')
    const { output } = query
    return answer(c, query, asrOptions(query), {
      headers: {
        'Content-Type': 'text/plain; charset=utf-8',
        'Content-Disposition': create(`transcript.${output}`, { type: 'attachment' }),
        'Asr-Engine': 'haul',
      },
      begins: output === 'vtt' ? 'WEBVTT\n' : '',
      waits: output === 'json' ? ' ' : '\n',
      body: (transcript) => outputOf(transcript, query),
    })
  },
})

whisperAsrRoutes.add('POST /detect-language', {
  operationId: 'detectLanguage',
  summary: 'Detect the spoken language of a file as whisper-asr-webservice does',
  description:
    'The built-in speech recognition hears the first two minutes, which are charged. Without speech in them the language is `unknown`.',
  guards: [apiKey('transcribe', 'transcribe')],
  request: { query: DetectQuery, body },
  responses: {
    200: {
      description: 'The language.',
      content: {
        'application/json': {
          schema: z.object({
            detected_language: z.string().openapi({ example: 'english' }),
            language_code: z.string().openapi({ example: 'en' }),
            confidence: z.number().describe('From 0 to 1.'),
          }),
        },
      },
    },
    ...refusals,
  },
  refusedAs: errors,
  handle: (c) => {
    const query = c.req.valid('query')
    return answer(c, query, detectOptions(query), {
      headers: { 'Content-Type': 'application/json' },
      begins: '',
      waits: ' ',
      body: async (transcript) => new Response(JSON.stringify(languageOf(transcript))).body,
    })
  },
})

const answer = async (
  c: Context<HttpEnv>,
  { encode }: { encode: boolean },
  options: EngineOptions,
  rendering: Pick<Rendering, 'headers' | 'begins' | 'waits' | 'body'>,
): Promise<Response> => {
  const started = await startTranscription(c, {
    fileField: 'audio_file',
    fields: new Set<string>(),
    read: () => ({ asked: null, options }),
    ...(!encode && { fileHead: wavHeader() }),
  })
  if (started instanceof Response) return started
  return respondWhenEnded(c, started, {
    ...rendering,
    waitsPerSilence: 6,
    failed: (job, reason) => respondFailed(c, job, reason),
    stillRunning: (jobId) =>
      respondDetail(c, 504, `The transcription ${jobId} is still running. Send the request again.`),
  })
}
