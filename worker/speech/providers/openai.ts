import { z } from 'zod'
import { splitLong } from '../../../domain/words/sentences.ts'
import { baseLanguage, languageCode } from '../languages.ts'
import { done, type ProviderResult, pieceEncoding, timedText } from '../recognition.ts'
import { multipart } from './multipart.ts'
import { type ProviderOptions, type ProviderPieceRequest, type SpeechProvider, synchronous } from './provider.ts'
import { requestProvider } from './request.ts'

/**
 * OpenAI and compatible APIs (Groq, a self-hosted Whisper server). Only Whisper models return segments, only
 * `-diarize` models return speakers. The other models return text without times, so the duration of the piece
 * is divided among the sentences by their length.
 */
export const openai = (baseUrl = 'https://api.openai.com/v1'): SpeechProvider => ({
  ...synchronous,
  name: 'openai',
  limits: {
    // The limit of 26,214,400 bytes applies to the whole request body, not to the file.
    maxBytes: 26_148_864,
    // The gpt-4o models reject more than 1,500 seconds.
    maxSeconds: 1_400,
    encoding: pieceEncoding,
  },
  reservedOptions: {
    file: 'the file is the media of the job.',
    response_format: 'it depends on the model, because segments are read from the response.',
    timestamp_granularities: 'segments are read from the response.',
    'timestamp_granularities[]': 'segments are read from the response.',
    stream: 'streamed responses are not supported.',
  },
  start: async (piece) => {
    const format = formatOf(modelOf(piece.options))
    const form = multipart(fieldsOf(piece, format), {
      name: 'file',
      filename: pieceEncoding.filename,
      contentType: pieceEncoding.contentType,
      stream: piece.audio,
      sizeBytes: piece.sizeBytes,
    })
    const response = await requestProvider({
      service: 'openai',
      apiKey: piece.apiKey,
      scheme: 'Bearer ',
      method: 'POST',
      url: `${baseUrl}/audio/transcriptions`,
      contentType: form.contentType,
      body: form,
      schema: Transcription,
      signal: piece.signal,
    })
    return response.ok ? toResult(response.body, piece) : response.result
  },
})

type Format = 'verbose_json' | 'diarized_json' | 'json'

const modelOf = (options: ProviderOptions): string => (typeof options.model === 'string' ? options.model : 'whisper-1')

const formatOf = (model: string): Format =>
  /diarize/i.test(model) ? 'diarized_json' : /whisper/i.test(model) ? 'verbose_json' : 'json'

const fieldsOf = ({ options, language }: ProviderPieceRequest, format: Format): [string, string][] => [
  ...(options.model === undefined ? [['model', 'whisper-1'] as [string, string]] : []),
  ['response_format', format],
  ...(format === 'verbose_json' ? [['timestamp_granularities[]', 'segment'] as [string, string]] : []),
  ...(language !== null && options.language === undefined
    ? [['language', baseLanguage(language)] as [string, string]]
    : []),
  // Without it, the model rejects audio of more than 30 seconds.
  ...(format === 'diarized_json' && options.chunking_strategy === undefined
    ? [['chunking_strategy', 'auto'] as [string, string]]
    : []),
  ...Object.entries(options).flatMap(([name, value]) => formFields(name, value)),
]

/** Arrays as `name[]`, objects as `name[key]`, like OpenAI's own clients. */
const formFields = (name: string, value: unknown): [string, string][] => {
  if (value === null || value === undefined) return []
  if (Array.isArray(value)) return value.flatMap((item) => formFields(`${name}[]`, item))
  if (typeof value === 'object')
    return Object.entries(value).flatMap(([key, inner]) => formFields(`${name}[${key}]`, inner))
  return [[name, String(value)]]
}

const Transcription = z.object({
  text: z.string(),
  language: z.string().nullish(),
  duration: z.coerce.number().nullish(),
  segments: z
    .array(z.object({ start: z.number(), end: z.number(), text: z.string(), speaker: z.string().nullish() }))
    .nullish(),
})

const toResult = (body: z.infer<typeof Transcription>, piece: ProviderPieceRequest): ProviderResult => {
  const durationSeconds = body.duration ?? piece.durationSeconds
  const language =
    body.language ?? (typeof piece.options.language === 'string' ? piece.options.language : piece.language)
  return done({
    segments: body.segments
      ? body.segments.map(({ start, end, text, speaker }) => timedText(start, end, text, speaker))
      : splitLong([timedText(0, durationSeconds, body.text)]),
    language: languageCode(language),
    durationSeconds,
    text: body.text,
  })
}
