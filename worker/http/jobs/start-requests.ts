import { z } from '@hono/zod-openapi'
import type { ImportRequest, TranscribeRequest } from '../../../domain/jobs/job.ts'
import type { TranscriptionProvider } from '../../../domain/jobs/providers.ts'
import { fromDollars } from '../../../domain/money/money.ts'
import { importFields, importOptions } from '../../../domain/options/import-options.ts'
import { given, type ValuesOf } from '../../../domain/options/option.ts'
import {
  transcribeFields,
  transcribeOptions,
  transcriptionSources,
} from '../../../domain/options/transcribe-options.ts'
import type { Vocabulary } from '../../../domain/protocol/protocol.ts'
import { collapse } from '../../../domain/words/writing.ts'
import { isThirdParty } from '../../speech/configured-providers.ts'
import { clipOf, schemasOf, speakersOf } from './option-schemas.ts'

export type ImportOptions = ValuesOf<typeof importOptions>

const checkImport = (
  { includeVideo, includeAudio, audioFormat }: ImportOptions,
  context: z.core.$RefinementCtx<ImportOptions>,
): void => {
  const addIssue = (field: string, message: string) => context.addIssue({ code: 'custom', path: [field], message })
  if (!includeVideo && !includeAudio) addIssue('includeAudio', 'includeVideo and includeAudio must not both be false')
  if (audioFormat !== 'source' && includeVideo) addIssue('audioFormat', 'is only allowed with includeVideo: false')
}

export const ImportOptions = z.strictObject(schemasOf(importOptions)).superRefine(checkImport).openapi('ImportOptions')

export const ImportBody = z.strictObject(schemasOf(importFields)).superRefine(checkImport).openapi('ImportRequest')
export type ImportBody = z.infer<typeof ImportBody>

export const importRequestOf = (body: ImportBody): ImportRequest => ({
  ...importOf(body),
  url: body.url,
  storageFilename: body.storageFilename ?? null,
})

export const importOf = (options: ImportOptions): Omit<ImportRequest, 'url'> => {
  const { clip, reuseWithinSeconds: _, maxCostDollars, ...kept } = given(importOptions, options)
  return {
    ...kept,
    ...(maxCostDollars !== undefined && { maxCostMicros: fromDollars(maxCostDollars) }),
    clip: clipOf(clip),
    webhookUrl: kept.webhookUrl ?? null,
    storagePath: kept.storagePath ?? null,
    storageFilename: null,
    storageBucket: kept.storageBucket ?? null,
    storageClass: kept.storageClass ?? null,
  }
}

export type TranscribeOptions = ValuesOf<typeof transcribeOptions>

/** The options without `mode`, and with the neutral name of the provider. */
export interface EngineOptions extends Omit<TranscribeOptions, 'mode' | 'provider'> {
  provider?: TranscriptionProvider | undefined
}

const checkTranscription = (
  { mode, provider, captionsFirst, apiKey, providerOptions }: TranscribeOptions,
  context: z.core.$RefinementCtx<TranscribeOptions>,
): void => {
  const addIssue = (field: string, message: string) => context.addIssue({ code: 'custom', path: [field], message })
  const contradiction = `contradicts mode: ${mode}`
  if (mode === 'captions' && provider !== undefined) addIssue('provider', contradiction)
  if ((mode === 'captions' || mode === 'speech') && captionsFirst) addIssue('captionsFirst', contradiction)
  if (isThirdParty(provider ?? null)) return
  const message = 'is only allowed with a third-party provider'
  if (apiKey !== undefined) addIssue('apiKey', message)
  if (providerOptions !== undefined) addIssue('providerOptions', message)
}

export const TranscribeOptions = z
  .strictObject(schemasOf(transcribeOptions))
  .superRefine(checkTranscription)
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
    checkTranscription(body, context)
  })
  .openapi('TranscribeRequest', {
    description: 'Exactly one of `url`, `importId` and `uploadId` is required.',
    example: { url: 'https://example.com/video.mp4' },
  })

export const transcribeRequestOf = (
  { url, importId, uploadId }: Partial<Record<TranscriptionSource, string | undefined>>,
  options: EngineOptions,
): TranscribeRequest => ({
  url: url ?? null,
  importId: importId ?? null,
  uploadId: uploadId ?? null,
  ...transcriptionOf(options),
})

export const transcriptionOf = (options: EngineOptions): Omit<TranscribeRequest, TranscriptionSource> => {
  const { provider } = options
  const {
    apiKey: _,
    reuseWithinSeconds: __,
    prompt,
    keywords,
    translate,
    maxCostDollars,
    ...kept
  } = given(transcribeOptions, options)
  return {
    ...kept,
    ...(translate && { translate: 'en' as const }),
    ...vocabularyOf({ prompt, keywords }),
    language: kept.language ?? null,
    provider: provider ?? null,
    clip: clipOf(kept.clip),
    speakers: speakersOf(kept.speakers),
    providerOptions: kept.providerOptions ? JSON.stringify(kept.providerOptions) : null,
    maxCostMicros: maxCostDollars === undefined ? null : fromDollars(maxCostDollars),
    webhookUrl: kept.webhookUrl ?? null,
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
