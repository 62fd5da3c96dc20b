import type { SpeechModel } from '../../domain/protocol/protocol.ts'
import type { SpeechSettings } from '../config.ts'
import { checkPython, EngineUnavailable } from './model-folder.ts'
import { type LookedAt, lookAtModels, type Model, readModel } from './models.ts'

/** The models of the settings. Their folders are looked at each time, so a repaired one is used without a restart. */
export const createModelList = (settings: SpeechSettings) => {
  let found: Omit<SpeechModel, 'speed'>[] | undefined

  const look = async (): Promise<LookedAt[]> => {
    const all = await lookAtModels(settings)
    const hasPython = await checkPython(settings.python).then(
      () => true,
      () => false,
    )
    found = hasPython
      ? all.flatMap(({ name, model }) => (model ? [{ ...told(model), isDefault: name === null }] : []))
      : []
    return all
  }

  return {
    /** The default one first. */
    look,
    /** What the last look has found that can be used; undefined before the first. */
    get found() {
      return found
    },
    /** Throws EngineUnavailable. Without a name it is the default one. */
    get: async (name: string | undefined): Promise<Model> => {
      const named = settings.models?.find((each) => each.name === name)
      if (named) return readModel(named.folder, named.name)
      const byDefault = await readModel(settings.modelDir, null)
      if (name === undefined || name === byDefault.name) return byDefault
      throw new EngineUnavailable(`there is no model ${name} here`)
    },
  }
}

const told = ({ name, languages, words, vocabulary, translation }: Model) => ({
  ...{ name, languages, words, vocabulary, translation },
})
