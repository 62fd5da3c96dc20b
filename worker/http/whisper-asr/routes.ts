import { z } from '@hono/zod-openapi'
import { create } from 'content-disposition'
import type { Context } from 'hono'
import type { Failure } from '../../../domain/codes/failures.ts'
import { utf8 } from '../../../domain/encoding.ts'
import type { Job } from '../../../domain/jobs/job.ts'
import { askedAt, defaultsOf, tableAt } from '../../../domain/options/option.ts'
import { MAX_SPEAKERS, transcribeOptions } from '../../../domain/options/transcribe-options.ts'
import { milliseconds, type Segment } from '../../../domain/words/segment.ts'
import { inChunks, streamOf } from '../../media/chunks.ts'
import { segmentsOf } from '../../media/transcripts.ts'
import { baseLanguage, languageCode, languageName } from '../../speech/languages.ts'
import { apiKey } from '../guards.ts'
import { textSchemasOf, truth } from '../jobs/option-schemas.ts'
import { withUsablePrompt } from '../jobs/options-problem.ts'
import type { EngineOptions } from '../jobs/start-requests.ts'
import { offerFor } from '../offer-of-request.ts'
import { asFile, type EndedTranscript, type Writing } from '../one-call/respond-when-ended.ts'
import { transcribeForm } from '../one-call/start-transcription.ts'
import { withoutSpareWords } from '../one-call/words-of-model.ts'
import { failedJobError } from '../openai/errors.ts'
import { jsonObject, listMember, numbered, textMember } from '../openai/response-body.ts'
import type { HttpEnv } from '../request-context.ts'
import { respondDetail } from '../respond.ts'
import { routerFor } from '../router.ts'
import { formBody, plainJson, refusedWith } from '../schemas.ts'

/** Samples without a header, as whisper-asr-webservice takes them. */
const SAMPLE_RATE = 16_000
const BYTES_PER_SAMPLE = 2
/** The length is not known when the header is written. With this value, readers take all bytes that follow. */
const UNKNOWN_BYTES = 0xffff_ffff

const wavHeader = (): Uint8Array => {
  const bytes = new Uint8Array(44)
  const header = new DataView(bytes.buffer)
  bytes.set(utf8('RIFF'))
  header.setUint32(4, UNKNOWN_BYTES, true)
  bytes.set(utf8('WAVEfmt '), 8)
  header.setUint32(16, 16, true)
  // PCM, in one channel.
  header.setUint16(20, 1, true)
  header.setUint16(22, 1, true)
  header.setUint32(24, SAMPLE_RATE, true)
  header.setUint32(28, SAMPLE_RATE * BYTES_PER_SAMPLE, true)
  header.setUint16(32, BYTES_PER_SAMPLE, true)
  header.setUint16(34, BYTES_PER_SAMPLE * 8, true)
  bytes.set(utf8('data'), 36)
  header.setUint32(40, UNKNOWN_BYTES, true)
  return bytes
}

/** The parameters of POST /asr and POST /detect-language. All others are ignored. */
const shared = textSchemasOf(tableAt(transcribeOptions, 'asr'))

const encode = truth(true, '`false`: the file is 16 kHz mono samples (16-bit, little-endian) without a header.')
/** A name or a code. Clients send an empty one, or `auto`, for one that they do not know. */
const languageText = z.string().max(35).optional()
const language = languageText.transform((given) =>
  given && !/^(?:auto|none)$/i.test(given) ? languageCode(given) : null,
)

const count = z.number().int().min(1).max(MAX_SPEAKERS).optional()
const speakers = z
  .preprocess((value) => (value === undefined || value === '' ? undefined : Number(value)), count)
  .openapi({ type: 'integer', minimum: 1, maximum: MAX_SPEAKERS, description: 'With `diarize`.' })

const diarize =
  'Who speaks, named `A`, `B` and so on: in the output `json` as `speaker`, else before lines (not in `tsv`).'
const AsrQuery = z
  .object({
    ...shared,
    task: z.enum(['transcribe', 'translate']).default('transcribe').describe('`translate`: into English.'),
    language: language.openapi({ type: 'string', description: 'Detected when omitted.', example: 'en' }),
    output: z.enum(['txt', 'vtt', 'srt', 'tsv', 'json']).default('txt'),
    word_timestamps: truth(false, 'With the output `json`: the times of each word.'),
    diarize: truth(false, diarize),
    min_speakers: speakers,
    max_speakers: speakers,
    encode,
    vad_filter: z.string().optional().describe('Has no effect: silence is always left out.'),
  })
  .refine(({ min_speakers = 1, max_speakers = MAX_SPEAKERS }) => min_speakers <= max_speakers, {
    path: ['max_speakers'],
    message: 'must not be less than min_speakers',
  })
type AsrQuery = z.infer<typeof AsrQuery>

const DetectQuery = z.object({ encode, max_cost_dollars: shared.max_cost_dollars })

const builtin = { ...defaultsOf(transcribeOptions), provider: 'builtin' } as const

