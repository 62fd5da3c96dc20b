import { z } from '@hono/zod-openapi'
import { askedAt, defaultsOf, tableAt } from '../../../domain/options/option.ts'
import { MAX_SPEAKERS, transcribeOptions } from '../../../domain/options/transcribe-options.ts'
import { baseLanguage, languageCode } from '../../speech/languages.ts'
import { textSchemasOf, truth } from '../jobs/option-schemas.ts'
import type { EngineOptions } from '../jobs/transcribe-request.ts'

/** The parameters of POST /asr and POST /detect-language. All others are ignored. */

const shared = textSchemasOf(tableAt(transcribeOptions, 'asr'))

export const outputs = ['txt', 'vtt', 'srt', 'tsv', 'json'] as const
export type Output = (typeof outputs)[number]

const encode = truth(true, '`false`: the file is 16 kHz mono samples (16-bit, little-endian) without a header.')
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
    ...shared,
    task: z.enum(['transcribe', 'translate']).default('transcribe').describe('`translate`: into English.'),
    language: language.openapi({ type: 'string', description: 'Detected when omitted.', example: 'en' }),
    output: z.enum(outputs).default('txt'),
    word_timestamps: truth(false, 'With the output `json`: the times of each word.'),
    diarize: truth(
      false,
      'Who speaks, named `A`, `B` and so on: in the output `json` as `speaker`, else before lines (not in `tsv`).',
    ),
    min_speakers: speakers,
    max_speakers: speakers,
    encode,
    vad_filter: z.string().optional().describe('Has no effect: silence is always left out.'),
  })
  .refine(({ min_speakers = 1, max_speakers = MAX_SPEAKERS }) => min_speakers <= max_speakers, {
    path: ['max_speakers'],
    message: 'must not be less than min_speakers',
  })
export type AsrQuery = z.infer<typeof AsrQuery>

export const DetectQuery = z.object({ encode, max_cost_dollars: shared.max_cost_dollars })
export type DetectQuery = z.infer<typeof DetectQuery>

const builtin = { ...defaultsOf(transcribeOptions), provider: 'builtin' } as const

export const asrOptions = ({ task, language, ...query }: AsrQuery): EngineOptions => ({
  ...builtin,
  ...askedAt(transcribeOptions, 'asr', query),
  provider: 'builtin',
  speakers: query.diarize && { min: query.min_speakers, max: query.max_speakers },
  // Requests that differ only in the output share a job, so each job has words.
  words: true,
  ...(language !== null && { language: baseLanguage(language) }),
  ...(task === 'translate' && { translate: 'en' as const }),
})

/** The start of a film often has half a minute of music. */
const DETECTED_SECONDS = 120

export const detectOptions = (query: DetectQuery): EngineOptions => ({
  ...builtin,
  clip: { start: 0, end: DETECTED_SECONDS },
  maxCostDollars: query.max_cost_dollars,
})
