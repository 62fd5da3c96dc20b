import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { EngineUnavailable, namesIn } from './model-folder.ts'
import { type ModelType, missingFrom, modelTypes, readable } from './model-types.ts'

/** By the names of the files, and by config.json. Throws EngineUnavailable with what is missing. */
export const typeOfModel = async (folder: string): Promise<ModelType> => {
  const names = await namesIn(folder).catch((cause) => {
    throw new EngineUnavailable(`${folder} is not a folder that can be read`, { cause })
  })
  const isWhole = (type: ModelType) => missingFrom(names, type).length === 0
  const said = await typeInConfig(folder)
  const named = modelTypes.find(({ name }) => name === said)
  const found = modelTypes.find((type) => isWhole(type) && !type.onlyByConfig)
  // Whisper for CTranslate2 may come with the config.json of what it was converted from.
  if (found?.kind === 'whisper') return found
  if (named && isWhole(named)) return named
  if (found && !named) return found
  throw new EngineUnavailable(
    `${folder} is none of the kinds that are read: ${named ? lacksOfNamed(names, named) : whatItLacks(names)}`,
  )
}

const Config = z.object({ model_type: z.string() })

const typeInConfig = async (folder: string): Promise<string | undefined> => {
  const text = await readFile(join(folder, 'config.json'), 'utf8').catch(() => '')
  try {
    const { model_type } = Config.parse(JSON.parse(text))
    return model_type === 'vosk' ? 'kaldi-rnnt' : model_type
  } catch {
    return undefined
  }
}

const lacksOfNamed = (names: string[], type: ModelType): string =>
  `its config.json says ${type.name}, but it has no ${missingFrom(names, type).join(' and no ')}`

/** Of the type that it has most files of; of all types, if it has none of any. */
const whatItLacks = (names: string[]): string => {
  const partly = modelTypes
    .map((type) => ({ type, missing: missingFrom(names, type) }))
    .map(({ type, missing }) => ({ type, missing, share: missing.length / type.files.length }))
    .filter(({ type, share }) => share < 1 && type.name !== 't-one-ctc')
    .sort((one, other) => one.share - other.share)[0]
  if (!partly) return `it has no ${firstFiles.join(', no ')}`
  const { type, missing } = partly
  const lacks = missing.length > 0 ? missing.join(' and no ') : `config.json whose model_type is ${namesLike(type)}`
  return `it has files of ${type.called}, but no ${lacks}`
}

/** One file of each kind. */
const firstOf = new Map(modelTypes.toReversed().map(({ called, files }) => [called, readable(files[0] ?? '')]))
const firstFiles = [...Map.groupBy([...firstOf].reverse(), ([, file]) => file)].map(
  ([file, kinds]) => `${file} (${kinds.map(([called]) => called).join(' or ')})`,
)

const namesLike = ({ called }: ModelType): string =>
  modelTypes.flatMap((type) => (type.called === called ? [type.name] : [])).join(' or ')
