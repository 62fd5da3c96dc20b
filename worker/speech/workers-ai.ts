import { z } from 'zod'
import { failure } from '../../domain/codes/failures.ts'
import { toBase64 } from '../../domain/encoding.ts'
import { sentences, splitLong } from '../../domain/words/sentences.ts'
import { baseLanguage, languageCode } from './languages.ts'
import {
  done,
  failedWith,
  type PieceLimits,
  type PieceRequest,
  type ProviderResult,
  timedText,
  timedWord,
} from './recognition.ts'
import { hasOnlyWordsOf, promptOf } from './vocabulary-text.ts'

export const WORKERS_AI_MODEL = 'whisper-large-v3-turbo'
const MODEL = `@cf/openai/${WORKERS_AI_MODEL}` as const

export interface AiBinding {
  run(model: typeof MODEL, input: WhisperInput, options?: { signal?: AbortSignal }): Promise<unknown>
}

export interface WhisperInput {
  audio: string
  task: 'transcribe' | 'translate'
  language?: string
  vad_filter: boolean
  condition_on_previous_text: boolean
  initial_prompt?: string
}

/** Whisper on Workers AI: the built-in provider of deployments whose container has no speech engine. */
export interface WorkersAi {
  readonly limits: PieceLimits
  start(piece: PieceRequest): Promise<ProviderResult>
}

export const workersAi = (ai: AiBinding): WorkersAi => ({
  // A piece is sent as base64 in JSON, and the result is in the same response. Below 1 MB this is safe.
  limits: { maxBytes: 1_000_000, maxSeconds: 240 },
  start: async (piece) => {
    let response: unknown
    try {
      response = await ai.run(MODEL, await inputOf(piece), { signal: piece.signal })
    } catch (error) {
      return errorResult(error)
    }
    const body = WhisperResponse.safeParse(response)
    return body.success ? toResult(body.data, piece) : failed(true)
  },
})

const inputOf = async ({ audio, language, translate, vocabulary }: PieceRequest): Promise<WhisperInput> => ({
  audio: toBase64(await new Response(audio).arrayBuffer()),
  task: translate ? 'translate' : 'transcribe',
  ...(language === null ? {} : { language: baseLanguage(language) }),
  // Whisper invents text for music and silence, and repeats itself when conditioned on its previous text.
  vad_filter: true,
  condition_on_previous_text: false,
  ...(vocabulary && { initial_prompt: promptOf(vocabulary) }),
})

const WhisperWord = z.object({ word: z.string(), start: z.number().nullish(), end: z.number().nullish() })

const WhisperResponse = z.object({
  text: z.string(),
  segments: z
    .array(
      z.object({
        start: z.number(),
        end: z.number(),
        text: z.string(),
        avg_logprob: z.number().nullish(),
        no_speech_prob: z.number().nullish(),
        words: z.array(WhisperWord).nullish(),
      }),
    )
    .nullish(),
  transcription_info: z
    .object({
      language: z.string().nullish(),
      language_probability: z.number().min(0).max(1).nullish(),
      duration: z.number().nullish(),
    })
    .nullish(),
})

type WhisperResponse = z.infer<typeof WhisperResponse>
type WhisperSegment = NonNullable<WhisperResponse['segments']>[number]

/** A segment that has only words of the vocabulary, and is likely to be noise after which Whisper has repeated them. */
const isSaidBack = ({ text, no_speech_prob, avg_logprob }: WhisperSegment, { vocabulary }: PieceRequest): boolean => {
  if (!vocabulary) return false
  const isDoubtful = (no_speech_prob ?? 0) > MAX_NO_SPEECH_PROBABILITY || (avg_logprob ?? 0) < MIN_LOG_PROBABILITY
  return isDoubtful && hasOnlyWordsOf(vocabulary, text)
}
const MAX_NO_SPEECH_PROBABILITY = 0.5
const MIN_LOG_PROBABILITY = -1

const toResult = (body: WhisperResponse, piece: PieceRequest): ProviderResult => {
  const segments = (body.segments ?? []).filter((segment) => !isSaidBack(segment, piece))
  const info = body.transcription_info
  const words = segments.flatMap((segment) => (segment.words ?? []).map(({ word, ...times }) => timedWord(word, times)))
  return done({
    // Whisper's own segments can last half a minute, which is too long to read.
    segments:
      words.length > 0
        ? sentences(words)
        : splitLong(segments.map(({ start, end, text }) => timedText(start, end, text))),
    language: languageCode(info?.language ?? piece.language),
    ...(typeof info?.language_probability === 'number' && { languageProbability: info.language_probability }),
    durationSeconds: info?.duration ?? piece.durationSeconds,
    model: WORKERS_AI_MODEL,
  })
}

/**
 * The binding throws errors with a code in their message. Retrying does not help for these. Every error is our fault and
 * not the caller's, so the failure is INTERNAL.
 */
const permanentErrors = [
  '3003', // request incomplete
  '3006', // too large
  '3023', // account blocked
  '3036', // daily allocation used up
  '5004', // not base64
  '5007', // no such model
]

const errorResult = (error: unknown): ProviderResult => {
  const code = /\b(\d{4}):/.exec(error instanceof Error ? error.message : '')?.[1] ?? ''
  return failed(!permanentErrors.includes(code))
}

const failed = (retryable: boolean): ProviderResult => failedWith({ ...failure('INTERNAL'), retryable })
