import { z } from '@hono/zod-openapi'
import { baseLanguage, languageCode } from '../../speech/languages.ts'
import {
  type EngineOptions,
  MAX_PROMPT_CHARACTERS,
  MAX_SPEAKERS,
  TranscribeOptions,
} from '../jobs/transcribe-request.ts'

/** The parameters of POST /asr and POST /detect-language. All others are ignored. */

const { maxCostDollars } = TranscribeOptions.shape

/** As FastAPI reads a truth value. */
const truth = (fallback: boolean, description: string) =>
  z
    .string()
    .optional()
    .transform((value) => (value === undefined || value === '' ? fallback : /^(?:true|1|on|t|y|yes)$/i.test(value)))
    .openapi({ type: 'boolean', default: fallback, description })

export const outputs = ['txt', 'vtt', 'srt', 'tsv', 'json'] as const
export type Output = (typeof outputs)[number]

const encode = truth(true, '`false`: the file is 16 kHz mono samples (16-bit, little-endian) without a header.')
const max_cost_dollars = z.coerce.number().pipe(maxCostDollars.unwrap()).optional().openapi({
  type: 'number',
  description: 'The most that the job may be charged. Required if the duration of the media is not known up front.',
})

/** A name or a code. Clients send an empty one, or `auto`, for one that they do not know. */
const language = z
  .string()
  .max(35)
  .optional()
  .transform((given) => (given && !/^(?:auto|none)$/i.test(given) ? languageCode(given) : null))

const speakers = z
  .string()
  .optional()
  .transform((value) => (value === undefined || value === '' ? undefined : Number(value)))
  .pipe(z.number().int().min(1).max(MAX_SPEAKERS).optional())
  .openapi({ type: 'integer', minimum: 1, maximum: MAX_SPEAKERS, description: 'With `diarize`.' })

export const AsrQuery = z
  .object({
    task: z.enum(['transcribe', 'translate']).default('transcribe').describe('`translate`: into English.'),
    language: language.openapi({ type: 'string', description: 'Detected when omitted.', example: 'en' }),
    output: z.enum(outputs).default('txt'),
    word_timestamps: truth(false, 'With the output `json`: the times of each word.'),
    initial_prompt: z
      .string()
      .transform((text) => text.slice(-MAX_PROMPT_CHARACTERS))
      .optional()
      .openapi({
        type: 'string',
        description: `The names and terms that may be said. The last ${MAX_PROMPT_CHARACTERS} characters count.`,
      }),
    diarize: truth(
      false,
      'Who speaks, named `A`, `B` and so on: in the output `json` as `speaker`, else before lines (not in `tsv`).',
    ),
    min_speakers: speakers,
    max_speakers: speakers,
    encode,
    vad_filter: z.string().optional().describe('Has no effect: silence is always left out.'),
    max_cost_dollars,
  })
  .refine(({ min_speakers = 1, max_speakers = MAX_SPEAKERS }) => min_speakers <= max_speakers, {
    path: ['max_speakers'],
    message: 'must not be less than min_speakers',
  })
export type AsrQuery = z.infer<typeof AsrQuery>

export const DetectQuery = z.object({ encode, max_cost_dollars })
export type DetectQuery = z.infer<typeof DetectQuery>

const builtin = { provider: 'builtin', captionsFirst: false, reuseWithinSeconds: 0 } as const

export const asrOptions = ({
  task,
  language,
  max_cost_dollars,
  initial_prompt,
  ...query
}: AsrQuery): EngineOptions => ({
  ...builtin,
  prompt: initial_prompt,
  speakers: query.diarize && { min: query.min_speakers, max: query.max_speakers },
  // Requests that differ only in the output share a job, so each job has words.
  words: true,
  ...(language !== null && { language: baseLanguage(language) }),
  ...(task === 'translate' && { translate: 'en' as const }),
  maxCostDollars: max_cost_dollars,
})

/** The start of a film often has half a minute of music. */
const DETECTED_SECONDS = 120

export const detectOptions = ({ max_cost_dollars }: DetectQuery): EngineOptions => ({
  ...builtin,
  words: false,
  speakers: false,
  clip: { start: 0, end: DETECTED_SECONDS },
  maxCostDollars: max_cost_dollars,
})
