import { InvalidArgumentError, type TranscriptionModelV4CallOptions } from '@ai-sdk/provider'
import type { TranscribeOptions, TranscribeRequest } from '../src/index.ts'
import { transcribeOptionNames } from '../src/start-options.ts'

type ProviderName = Exclude<NonNullable<TranscribeRequest['provider']>, 'builtin'>

/** `haul-auto`, `haul-builtin`, or the name of a provider. */
export type HaulModelId = 'haul-auto' | 'haul-builtin' | ProviderName | (string & {})

/** What `providerOptions.haul` takes: the fields of `POST /transcribe` without the source. */
export type HaulTranscriptionOptions = Pick<TranscribeOptions, (typeof transcribeOptionNames)[number]>

type CallOptions = Pick<TranscriptionModelV4CallOptions, 'providerOptions' | 'timestampGranularities'>

/** The fields of the request. Those that the caller has set count. */
export const requestFields = (modelId: HaulModelId, call: CallOptions): HaulTranscriptionOptions => {
  const given = call.providerOptions?.haul ?? {}
  for (const name of Object.keys(given)) {
    if (transcribeOptionNames.some((known) => known === name)) continue
    const message = `providerOptions.haul has no field ${name}. It takes ${transcribeOptionNames.join(', ')}.`
    throw new InvalidArgumentError({ argument: 'providerOptions', message })
  }
  const words = call.timestampGranularities?.includes('word') ? { words: true } : {}
  return { ...fieldsOf(modelId), ...words, ...given }
}

const fieldsOf = (modelId: HaulModelId): HaulTranscriptionOptions => {
  if (modelId === 'haul-auto') return { mode: 'auto' }
  // The service refuses a name that it does not know, and lists those that it does.
  const provider = (modelId === 'haul-builtin' ? 'builtin' : modelId) as ProviderName
  return { mode: 'speech', provider }
}
