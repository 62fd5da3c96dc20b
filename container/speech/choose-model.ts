import type { Model } from './models.ts'
import type { DetectedLanguage, RecognizedWords, RecognizeRequest } from './recognizer-process.ts'

/** Which model hears a piece, and what language is said to it. null: it finds that out itself. */
export interface Choice {
  model: Model
  language: string | null
  /** If another model has detected the language: how sure it is. */
  probability?: number
}

/** A language detected with a lower probability is not used for the following pieces. */
export const MIN_LANGUAGE_PROBABILITY = 0.5

export const canDetect = ({ type, languages }: Model): boolean => type.kind === 'whisper' && languages === 'all'

const hears = ({ languages }: Model, language: string): boolean => languages === 'all' || languages.includes(language)

/**
 * A model with a list of languages does not say that it hears another one. So a model with all languages detects it first,
 * and from where one is spoken that is not in the list, another model hears the recording.
 */
export const createModelChoice = (
  asked: Model,
  /** In the order in which they are tried. */
  others: Model[],
  detect: (detector: Model, samples: Uint8Array) => Promise<DetectedLanguage>,
) => {
  let model = asked
  const detector = others.find(canDetect)
  const choose = (language: string): Model =>
    hears(model, language) ? model : (others.find((other) => hears(other, language)) ?? model)

  /** `known`: the language, if the caller has said it or it was detected before. */
  return async (samples: Uint8Array, known: string | null): Promise<Choice> => {
    if (known !== null) model = choose(known)
    if (known !== null || model.languages === 'all') return { model, language: known }
    const only = model.languages.length === 1 ? (model.languages[0] ?? null) : null
    if (!detector) return { model, language: only }
    const { language, probability } = await detect(detector, samples)
    if (language === null || probability < MIN_LANGUAGE_PROBABILITY) return { model, language: only, probability }
    model = choose(language)
    return { model, language, probability }
  }
}

/** Gives each piece of a recording to the model that is chosen for it. */
export const recognizeWith = (
  choose: ReturnType<typeof createModelChoice>,
  recognize: (model: Model, request: RecognizeRequest) => Promise<Omit<RecognizedWords, 'model'>>,
) => {
  let last: Model | null = null
  return async (request: RecognizeRequest): Promise<RecognizedWords> => {
    const { model, language, probability } = await choose(request.samples, request.language)
    const continues = request.continues && model === last
    last = model
    const recognized = await recognize(model, { ...request, language, continues })
    return {
      ...recognized,
      model: model.name,
      // Without words, the language is that of noise.
      language: recognized.words.length > 0 ? (recognized.language ?? language) : null,
      probability: probability ?? recognized.probability,
    }
  }
}
