import { modelMeant, type OfferedModel } from '../../../domain/jobs/speech-models.ts'
import type { EngineOptions } from '../jobs/start-requests.ts'

/** Jobs have words, so that requests share them. A model without words is asked for them only by those who need them, and refuses. */
export const withoutSpareWords = (
  options: EngineOptions,
  models: readonly OfferedModel[],
  { needsWords }: { needsWords: boolean },
): EngineOptions => {
  const { provider } = options
  const model = modelMeant(models, options.model)
  const hasNone = provider === 'builtin' && model !== undefined && !model.words
  return hasNone && !needsWords ? { ...options, words: false } : options
}
