import { z } from '@hono/zod-openapi'
import {
  asksForWords,
  type ImportRequest,
  type StorageRequest,
  type TranscribeRequest,
  type WordsRequest,
} from '../../../domain/jobs/job.ts'
import type { TranscriptionProvider } from '../../../domain/jobs/providers.ts'
import { fromDollars } from '../../../domain/money/money.ts'
import { importFields, importOptions } from '../../../domain/options/import-options.ts'
import { given, type ValuesOf } from '../../../domain/options/option.ts'
import type { storageOptions } from '../../../domain/options/storage-options.ts'
import {
  transcribeFields,
  transcribeOptions,
  transcriptionSources,
  wordsOptions,
} from '../../../domain/options/transcribe-options.ts'
import type { Vocabulary } from '../../../domain/protocol/protocol.ts'
import { collapse } from '../../../domain/words/writing.ts'
import { isThirdParty } from '../../speech/configured-providers.ts'
import { clipOf, schemasOf, speakersOf } from './option-schemas.ts'

export type ImportOptions = ValuesOf<typeof importOptions> & { transcribe?: WordsOptions | undefined }
export type WordsOptions = ValuesOf<typeof wordsOptions>
export type TranscribeOptions = ValuesOf<typeof transcribeOptions>

/** Without `mode`, and with the neutral name of the provider. */
export type WithEngine<Options> = Omit<Options, 'mode' | 'provider'> & { provider?: TranscriptionProvider | undefined }
export type EngineOptions = WithEngine<TranscribeOptions>
type TranscriptionOptions = EngineOptions & Pick<StorageOptions, 'storageFilename'>

/** An import whose words have an engine. */
export type ImportChoice<Options extends ImportOptions = ImportOptions> = Omit<Options, 'transcribe'> & {
  transcribe?: WithEngine<WordsOptions> | undefined
}

type AddIssue = (field: string, message: string) => void

const problemsOfStorage = ({ storageKey, ...options }: Partial<StorageOptions>, addIssue: AddIssue): void => {
  if (storageKey === undefined) return
  for (const name of ['storagePath', 'storageFilename'] as const) {
    if (options[name] !== undefined) addIssue(name, 'is not allowed with storageKey')
  }
}

const problemsOfWords = (
  { mode, provider, model, captionsFirst, apiKey, providerOptions }: WordsOptions,
  addIssue: AddIssue,
) => {
  const isBuiltin = provider === undefined ? mode === 'speech' || mode === 'auto' : provider === 'builtin'
  if (model !== undefined && !isBuiltin) addIssue('model', 'is only allowed with the built-in engine')
  const contradiction = `contradicts mode: ${mode}`
  if (mode === 'captions' && provider !== undefined) addIssue('provider', contradiction)
  if ((mode === 'captions' || mode === 'speech') && captionsFirst) addIssue('captionsFirst', contradiction)
  if (isThirdParty(provider ?? null)) return
  const message = 'is only allowed with a third-party provider'
  if (apiKey !== undefined) addIssue('apiKey', message)
  if (providerOptions !== undefined) addIssue('providerOptions', message)
}

type AnyWords = WordsOptions & Partial<StorageOptions>

const checkWords = (options: AnyWords, context: z.core.$RefinementCtx<AnyWords>): void => {
  const addIssue: AddIssue = (field, message) => context.addIssue({ code: 'custom', path: [field], message })
  problemsOfWords(options, addIssue)
  problemsOfStorage(options, addIssue)
}

const checkImport = (options: ImportOptions, context: z.core.$RefinementCtx<ImportOptions>): void => {
  const { includeVideo, includeAudio, audioFormat, transcribe, formats } = options
  const addIssue: AddIssue = (field, message) => context.addIssue({ code: 'custom', path: [field], message })
  if (!includeVideo && !includeAudio) addIssue('includeAudio', 'includeVideo and includeAudio must not both be false')
  if (audioFormat !== 'source' && includeVideo) addIssue('audioFormat', 'is only allowed with includeVideo: false')
  if (formats && !asksForWords(options)) addIssue('formats', 'is only allowed with captions or transcribe')
  problemsOfStorage(options, addIssue)
  const { mode = 'captions', provider } = transcribe ?? {}
  if (!includeAudio && (mode !== 'captions' || provider !== undefined)) {
    addIssue('includeAudio', 'must not be false if speech is to be recognized')
  }
}

const ImportWords = z
  .strictObject(schemasOf(wordsOptions))
  .superRefine(checkWords)
  .openapi('WordsOptions')
  .optional()
  .describe(
    'Also makes a transcript, with the fields of `POST /transcribe` from `mode` to `providerOptions`. `{}` takes captions only; with `mode: "auto"`, speech is recognized where there are none.',
  )