const asrOptions = ({ task, language, model, ...query }: AsrQuery): EngineOptions => ({
  ...builtin,
  ...askedAt(transcribeOptions, 'asr', query),
  provider: 'builtin',
  speakers: query.diarize && { min: query.min_speakers, max: query.max_speakers },
  // Requests that differ only in the output share a job, so each job has words.
  words: true,
  ...(model && { model }),
  ...(language !== null && { language: baseLanguage(language) }),
  ...(task === 'translate' && { translate: 'en' as const }),
})

/** The start of a film often has half a minute of music. */
const DETECTED_SECONDS = 120

const outputOf = async (
  transcript: EndedTranscript,
  { output, word_timestamps, diarize }: AsrQuery,
): ReturnType<Writing['body']> => {
  if (output === 'srt' || output === 'vtt') return asFile(transcript, output, { speakers: diarize })
  const opened = await transcript.open(output === 'json' && word_timestamps)
  if (!opened) return null
  if (output === 'txt') return streamOf(inChunks(txt(segmentsOf(opened))))
  if (output === 'tsv') return streamOf(inChunks(tsv(segmentsOf(opened))))
  const plain = await transcript.open(false)
  const language = { language: baseLanguage(transcript.language) }
  const segments = listMember('segments', numbered(segmentsOf(opened), wordsAndSpeaker))
  return plain && streamOf(jsonObject([textMember(plain), language, segments]))
}

async function* txt(segments: AsyncIterable<Segment>): AsyncGenerator<string> {
  for await (const { text, speaker } of segments) yield speaker === undefined ? `${text}\n` : `[${speaker}]: ${text}\n`
}

/** Times are whole milliseconds here, and seconds in GET /transcribe/transcript. */
async function* tsv(segments: AsyncIterable<Segment>): AsyncGenerator<string> {
  yield 'start\tend\ttext\n'
  for await (const { start, end, text } of segments) {
    yield `${Math.round(start * 1_000)}\t${Math.round(end * 1_000)}\t${text.replace(/\s+/gu, ' ')}\n`
  }
}

const wordsAndSpeaker = ({ words, speaker }: Segment) => ({
  ...(words && { words: words.map(wordOf) }),
  ...(speaker !== undefined && { speaker }),
})

const wordOf = ({ text, start, end, confidence = 1 }: NonNullable<Segment['words']>[number]) => ({
  word: text,
  start: milliseconds(start),
  end: milliseconds(end),
  probability: confidence,
})

const languageOf = ({ language, languageProbability }: EndedTranscript) => ({
  detected_language: languageName(language) ?? 'unknown',
  language_code: baseLanguage(language),
  confidence: languageProbability ?? (language === 'und' ? 0 : 1),
})

export const whisperAsrRoutes = routerFor('Whisper ASR API')

const errors = refusedWith(z.object({ detail: z.string() }))
const body = formBody(whisperAsrRoutes, 'WhisperAsrForm', {
  audio_file: z.string().openapi({ format: 'binary', description: 'An audio or video file.' }),
})
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
    const readOptions = async () => {
      const { models } = await offerFor(c)
      const needsWords = output === 'json' && query.word_timestamps
      return withUsablePrompt(c, withoutSpareWords(asrOptions(query), models, { needsWords }))
    }
    return answer(c, query, readOptions, {
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

const DetectedLanguage = z.object({
  detected_language: z.string().openapi({ example: 'english' }),
  language_code: z.string().openapi({ example: 'en' }),
  confidence: z.number().describe('From 0 to 1.'),
})

whisperAsrRoutes.add('POST /detect-language', {
  operationId: 'detectLanguage',
  summary: 'Detect the spoken language of a file as whisper-asr-webservice does',
  description:
    'The built-in speech recognition reads the first two minutes, which are charged. Without speech in them the language is `unknown`.',
  guards: [apiKey('transcribe', 'transcribe')],
  request: { query: DetectQuery, body },
  responses: {
    200: plainJson(DetectedLanguage, 'The language.'),
    ...refusals,
  },
  refusedAs: errors,
  handle: (c) => {
    const query = c.req.valid('query')
    const options = { ...builtin, clip: { start: 0, end: DETECTED_SECONDS }, maxCostDollars: query.max_cost_dollars }
    return answer(c, query, async () => options, {
      headers: { 'Content-Type': 'application/json' },
      begins: '',
      waits: ' ',
      body: async (transcript) => new Response(JSON.stringify(languageOf(transcript))).body,
    })
  },
})

const answer = (
  c: Context<HttpEnv>,
  { encode }: { encode: boolean },
  readOptions: () => Promise<EngineOptions>,
  writing: Pick<Writing, 'headers' | 'begins' | 'waits' | 'body'>,
): Promise<Response> => {
  const stillRunning = (jobId: string) => {
    const message = `The transcription ${jobId} is still running. Send the request again.`
    return respondDetail(c, { status: 504, message })
  }
  const failed = (job: Job, reason: Failure) => respondDetail(c, failedJobError(job, reason))
  return transcribeForm(c, {
    fileField: 'audio_file',
    fields: new Set<string>(),
    read: async () => ({
      options: await readOptions(),
      rendering: { ...writing, waitsPerSilence: 6, failed, stillRunning },
    }),
    ...(!encode && { fileHead: wavHeader() }),
  })
}
