import { distinctModels, modelMeant, type OfferedModel } from '../../domain/jobs/speech-models.ts'
import { hasModelPrices, type Prices, withPriceOf } from '../../domain/money/prices.ts'
import { configOf } from '../env.ts'
import { WORKERS_AI_MODEL } from '../speech/workers-ai.ts'
import { endPlace, fleetOf, type ModelsOfEngines } from './fleet-of.ts'

export interface Offer {
  models: OfferedModel[]
  /** The engines have said which models they have. */
  isWhole: boolean
  /** Engines that say nothing may. A job fails if they cannot. */
  mayTellSpeakers: boolean
}

/** What can be named, as far as it is known. No engine is asked or started. Never throws. */
export const offerOf = async (env: Env, accountId: string): Promise<Offer> => {
  try {
    return withWorkersAi(env, await fleetOf(env, accountId).models())
  } catch (cause) {
    console.warn('the fleet did not say which models it has', `${cause}`)
    return withWorkersAi(env, { models: null, tellsSpeakers: null })
  }
}

/** As `offerOf`, but while the engines have said nothing, one is started if none runs, and asked. */
export const wholeOfferOf = async (env: Env, accountId: string): Promise<Offer> => {
  const known = await offerOf(env, accountId)
  return known.isWhole ? known : askEngine(env, accountId)
}

/** null: no engine has reported its models, and none could be asked. */
export const modelsOf = async (env: Env, accountId: string): Promise<OfferedModel[] | null> => {
  const { models, isWhole } = await wholeOfferOf(env, accountId)
  return isWhole || models.length > 0 ? models : null
}

/** null: there is none, or nobody knows. */
export const defaultModelOf = async (env: Env, accountId: string): Promise<string | null> => {
  const { models } = await offerOf(env, accountId)
  return modelMeant(models)?.name ?? null
}

/** The prices of a request that names no model. */
export const pricesOfDefault = async (env: Env, accountId: string, prices: Prices): Promise<Prices> =>
  hasModelPrices(prices) ? withPriceOf(prices, await defaultModelOf(env, accountId)) : prices

const ASK_MS = 20_000
const PAUSE_MS = 250

/** An engine that has just started looks at its models first. The place keeps the fleet asking for its state. */
const askEngine = async (env: Env, accountId: string): Promise<Offer> => {
  const until = Date.now() + ASK_MS
  const place = await fleetOf(env, accountId).placeForProbe(accountId, ASK_MS)
  if (!place) return offerOf(env, accountId)
  try {
    for (;;) {
      const offer = await offerOf(env, accountId)
      if (offer.isWhole || Date.now() >= until) return offer
      await scheduler.wait(PAUSE_MS)
    }
  } finally {
    await endPlace(env, accountId, place.id)
  }
}

const withWorkersAi = (env: Env, { models, tellsSpeakers }: ModelsOfEngines): Offer => {
  const own = models ?? []
  const mayTellSpeakers = tellsSpeakers !== false
  const known = { isWhole: models !== null, mayTellSpeakers }
  if (configOf(env).speech.builtin !== 'workers-ai') return { models: own, ...known }
  const can = { languages: 'all', words: true, vocabulary: true, translation: true, speed: null } as const
  const first = { name: WORKERS_AI_MODEL, isDefault: true, ...can, speakers: mayTellSpeakers }
  return { models: distinctModels([{ ...first, engine: 'workers-ai' }, ...own]), ...known }
}