export const ImportOptions = z
  .strictObject({ ...schemasOf(importOptions), transcribe: ImportWords })
  .superRefine(checkImport)
  .openapi('ImportOptions')

export const ImportBody = z
  .strictObject({ ...schemasOf(importFields), transcribe: ImportWords })
  .superRefine(checkImport)
  .openapi('ImportRequest')
export type ImportBody = z.infer<typeof ImportBody>

export const importRequestOf = (body: ImportChoice<ImportBody>): ImportRequest => ({
  ...importOf(body),
  url: body.url,
})

export const importOf = (options: ImportChoice): Omit<ImportRequest, 'url'> => {
  const { clip, reuseWithinSeconds: _, maxCostDollars, index, ...kept } = given(importOptions, options)
  return {
    ...kept,
    ...captionsOf(options.captions),
    ...(index ? {} : { index }),
    ...(maxCostDollars !== undefined && { maxCostMicros: fromDollars(maxCostDollars) }),
    ...(options.transcribe && { transcribe: wordsRequestOf(options.transcribe) }),
    clip: clipOf(clip),
    webhookUrl: kept.webhookUrl ?? null,
    ...storageRequestOf(options),
  }
}

type StorageOptions = ValuesOf<typeof storageOptions> & { storageFilename?: string | undefined }

const storageRequestOf = (options: StorageOptions): StorageRequest => ({
  store: options.store,
  ...(options.storageKey !== undefined && { storageKey: options.storageKey }),
  storagePath: options.storagePath ?? null,
  storageFilename: options.storageFilename ?? null,
  storageBucket: options.storageBucket ?? null,
  storageClass: options.storageClass ?? null,
  storageReturnLocation: options.storageReturnLocation,
})

export const TranscribeOptions = z
  .strictObject(schemasOf(transcribeOptions))
  .superRefine(checkWords)
  .openapi('TranscribeOptions')

type TranscriptionSource = keyof typeof transcriptionSources
const sourceNames = Object.keys(transcriptionSources) as TranscriptionSource[]

export const TranscribeBody = z
  .strictObject(schemasOf(transcribeFields))
  .superRefine((body, context) => {
    if (sourceNames.filter((name) => body[name] !== undefined).length !== 1) {
      const message = 'exactly one of url, importId and uploadId is required'
      context.addIssue({ code: 'custom', path: ['url'], message })
    }
    checkWords(body, context)
  })
  .openapi('TranscribeRequest', {
    description: 'Exactly one of `url`, `importId` and `uploadId` is required.',
    example: { url: 'https://example.com/video.mp4' },
  })

export const transcribeRequestOf = (
  { url, importId, uploadId }: Partial<Record<TranscriptionSource, string | undefined>>,
  options: TranscriptionOptions,
): TranscribeRequest => ({
  url: url ?? null,
  importId: importId ?? null,
  uploadId: uploadId ?? null,
  ...transcriptionOf(options),
})

const captionsOf = (captions: ImportOptions['captions']): Pick<ImportRequest, 'captions'> =>
  captions ? { captions: captions.includes('all') ? 'all' : captions } : {}

export const transcriptionOf = (options: TranscriptionOptions): Omit<TranscribeRequest, TranscriptionSource> => ({
  ...wordsRequestOf(options),
  ...captionsOf(options.captions),
  ...(options.formats && { formats: options.formats }),
  ...(options.store && { storage: storageRequestOf(options) }),
  ...(options.index ? {} : { index: options.index }),
  clip: clipOf(options.clip),
  maxCostMicros: options.maxCostDollars === undefined ? null : fromDollars(options.maxCostDollars),
  webhookUrl: options.webhookUrl ?? null,
})

const wordsRequestOf = (options: WithEngine<WordsOptions>): WordsRequest => {
  const { apiKey: _, prompt, keywords, translate, ...kept } = given(wordsOptions, options)
  return {
    ...kept,
    ...(translate && { translate: 'en' as const }),
    ...vocabularyOf({ prompt, keywords }),
    language: kept.language ?? null,
    provider: options.provider ?? null,
    speakers: speakersOf(kept.speakers),
    providerOptions: kept.providerOptions ? JSON.stringify(kept.providerOptions) : null,
  }
}

export const vocabularyOf = ({
  prompt,
  keywords = [],
}: Pick<EngineOptions, 'prompt' | 'keywords'>): { vocabulary?: Vocabulary } => {
  const text = collapse(prompt ?? '')
  const words = [...new Set(keywords.map(collapse))]
  return text === '' && words.length === 0 ? {} : { vocabulary: { prompt: text || null, keywords: words } }
}
