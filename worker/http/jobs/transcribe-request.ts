import { z } from '@hono/zod-openapi'
import type { TranscribeRequest } from '../../../domain/jobs/job.ts'
import type { TranscriptionProvider } from '../../../domain/jobs/providers.ts'
import { fromDollars } from '../../../domain/money/money.ts'
import { given, type ValuesOf } from '../../../domain/options/option.ts'
import {
  transcribeFields,
  transcribeOptions,
  transcriptionSources,
} from '../../../domain/options/transcribe-options.ts'
import type { Vocabulary } from '../../../domain/protocol/protocol.ts'
import { collapse } from '../../../domain/words/writing.ts'
import { isThirdParty } from '../../speech/configured-providers.ts'
import { schemasOf } from './option-schemas.ts'
import { clipOf, speakersOf } from './own-shapes.ts'

export type TranscribeOptions = ValuesOf<typeof transcribeOptions>

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
export const TranscribeOptions = z
  .strictObject(schemasOf(transcribeOptions))
  .superRefine(checkOptions)
  .openapi('TranscribeOptions')

const sourceNames = Object.keys(transcriptionSources) as (keyof typeof transcriptionSources)[]

export const TranscribeBody = z
  .strictObject(schemasOf(transcribeFields))
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
export const transcriptionOf = (options: EngineOptions): Omit<TranscribeRequest, keyof TranscriptionSource> => {
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

/** Nothing if there is none. */
export const vocabularyOf = ({
  prompt,
  keywords = [],
}: Pick<EngineOptions, 'prompt' | 'keywords'>): { vocabulary?: Vocabulary } => {
  const text = collapse(prompt ?? '')
  const words = [...new Set(keywords.map(collapse))]
  return text === '' && words.length === 0 ? {} : { vocabulary: { prompt: text || null, keywords: words } }
}
