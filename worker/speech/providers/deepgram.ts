import { z } from 'zod'
import type { Segment, SegmentWord } from '../../../domain/words/segment.ts'
import { languageCode } from '../languages.ts'
import { done, pieceFile, timedText, timedWord } from '../recognition.ts'
import { keywordsWithin } from '../vocabulary-text.ts'
import {
  type ProviderOptions,
  type ProviderPieceRequest,
  type SpeechProvider,
  setOptions,
  synchronous,
} from './provider.ts'
import { requestProvider } from './request.ts'

/** Deepgram accepts raw bytes, its options in the query, and returns the result in the same request. */
export const deepgram = (baseUrl = 'https://api.deepgram.com'): SpeechProvider => ({
  ...synchronous,
  name: 'deepgram',
  limits: {
    // Deepgram accepts 2 GB per file and processes for at most ten minutes, which is plenty for four hours of audio.
    maxBytes: 2_000_000_000,
    maxSeconds: 14_400,
  },
  reservedOptions: {
    utterances: 'segments are read from the utterances.',
    callback: 'the response is read in the same request. Use webhookUrl instead.',
    callback_method: 'the response is read in the same request. Use webhookUrl instead.',
    encoding: 'the audio is encoded by the service.',
    sample_rate: 'the audio is encoded by the service.',
  },
  unsupported: ({ speakers, vocabulary }, options) => {
    if (vocabulary && vocabulary.keywords.length > 0 && isWhisper(options))
      return { option: 'keywords', reason: noWhisperKeywords }
    if (!speakers) return null
    if (isWhisper(options)) return { option: 'speakers', reason: noWhisperSpeakers }
    const named = (['min', 'max'] as const).find((bound) => speakers[bound] !== null)
    return named ? { option: `speakers.${named}`, reason: noSpeakerCount } : null
  },
  contradictions: ({ speakers, vocabulary }, options) => [
    ...(speakers && options.diarize !== true ? setOptions(options, ['diarize'], 'speakers') : []),
    ...(vocabulary && vocabulary.keywords.length > 0 ? setOptions(options, ['keyterm', 'keywords'], 'keywords') : []),
  ],
  takesVocabulary: ({ keywords }) => keywords.length > 0,
  knownSpeakers: () => [],
  start: async (piece) => {
    const response = await requestProvider(piece, {
      service: 'deepgram',
      scheme: 'Token ',
      method: 'POST',
      url: `${baseUrl}/v1/listen?${queryOf(piece)}`,
      contentType: pieceFile.contentType,
      body: { stream: piece.audio, sizeBytes: piece.sizeBytes },
      schema: ListenResponse,
    })
    return response.ok ? toResult(response.body, piece) : response.result
  },
})

const noWhisperSpeakers = "Deepgram's Whisper models cannot tell who speaks."
const noWhisperKeywords = "Deepgram's Whisper models take no keywords."
const noSpeakerCount = 'Deepgram finds the number of speakers itself: set speakers to true.'

const isWhisper = ({ model }: ProviderOptions): boolean => /^whisper/i.test(String(model))

const queryOf = ({ options, language, speakers, vocabulary }: ProviderPieceRequest): URLSearchParams => {
  const query = new URLSearchParams({ ...defaults(options, language), ...(speakers && diarization(options)) })
  for (const [name, keyword] of keywordsFor(modelOf(options), vocabulary?.keywords ?? [])) query.append(name, keyword)
  for (const [name, value] of Object.entries(options))
    for (const item of Array.isArray(value) ? value : [value])
      if (item !== null && item !== undefined)
        query.append(name, typeof item === 'object' ? JSON.stringify(item) : String(item))
  query.append('utterances', 'true')
  return query
}

const modelOf = ({ model = 'nova-3' }: ProviderOptions): string => String(model)

/** Deepgram refuses more tokens. */
const MAX_KEYTERM_TOKENS = 500
const MAX_KEYWORDS = 100

/** Only Nova-3 and Flux take phrases. The older models take words, and what follows a colon is its weight. */
const keywordsFor = (model: string, keywords: string[]): [string, string][] => {
  if (/^(nova-3|flux)/i.test(model))
    return keywordsWithin(keywords, MAX_KEYTERM_TOKENS).map((keyword) => ['keyterm', keyword])
  const words = new Set(keywords.flatMap((keyword) => keyword.match(/[\p{L}\p{N}\p{M}'’-]+/gu) ?? []))
  return [...words].slice(0, MAX_KEYWORDS).map((word) => ['keywords', word])
}

const defaults = (options: ProviderOptions, language: string | null): Record<string, string> => ({
  ...(options.model === undefined && { model: modelOf(options) }),
  ...(options.smart_format === undefined && { smart_format: 'true' }),
  ...(options.language === undefined && options.detect_language === undefined && languageOption(language)),
})

const languageOption = (language: string | null): Record<string, string> =>
  language === null ? { detect_language: 'true' } : { language }

/** `diarize` is deprecated, and Deepgram refuses requests that have both. */
const diarization = (options: ProviderOptions): Record<string, string> =>
  options.diarize === undefined && options.diarize_model === undefined ? { diarize_model: 'latest' } : {}

const ListenWord = z.object({
  word: z.string(),
  punctuated_word: z.string().nullish(),
  start: z.number().nullish(),
  end: z.number().nullish(),
  confidence: z.number().nullish(),
  speaker: z.number().nullish(),
})
type ListenWord = z.infer<typeof ListenWord>

const Utterance = z.object({
  start: z.number(),
  end: z.number(),
  transcript: z.string(),
  speaker: z.number().nullish(),
  words: z.array(ListenWord).nullish(),
})

const ListenResponse = z.object({
  metadata: z.object({
    duration: z.number(),
    models: z.array(z.string()).nullish(),
    model_info: z.record(z.string(), z.unknown()).nullish(),
  }),
  results: z.object({
    channels: z
      .array(
        z.object({
          detected_language: z.string().optional(),
          alternatives: z.array(z.object({ transcript: z.string(), words: z.array(ListenWord).default([]) })).min(1),
        }),
      )
      .min(1),
    utterances: z.array(Utterance).optional(),
  }),
})

const ModelInfo = z.object({ name: z.string() })

const toResult = ({ metadata, results }: z.infer<typeof ListenResponse>, piece: ProviderPieceRequest) => {
  const [channel] = results.channels
  const best = channel?.alternatives[0]
  const requested = typeof piece.options.language === 'string' ? piece.options.language : piece.language
  return done({
    segments: results.utterances
      ? results.utterances.map(({ start, end, transcript, speaker, words }) => ({
          ...timedText(start, end, transcript, speaker),
          words: (words ?? []).map(wordOf),
        }))
      : asOneSegment(best?.words ?? [], best?.transcript ?? '', metadata.duration),
    language: languageCode(channel?.detected_language ?? requested),
    model: ModelInfo.safeParse(metadata.model_info?.[metadata.models?.[0] ?? '']).data?.name ?? modelOf(piece.options),
    durationSeconds: metadata.duration,
  })
}

const wordOf = ({ word, punctuated_word, ...rest }: ListenWord): SegmentWord => timedWord(punctuated_word ?? word, rest)

const asOneSegment = (words: ListenWord[], text: string, seconds: number): Segment[] =>
  text === ''
    ? []
    : [{ ...timedText(words[0]?.start ?? 0, words.at(-1)?.end ?? seconds, text), words: words.map(wordOf) }]
