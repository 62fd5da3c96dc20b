import { NoSuchModelError, type ProviderV4, type TranscriptionModelV4 } from '@ai-sdk/provider'
import type { HaulOptions } from '../src/index.ts'
import { type HaulModelId, transcriptionModel } from './transcription-model.ts'

export interface HaulProvider extends ProviderV4 {
  /**
   * `haul-auto` takes captions where the source has them, else the built-in engine recognizes the speech. `haul-builtin` always
   * recognizes it, and so does the name of a provider.
   */
  transcription(modelId: HaulModelId): TranscriptionModelV4
  transcriptionModel(modelId: HaulModelId): TranscriptionModelV4
}

/**
 * A provider for the AI SDK.
 *
 * ```ts
 * const haul = createHaul({ apiKey: 'haul_…', baseUrl: 'https://haul.example.com' })
 * const model = haul.transcription('haul-auto')
 * const { text } = await transcribe({ model, audio: new URL('https://example.com/talk') })
 * ```
 */
export const createHaul = (options: HaulOptions = {}): HaulProvider => {
  const transcription = (modelId: HaulModelId) => transcriptionModel(modelId, options)
  return {
    specificationVersion: 'v4',
    transcription,
    transcriptionModel: transcription,
    languageModel: refuse('languageModel'),
    embeddingModel: refuse('embeddingModel'),
    imageModel: refuse('imageModel'),
  }
}

const refuse =
  (modelType: 'languageModel' | 'embeddingModel' | 'imageModel') =>
  (modelId: string): never => {
    throw new NoSuchModelError({ modelId, modelType, message: 'Haul has transcription models only.' })
  }

/** With the environment variables `HAUL_API_KEY` and `HAUL_URL`. */
export const haul: HaulProvider = createHaul()

export type { HaulModelId, HaulTranscriptionOptions } from './transcription-model.ts'
