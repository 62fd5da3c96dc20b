import { z } from '@hono/zod-openapi'
import type { TranscribeRequest, TranscriptionProvider } from '../../../domain/jobs/job.ts'
import { fromDollars } from '../../../domain/money/money.ts'
import type { SpeakerCount, Vocabulary } from '../../../domain/protocol/protocol.ts'
import { collapse } from '../../../domain/words/writing.ts'
import { isThirdParty, thirdParties } from '../../speech/configured-providers.ts'
import { HttpUrl, Id, ProviderKey } from '../schemas.ts'
import { ClipField, clipOf, MaxCostField, MetadataField, ReuseField } from './shared-fields.ts'

const MAX_OPTIONS_CHARACTERS = 16_384
const MAX_OPTION_NAME_CHARACTERS = 200
const MAX_OPTIONS_LEVELS = 20

/** Whether more objects and lists lie within each other. Deeper ones than these could exhaust the stack of what reads them. */
const isDeeper = (value: unknown, levels: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1)))

export const MAX_SPEAKERS = 50

export const MAX_PROMPT_CHARACTERS = 1_000
const MAX_KEYWORDS = 100
const MAX_KEYWORD_CHARACTERS = 60

const languageTag = z
  .string()
  .max(35)
  .regex(/^[A-Za-z]{2,8}([-_][A-Za-z0-9]{1,8})*$/, 'must be a language code such as en or pt-BR')

const Speakers = z.number().int().min(1).max(MAX_SPEAKERS)

const SpeakersField = z.union(
  [
    z.boolean(),
    z
      .strictObject({ min: Speakers.optional(), max: Speakers.optional() })
      .refine(({ min = 1, max = MAX_SPEAKERS }) => min <= max, { path: ['max'], message: 'must not be less than min' }),
  ],
  `must be true, false, or an object with min and max from 1 to ${MAX_SPEAKERS}`,
)

/** What a transcription is asked for, whatever its source. */
const options = {
  language: languageTag.optional().openapi({ description: 'A language code. Detected when omitted.', example: 'en' }),
  translate: languageTag.optional().openapi({
    description:
      'Translates the speech into this language. Only `en`, and only by `builtin`; with `mode: "auto"`, captions are taken if they are in English. `language` stays that of the speech.',
    example: 'en',
  }),
  prompt: z
    .string()
    .max(MAX_PROMPT_CHARACTERS)
    .optional()
    .describe(
      'What the speech is about, or how it is written: a sentence or two. Speech recognition uses it; captions ignore it.',
    ),
  keywords: z
    .array(z.string().max(MAX_KEYWORD_CHARACTERS).regex(/\S/, 'must not be empty'))
    .max(MAX_KEYWORDS)
    .optional()
    .describe(
      'Names and terms that may be said, the most important ones first. Speech recognition uses them; captions ignore them. An engine that takes fewer uses the first ones.',
    ),
  mode: z
    .enum(['captions', 'speech', 'auto'])
    .optional()
    .describe(
      'The way to the transcript. `captions`: those of the source, and nothing else. `speech`: speech recognition by the `provider`, or `builtin`. `auto`: captions where the source has them, else speech recognition. When omitted: `speech` with a `provider`, else `captions`. `captions` is not allowed with a `provider`.',
    ),
  provider: z
    .enum([...thirdParties, 'builtin'])
    .optional()
    .describe(
      'The speech recognition to use: `builtin`, or a third party by its neutral name or by the name of the service that the operator configured for it. Answers have the neutral name.',
    ),
  captionsFirst: z
    .boolean()
    .default(false)
    .describe('With a provider: the same as `mode: "auto"`. Not allowed with another `mode`.'),
  clip: ClipField.optional(),
  words: z
    .boolean()
    .default(false)
    .describe(
      'The times of each word. Captions have none: `wordsAvailable` says whether the transcript has them. Not available with speakers from OpenAI, whose models return one or the other.',
    ),
  speakers: SpeakersField.default(false).describe(
    'Who speaks, named `A`, `B` and so on in order of first appearance. `min` and `max` limit the number of speakers, with `builtin` and AssemblyAI. Captions rarely tell: with `mode: "auto"`, those without speakers are not taken. A provider that takes long media in pieces names the speakers of each piece anew: OpenAI after 23 minutes, the others after four hours.',
  ),
  reuseWithinSeconds: ReuseField,
  apiKey: ProviderKey.optional().describe(
    'Your key for the provider. Only with a third party. It is encrypted, and deleted when the job ends. Defaults to the stored key.',
  ),
  providerOptions: z
    .record(z.string().max(MAX_OPTION_NAME_CHARACTERS), z.unknown())
    .refine((given) => !isDeeper(given, MAX_OPTIONS_LEVELS), {
      message: `must have at most ${MAX_OPTIONS_LEVELS} levels of objects and arrays`,
      abort: true,
    })
    .refine((given) => JSON.stringify(given).length <= MAX_OPTIONS_CHARACTERS, 'must be at most 16 KiB of JSON')
    .optional()
    .openapi({
      description: `Options for the provider, passed on unchanged: at most 16 KiB of JSON, with ${MAX_OPTIONS_LEVELS} levels. Only with a third party.`,
      // Spread, because the library's type of it is that of OpenAPI 3.0.
      ...{ propertyNames: { maxLength: MAX_OPTION_NAME_CHARACTERS } },
    }),
  maxCostDollars: MaxCostField.optional().describe(
    'The most that this job may be charged, including the download. Required with `builtin` if the duration is not known up front, unless recognition costs nothing. Does not include what the provider bills you.',
  ),
  webhookUrl: HttpUrl.optional().describe('Receives a webhook when the job ends.'),
}

