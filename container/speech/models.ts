import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { SpeechModel } from '../../domain/protocol/protocol.ts'
import type { RecognizerSettings, SpeechSettings } from '../config.ts'
import { checkModel, EngineUnavailable, type Manifest, type ModelFolder, reasonOf } from './model-folder.ts'
import type { ModelType } from './model-types.ts'
import { typeOfModel } from './type-of-model.ts'

/** The models of this container: what its settings name, with what each of them can. */

export interface Model extends Pick<SpeechModel, 'name' | 'languages' | 'words' | 'vocabulary' | 'translation'> {
  folder: string
  type: ModelType
  /** Of its files together. */
  sizeBytes: number
}

export const speechFolder = (path: string): ModelFolder => ({ path, name: 'speech model', needs: [] })

/** `name`: that of the settings. null for the default model, whose manifest or folder names it. */
export const readModel = async (folder: string, name: string | null): Promise<Model> => {
  const manifest = await checkModel(speechFolder(folder))
  const type = await typeOfModel(folder)
  const languages = manifest.languages ?? (await languagesOfWhisper(folder, manifest, type))
  const isWhisper = type.kind === 'whisper'
  return {
    name: name ?? manifest.name ?? nameOfFolder(folder),
    ...{ folder, type, languages },
    words: type.words && manifest.words !== false,
    vocabulary: isWhisper,
    translation: isWhisper && (manifest.translation ?? languages === 'all'),
    sizeBytes: Object.values(manifest.files).reduce((sum, { bytes }) => sum + bytes, 0),
  }
}

/** It is shown to callers, so it is never more than a name. */
const nameOfFolder = (folder: string): string =>
  basename(folder)
    .replace(/[^\w.-]/g, '-')
    .slice(0, 100)

/** The vocabulary of a Whisper that has only English lacks the names of the other languages. */
const ENGLISH_VOCABULARY = 51_864

const languagesOfWhisper = async (
  folder: string,
  { files }: Manifest,
  { kind, called }: ModelType,
): Promise<Model['languages']> => {
  if (kind !== 'whisper') {
    const command = `node scripts/speech.mjs manifest ${folder} --languages en`
    throw new EngineUnavailable(`${folder} is ${called}, and its manifest does not say its languages (${command})`)
  }
  const name = ['vocabulary.txt', 'vocabulary.json'].find((name) => name in files)
  const digest = name && files[name]?.sha256
  if (!digest) return 'all'
  const entries = known.get(digest) ?? (await entriesIn(join(folder, name)))
  known.set(digest, entries)
  return entries === ENGLISH_VOCABULARY ? ['en'] : 'all'
}

/** By the digest of the vocabulary: /state looks at the models every few seconds. */
const known = new Map<string, number>()

const entriesIn = async (path: string): Promise<number> => {
  const text = await readFile(path, 'utf8')
  if (!path.endsWith('.json')) return text.trimEnd().split('\n').length
  const entries: unknown = JSON.parse(text)
  return Array.isArray(entries) ? entries.length : 0
}

export interface LookedAt {
  /** In STT_MODELS; null for the default one. */
  name: string | null
  folder: string
  /** null: it cannot be used, for this `problem`. */
  model: Model | null
  problem: string
}

/** The default one first. */
export const lookAtModels = ({ modelDir, models = [] }: SpeechSettings) =>
  Promise.all([lookAt(modelDir, null), ...models.map(({ name, folder }) => lookAt(folder, name))])

const lookAt = (folder: string, name: string | null): Promise<LookedAt> =>
  readModel(folder, name).then(
    (model) => ({ name, folder, model, problem: '' }),
    (error) => ({ name, folder, model: null, problem: unreadable(error) }),
  )

const unreadable = (error: unknown): string => reasonOf(error, 'the model cannot be read')

/** Throws a sentence for the operator if a folder that the settings name has no model. */
export const checkMountedModels = async (settings: RecognizerSettings): Promise<void> => {
  const { mounted, models, modelDir } = settings
  for (const folder of mounted) {
    const setting = models.some((each) => each.folder === folder) ? 'STT_MODELS' : 'STT_MODEL_DIR'
    // Whoever has not written the manifest yet wants to know first whether it is a model at all.
    const problem = await typeOfModel(folder).then(async () => (await lookAt(folder, null)).problem, unreadable)
    if (problem) throw new Error(`${setting}: ${problem}.`)
  }
  const [byDefault] = await lookAtModels(settings)
  const twice = models.find(({ name }) => name === byDefault?.model?.name)
  if (twice) throw new Error(`STT_MODELS: ${twice.name} is also the name of the default model, in ${modelDir}.`)
}
