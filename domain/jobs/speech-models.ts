import type { SpeechModel } from '../protocol/protocol.ts'
import type { ImportRequest, TranscribeRequest } from './job.ts'

/** A model that callers can name. */
export interface OfferedModel extends SpeechModel {
  engine: 'builtin' | 'workers-ai'
  /** Who speaks needs the times of words too. */
  speakers: boolean
}

/** The first of those with the same name. At most one is the default. */
export const distinctModels = <Model extends SpeechModel>(models: readonly Model[]): Model[] => {
  const first = models.filter(({ name }, index) => models.findIndex((other) => other.name === name) === index)
  const usual = first.find(({ isDefault }) => isDefault)
  return first.map((model) => ({ ...model, isDefault: model === usual, speed: speedOf(model, models) }))
}

/** The first that has heard something says it. */
const speedOf = ({ name }: SpeechModel, models: readonly SpeechModel[]): number | null =>
  models.find((model) => model.name === name && model.speed !== null)?.speed ?? null

/** The model of this name, or the default one. */
export const modelMeant = <Model extends SpeechModel>(models: readonly Model[], name?: string): Model | undefined =>
  models.find((model) => (name === undefined ? model.isDefault : model.name === name))

/** The name that the request gives. null: it gives none. */
export const modelAskedFor = (
  request: Pick<TranscribeRequest, 'language' | 'model'> | Pick<ImportRequest, 'transcribe'>,
): string | null => ('language' in request ? request.model : request.transcribe?.model) ?? null

/** Whether speech of the request would be heard with the default model, or its quote would be that of the default model. */
export const usesDefaultModel = (
  request: Pick<TranscribeRequest, 'language' | 'model' | 'provider'> | Pick<ImportRequest, 'transcribe'>,
): boolean => {
  const words = 'language' in request ? request : request.transcribe
  return words !== undefined && words.model === undefined && [null, 'builtin'].includes(words.provider)
}

/** What a request asks of its model, by the names of the options. */
export interface AskedOfModel {
  words: boolean
  speakers: boolean
  keywords: boolean
  prompt: boolean
  translate: boolean
  /** A base code, such as `en`. null: detected, and what the model does not know is heard with the default one. */
  language: string | null
}

type Ability = (model: OfferedModel, asked: AskedOfModel) => boolean

const abilities: Record<keyof AskedOfModel, Ability> = {
  words: ({ words }) => words,
  speakers: ({ speakers }) => speakers,
  keywords: ({ vocabulary }) => vocabulary,
  prompt: ({ vocabulary }) => vocabulary,
  translate: ({ translation }) => translation,
  language: ({ languages }, { language }) => language === null || languages === 'all' || languages.includes(language),
}

const options = Object.keys(abilities) as (keyof AskedOfModel)[]

const lackingOption = (model: OfferedModel, asked: AskedOfModel): keyof AskedOfModel | null =>
  options.find((option) => asked[option] && !abilities[option](model, asked)) ?? null

/** What the request asks for and the model cannot do, with the models that can do all of it. null: it can. */
export const unsupportedByModel = (
  model: OfferedModel,
  asked: AskedOfModel,
  models: readonly OfferedModel[],
): { option: keyof AskedOfModel; message: string } | null => {
  const option = lackingOption(model, asked)
  if (!option) return null
  const able = models.filter((other) => lackingOption(other, asked) === null).map(({ name }) => name)
  const instead = able.length > 0 ? ` Supported by ${able.join(', ')}.` : ''
  return { option, message: `${option} is not supported: ${reasonOf(option, model)}${instead}` }
}

const reasonOf = (option: keyof AskedOfModel, { name, words, languages }: OfferedModel): string => {
  switch (option) {
    case 'words':
      return `the model ${name} does not tell when each word is said.`
    case 'speakers':
      return words
        ? 'the built-in speech recognition here cannot tell who speaks.'
        : `the model ${name} does not tell when each word is said, and so not by whom.`
    case 'translate':
      return `the model ${name} does not translate.`
    case 'language':
      return `the model ${name} knows ${languages === 'all' ? 'all languages' : languages.join(', ')}.`
    default:
      return `the model ${name} takes no vocabulary.`
  }
}