const Options = z.strictObject(options)
export type TranscribeOptions = z.infer<typeof Options>

/** The options without `mode`, and with the neutral name of the provider. */
export interface EngineOptions extends Omit<TranscribeOptions, 'mode' | 'provider'> {
  provider?: TranscriptionProvider | undefined
}

const checkOptions = (
  { mode, provider, captionsFirst, apiKey, providerOptions }: TranscribeOptions,
  context: z.core.$RefinementCtx<TranscribeOptions>,
): void => {
  const contradicts = (field: string) =>
    context.addIssue({ code: 'custom', path: [field], message: `contradicts mode: ${mode}` })
  if (mode === 'captions' && provider !== undefined) contradicts('provider')
  if ((mode === 'captions' || mode === 'speech') && captionsFirst) contradicts('captionsFirst')
  if (isThirdParty(provider ?? null)) return
  const message = 'is only allowed with a third-party provider'
  if (apiKey !== undefined) context.addIssue({ code: 'custom', path: ['apiKey'], message })
  if (providerOptions !== undefined) context.addIssue({ code: 'custom', path: ['providerOptions'], message })
}

/** The options of a transcription whose source is given elsewhere. */
export const TranscribeOptions = Options.superRefine(checkOptions).openapi('TranscribeOptions')

const sources = {
  url: HttpUrl.optional().describe(
    'A publicly accessible media URL. Either this, `importId` or `uploadId` is required.',
  ),
  importId: Id.min(1).optional().describe('A completed import of this account, instead of `url`.'),
  uploadId: Id.min(1).optional().describe('A completed upload of this account, instead of `url`.'),
}
const sourceNames = Object.keys(sources) as (keyof typeof sources)[]

export const TranscribeBody = z
  .strictObject({ ...sources, ...options, metadata: MetadataField })
  .superRefine((body, context) => {
    if (sourceNames.filter((name) => body[name] !== undefined).length !== 1) {
      const message = 'exactly one of url, importId and uploadId is required'
      context.addIssue({ code: 'custom', path: ['url'], message })
    }
    checkOptions(body, context)
  })
  .openapi('TranscribeRequest', {
    description: 'Exactly one of `url`, `importId` and `uploadId` is required.',
    example: { url: 'https://example.com/video.mp4' },
  })

export type TranscriptionSource = Pick<TranscribeRequest, 'url' | 'importId' | 'uploadId'>

export const transcriptionSourceOf = ({
  url,
  importId,
  uploadId,
}: z.infer<typeof TranscribeBody>): TranscriptionSource => ({
  url: url ?? null,
  importId: importId ?? null,
  uploadId: uploadId ?? null,
})

export const transcribeRequestOf = (source: TranscriptionSource, body: EngineOptions): TranscribeRequest => ({
  ...source,
  ...transcriptionOf(body),
})

/** What each item of a batch is asked for. */
export const transcriptionOf = (body: EngineOptions): Omit<TranscribeRequest, keyof TranscriptionSource> => ({
  language: body.language ?? null,
  provider: body.provider ?? null,
  ...(body.translate && { translate: 'en' as const }),
  ...vocabularyOf(body),
  captionsFirst: body.captionsFirst,
  clip: clipOf(body.clip),
  words: body.words,
  speakers: speakersOf(body.speakers),
  providerOptions: body.providerOptions ? JSON.stringify(body.providerOptions) : null,
  maxCostMicros: body.maxCostDollars === undefined ? null : fromDollars(body.maxCostDollars),
  webhookUrl: body.webhookUrl ?? null,
})

/** Nothing if there is none. */
export const vocabularyOf = ({
  prompt,
  keywords = [],
}: Pick<EngineOptions, 'prompt' | 'keywords'>): { vocabulary?: Vocabulary } => {
  const text = collapse(prompt ?? '')
  const words = [...new Set(keywords.map(collapse))]
  return text === '' && words.length === 0 ? {} : { vocabulary: { prompt: text || null, keywords: words } }
}

export const speakersOf = (field: z.infer<typeof SpeakersField>): SpeakerCount | null => {
  if (field === false) return null
  return field === true ? { min: null, max: null } : { min: field.min ?? null, max: field.max ?? null }
}
