import { z } from 'zod'
import { cutLong } from '../../domain/words/sentences.ts'
import { baseLanguage, languageCode } from '../languages.ts'
import { type Answer, done, pieceEncoding, spoken } from '../recognition.ts'
import { exchange } from './exchange.ts'
import { multipart } from './multipart.ts'
import { nothingLater, type ProviderOptions, type ProviderPiece, type SpeechProvider } from './provider.ts'

/**
 * OpenAI, and what speaks its language (Groq, a Whisper server of one's own). Only Whisper models give
 * segments, only `-diarize` gives speakers. The other models give a text without times: these are shared out over the
 * piece by the length of the sentences.
 */
export const openai = (baseUrl = 'https://api.openai.com/v1'): SpeechProvider => ({
  ...nothingLater,
  name: 'openai',
  limits: {
    // The wall of 26,214,400 bytes is around the whole body, not the file.
    maxBytes: 26_148_864,
    // The gpt-4o models refuse more than 1,500 seconds.
    maxSeconds: 1_400,
    encoding: pieceEncoding,
  },
  reservedOptions: {
    file: 'the file is the media of the job.',
    response_format: 'it follows from the model, because segments are read from it.',
    timestamp_granularities: 'segments are read from the answer.',
    'timestamp_granularities[]': 'segments are read from the answer.',
    stream: 'the answer is read as a whole.',
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
    const reply = await exchange({
      provider: 'openai',
      apiKey: piece.apiKey,
      scheme: 'Bearer ',
      method: 'POST',
      url: `${baseUrl}/audio/transcriptions`,
      contentType: form.contentType,
      body: form,
      answer: Transcription,
      signal: piece.signal,
    })
    return reply.ok ? read(reply.body, piece) : reply.answer
  },
})

type Format = 'verbose_json' | 'diarized_json' | 'json'

const modelOf = (options: ProviderOptions): string => (typeof options.model === 'string' ? options.model : 'whisper-1')

const formatOf = (model: string): Format =>
  /diarize/i.test(model) ? 'diarized_json' : /whisper/i.test(model) ? 'verbose_json' : 'json'

const fieldsOf = ({ options, language }: ProviderPiece, format: Format): [string, string][] => [
  ...(options.model === undefined ? [['model', 'whisper-1'] as [string, string]] : []),
  ['response_format', format],
  ...(format === 'verbose_json' ? [['timestamp_granularities[]', 'segment'] as [string, string]] : []),
  ...(language !== null && options.language === undefined
    ? [['language', baseLanguage(language)] as [string, string]]
    : []),
  // Without it, anything longer than 30 seconds is refused by this model.
  ...(format === 'diarized_json' && options.chunking_strategy === undefined
    ? [['chunking_strategy', 'auto'] as [string, string]]
    : []),
  ...Object.entries(options).flatMap(([name, value]) => formFields(name, value)),
]

/** Lists as `name[]`, objects as `name[key]`: what OpenAI's own clients send. */
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

const read = (body: z.infer<typeof Transcription>, piece: ProviderPiece): Answer => {
  const durationSeconds = body.duration ?? piece.durationSeconds
  const told = body.language ?? (typeof piece.options.language === 'string' ? piece.options.language : piece.language)
  return done({
    segments: body.segments
      ? body.segments.map(({ start, end, text, speaker }) => spoken(start, end, text, speaker))
      : cutLong([spoken(0, durationSeconds, body.text)]),
    language: languageCode(told),
    durationSeconds,
    text: body.text,
  })
}
