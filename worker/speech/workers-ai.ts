import { z } from 'zod'
import { type FailureCode, failure } from '../domain/codes/failures.ts'
import { cutLong, sentences } from '../domain/words/sentences.ts'
import { baseLanguage, languageCode } from './languages.ts'
import { type Answer, done, type Piece, type PieceLimits, pieceEncoding, spoken } from './recognition.ts'

const MODEL = '@cf/openai/whisper-large-v3-turbo'

/** The part of the `AI` binding that is used. */
export interface AiBinding {
  run(model: typeof MODEL, input: WhisperInput, options?: { signal?: AbortSignal }): Promise<unknown>
}

export interface WhisperInput {
  /** base64 */
  audio: string
  task: 'transcribe'
  language?: string
  vad_filter: boolean
  condition_on_previous_text: boolean
}

/** The built-in engine where there is no container to run one: Whisper on Cloudflare's own machines. */
export interface WorkersAi {
  readonly limits: PieceLimits
  start(piece: Piece): Promise<Answer>
}

export const workersAi = (ai: AiBinding): WorkersAi => ({
  // A piece travels as base64 inside JSON and is answered in one go: below a megabyte it is safe.
  limits: { maxBytes: 1_000_000, maxSeconds: 240, encoding: pieceEncoding },
  start: async (piece) => {
    let said: unknown
    try {
      said = await ai.run(MODEL, await inputOf(piece), { signal: piece.signal })
    } catch (error) {
      return failureOf(error)
    }
    const heard = Heard.safeParse(said)
    return heard.success ? read(heard.data, piece) : failed('INTERNAL', true)
  },
})

const inputOf = async ({ audio, language }: Piece): Promise<WhisperInput> => ({
  audio: base64(new Uint8Array(await new Response(audio).arrayBuffer())),
  task: 'transcribe',
  ...(language === null ? {} : { language: baseLanguage(language) }),
  // Whisper invents words for music and silence, and repeats itself when it reads its own last words.
  vad_filter: true,
  condition_on_previous_text: false,
})

/** Whole groups of three bytes at a time: `btoa` of a longer text overflows the arguments of `fromCharCode`. */
const GROUP_BYTES = 3 * 8_192

const base64 = (bytes: Uint8Array): string => {
  let text = ''
  for (let at = 0; at < bytes.byteLength; at += GROUP_BYTES)
    text += btoa(String.fromCharCode(...bytes.subarray(at, at + GROUP_BYTES)))
  return text
}

const HeardWord = z.object({ word: z.string(), start: z.number(), end: z.number() })

const Heard = z.object({
  text: z.string(),
  segments: z
    .array(z.object({ start: z.number(), end: z.number(), text: z.string(), words: z.array(HeardWord).nullish() }))
    .nullish(),
  transcription_info: z.object({ language: z.string().nullish(), duration: z.number().nullish() }).nullish(),
})

const read = (heard: z.infer<typeof Heard>, piece: Piece): Answer => {
  const segments = heard.segments ?? []
  const info = heard.transcription_info
  const words = segments.flatMap((segment) =>
    (segment.words ?? []).map(({ start, end, word }) => spoken(start, end, word)),
  )
  return done({
    // Half a minute at a time is what Whisper thinks in, and more than anyone can read.
    segments:
      words.length > 0 ? sentences(words) : cutLong(segments.map(({ start, end, text }) => spoken(start, end, text))),
    words,
    language: languageCode(info?.language ?? piece.language),
    durationSeconds: info?.duration ?? piece.durationSeconds,
    text: heard.text,
  })
}

/**
 * The binding throws with a number in its message. Trouble here is ours and not the caller's, whatever its
 * kind; only whether to try again differs.
 */
const final: Record<string, true> = {
  '3003': true, // request incomplete
  '3006': true, // too large
  '3023': true, // account blocked
  '3036': true, // the day's allocation is used up
  '5004': true, // not base64
  '5007': true, // no such model
}

const failureOf = (error: unknown): Answer => {
  const code = /\b(\d{4}):/.exec(error instanceof Error ? error.message : '')?.[1]
  return failed('INTERNAL', !(code && final[code]))
}

const failed = (code: FailureCode, retryable: boolean): Answer => ({
  state: 'failed',
  failed: { ...failure(code), retryable },
  retryAfterSeconds: null,
})
