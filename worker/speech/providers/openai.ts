import { z } from 'zod'
import { utf8 } from '../../../domain/encoding.ts'
import type { Segment } from '../../../domain/words/segment.ts'
import { splitLong } from '../../../domain/words/sentences.ts'
import { withWords } from '../../../domain/words/words-in-text.ts'
import { baseLanguage, languageCode } from '../languages.ts'
import { type Asked, done, type ProviderResult, pieceFile, timedText, timedWord } from '../recognition.ts'
import { promptOf } from '../vocabulary-text.ts'
import {
  type ProviderOptions,
  type ProviderPieceRequest,
  type SpeechProvider,
  setOptions,
  synchronous,
  vocabularyField,
} from './provider.ts'
import { requestProvider, type SizedStream } from './request.ts'

/**
 * OpenAI and compatible APIs (Groq, a self-hosted Whisper server). Only Whisper models return segments and words, and
 * only `-diarize` models return speakers. For the text of other models, the piece's duration is divided among the
 * sentences by their length.
 */
export const openai = (baseUrl = 'https://api.openai.com/v1'): SpeechProvider => ({
  ...synchronous,
  name: 'openai',
  limits: {
    // The limit of 26,214,400 bytes applies to the whole request body, not to the file.
    maxBytes: 26_148_864,
    // The gpt-4o models reject more than 1,500 seconds.
    maxSeconds: 1_400,
  },
  reservedOptions: {
    file: 'the file is the media of the job.',
    response_format: 'it depends on the model, because segments are read from the response.',
    timestamp_granularities: 'segments are read from the response.',
    'timestamp_granularities[]': 'segments are read from the response.',
    stream: 'streamed responses are not supported.',
  },
  unsupported: (asked, options) => {
    const format = formatOf(modelOf(asked, options))
    if (asked.speakers && format !== 'diarized_json') return { option: 'speakers', reason: noSpeakers }
    const named = (['min', 'max'] as const).find((bound) => (asked.speakers?.[bound] ?? null) !== null)
    if (named) return { option: `speakers.${named}`, reason: noSpeakerCount }
    if (asked.vocabulary && format === 'diarized_json')
      return { option: vocabularyField(asked.vocabulary), reason: noPrompt }
    if (asked.words && format !== 'verbose_json') return { option: 'words', reason: asked.speakers ? notBoth : noWords }
    return null
  },
  contradictions: ({ speakers, vocabulary }, options) => [
    // The model that can tell who speaks takes neither of these.
    ...(speakers ? setOptions(options, ['prompt', 'include'], 'speakers') : []),
    ...(vocabulary && !speakers ? setOptions(options, ['prompt'], vocabularyField(vocabulary)) : []),
  ],
  takesVocabulary: () => true,
  knownSpeakers: ({ known_speaker_names: names }) =>
    Array.isArray(names) ? names.filter((name) => typeof name === 'string') : [],
  start: async (piece) => {
    const format = formatOf(modelOf(piece, piece.options))
    const form = multipart(fieldsOf(piece, format), { stream: piece.audio, sizeBytes: piece.sizeBytes })
    const response = await requestProvider(piece, {
      service: 'openai',
      scheme: 'Bearer ',
      method: 'POST',
      url: `${baseUrl}/audio/transcriptions`,
      contentType: form.contentType,
      body: form,
      schema: Transcription,
    })
    return response.ok ? toResult(response.body, piece) : response.result
  },
})

type Format = 'verbose_json' | 'diarized_json' | 'json'

const WORDS_MODEL = 'whisper-1'
const SPEAKERS_MODEL = 'gpt-4o-transcribe-diarize'

const noSpeakers = `Of OpenAI's models, only ${SPEAKERS_MODEL} can tell who speaks: leave the model out, or name this one.`
const noPrompt = `OpenAI's models that can tell who speaks take neither a prompt nor keywords.`
const noSpeakerCount = 'OpenAI finds the number of speakers itself: set speakers to true.'
const noWords = `Of OpenAI's models, only ${WORDS_MODEL} returns the times of words: leave the model out, or name this one.`
const notBoth = 'OpenAI has no model that returns speakers and the times of words.'

const modelOf = ({ speakers }: Asked, { model }: ProviderOptions): string => {
  if (typeof model === 'string') return model
  return speakers ? SPEAKERS_MODEL : WORDS_MODEL
}

const formatOf = (model: string): Format =>
  /diarize/i.test(model) ? 'diarized_json' : /whisper/i.test(model) ? 'verbose_json' : 'json'

const fieldsOf = (piece: ProviderPieceRequest, format: Format): [string, string][] => {
  const { options, language, words, vocabulary } = piece
  const granularities = format === 'verbose_json' ? ['segment', ...(words ? ['word'] : [])] : []
  const field = (name: string, value: string): [string, string] => [name, value]
  return [
    ...(options.model === undefined ? [field('model', modelOf(piece, options))] : []),
    field('response_format', format),
    ...granularities.map((granularity) => field('timestamp_granularities[]', granularity)),
    ...(language !== null && options.language === undefined ? [field('language', baseLanguage(language))] : []),
    ...(vocabulary ? [field('prompt', promptOf(vocabulary))] : []),
    // Without it, the model rejects audio of more than 30 seconds.
    ...(format === 'diarized_json' && options.chunking_strategy === undefined
      ? [field('chunking_strategy', 'auto')]
      : []),
    ...Object.entries(options).flatMap(([name, value]) => formFields(name, value)),
  ]
}

/** Arrays as `name[]`, objects as `name[key]`, like OpenAI's own clients. */
const formFields = (name: string, value: unknown): [string, string][] => {
  if (value === null || value === undefined) return []
  if (Array.isArray(value)) return value.flatMap((item) => formFields(`${name}[]`, item))
  if (typeof value === 'object')
    return Object.entries(value).flatMap(([key, inner]) => formFields(`${name}[${key}]`, inner))
  return [[name, String(value)]]
}

/** multipart/form-data with a piece of audio, of a length that is known in advance, so that the piece can be streamed. */
const multipart = (
  fields: [name: string, value: string][],
  piece: SizedStream,
): SizedStream & { contentType: string } => {
  const boundary = `haul-${crypto.randomUUID()}`
  const part = (name: string) => `--${boundary}\r\ncontent-disposition: form-data; name="${escapeName(name)}"`
  const file = `${part('file')}; filename="${pieceFile.filename}"\r\ncontent-type: ${pieceFile.contentType}\r\n\r\n`
  const head = utf8(fields.map(([name, value]) => `${part(name)}\r\n\r\n${value}\r\n`).join('') + file)
  const tail = utf8(`\r\n--${boundary}--\r\n`)
  const around = new TransformStream<Uint8Array, Uint8Array>({
    start: (controller) => controller.enqueue(head),
    flush: (controller) => controller.enqueue(tail),
  })
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    sizeBytes: head.byteLength + piece.sizeBytes + tail.byteLength,
    stream: piece.stream.pipeThrough(around),
  }
}

/** Escapes names as the HTML standard does. Callers choose them, and a bare quote or newline would end the header. */
const escapeName = (text: string): string => text.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A')

const Transcription = z.object({
  text: z.string(),
  language: z.string().nullish(),
  duration: z.coerce.number().nullish(),
  segments: z
    .array(z.object({ start: z.number(), end: z.number(), text: z.string(), speaker: z.string().nullish() }))
    .nullish(),
  words: z.array(z.object({ word: z.string(), start: z.number().nullish(), end: z.number().nullish() })).nullish(),
})

const segmentsOf = ({ segments, words }: z.infer<typeof Transcription>): Segment[] | undefined => {
  const timed = segments?.map(({ start, end, text, speaker }) => timedText(start, end, text, speaker))
  const timedWords = words?.map(({ word, ...times }) => timedWord(word, times))
  return timed && timedWords ? withWords(timed, timedWords) : timed
}

const toResult = (body: z.infer<typeof Transcription>, piece: ProviderPieceRequest): ProviderResult => {
  const durationSeconds = body.duration ?? piece.durationSeconds
  const language =
    body.language ?? (typeof piece.options.language === 'string' ? piece.options.language : piece.language)
  return done({
    segments: segmentsOf(body) ?? splitLong([timedText(0, durationSeconds, body.text)]),
    language: languageCode(language),
    model: modelOf(piece, piece.options),
    durationSeconds,
  })
}
