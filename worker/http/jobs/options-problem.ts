import type { Context } from 'hono'
import { STORAGE_RECORD } from '../../../domain/bucket/storage-settings.ts'
import { accepted, type Refusal, type Result, refusal } from '../../../domain/codes/refusals.ts'
import { providerSlots } from '../../../domain/jobs/providers.ts'
import {
  type AskedOfModel,
  modelMeant,
  type OfferedModel,
  unsupportedByModel,
} from '../../../domain/jobs/speech-models.ts'
import { findCredential } from '../../directory.ts'
import { type Config, configOf } from '../../env.ts'
import {
  builtinOf,
  isThirdParty,
  providerAt,
  providerNamed,
  unsupportedOption,
} from '../../speech/configured-providers.ts'
import { baseLanguage } from '../../speech/languages.ts'
import { refusedOptions } from '../../speech/providers/provider.ts'
import { offerFor } from '../offer-of-request.ts'
import { type HttpEnv, outbound } from '../request-context.ts'
import { invalidField, invalidFields } from '../validation-messages.ts'
import { speakersOf } from './option-schemas.ts'
import {
  type EngineOptions,
  type ImportChoice,
  type ImportOptions,
  vocabularyOf,
  type WithEngine,
  type WordsOptions,
} from './start-requests.ts'

export const importProblem = async (
  c: Context<HttpEnv>,
  { store, webhookUrl, transcribe }: Pick<ImportChoice, 'store' | 'webhookUrl' | 'transcribe'>,
): Promise<Refusal | null> => {
  const problem = transcribe && (await enginesProblem(c, transcribe))
  return problem ? within('transcribe', problem) : targetProblem(c, { store, webhookUrl })
}

type Targets = Pick<ImportOptions, 'store' | 'webhookUrl'>

const targetProblem = async (c: Context<HttpEnv>, { store, webhookUrl }: Targets): Promise<Refusal | null> =>
  store && !(await findCredential(c.env.DB, c.var.caller.accountId, STORAGE_RECORD))
    ? refusal('STORAGE_NOT_CONFIGURED')
    : webhookUrlProblem(c, webhookUrl)

export const transcriptionProblem = async (c: Context<HttpEnv>, options: EngineOptions): Promise<Refusal | null> =>
  (await enginesProblem(c, options)) ?? targetProblem(c, options)

const enginesProblem = async (c: Context<HttpEnv>, options: WithEngine<WordsOptions>): Promise<Refusal | null> =>
  engineProblem(configOf(c.env), options) ?? (await modelProblem(c, options))

/** What the model cannot, or the default one. While nobody knows the default one, the request is accepted. */
const modelProblem = async (c: Context<HttpEnv>, options: WithEngine<WordsOptions>): Promise<Refusal | null> => {
  const { provider, model: name } = options
  const asked = askedOfModel(options)
  if (provider !== 'builtin' || (name === undefined && !Object.values(asked).some(Boolean))) return null
  const asksEngine = name !== undefined && builtinOf(c.env, configOf(c.env), options) === null
  const { models, isWhole, mayTellSpeakers } = await offerFor(c, { asksEngine })
  const model = modelMeant(models, name)
  if (model) return withUnsupported(unsupportedByModel(model, asked, models))
  if (name !== undefined) return isWhole ? invalidField('model', namesOf(models)) : modelsUnknown
  return asked.speakers && !mayTellSpeakers ? unsupported('speakers', noSpeakers) : null
}

const namesOf = (models: readonly OfferedModel[]): string =>
  models.length === 0
    ? 'is not known: there is none here'
    : `must be one of: ${models.map(({ name }) => name).join(', ')}`

const RETRY_SECONDS = 10

export const modelsUnknown = refusal(
  'SERVICE_UNAVAILABLE',
  { retryAfter: RETRY_SECONDS },
  'No engine has said yet which models there are. Try again in a few seconds.',
)

const askedOfModel = (options: WithEngine<WordsOptions>): AskedOfModel => {
  const { prompt = null, keywords = [] } = vocabularyOf(options).vocabulary ?? {}
  return {
    words: options.words,
    speakers: speakersOf(options.speakers) !== null,
    keywords: keywords.length > 0,
    prompt: prompt !== null,
    translate: options.translate !== undefined,
    language: options.language === undefined ? null : baseLanguage(options.language),
  }
}

const noSpeakers = 'speakers is not supported: the built-in speech recognition here cannot tell who speaks.'

/** Refuses options that the engine lacks, that the service sets itself, or that contradict each other. None is ignored silently. */
const engineProblem = (config: Config, options: Omit<WithEngine<WordsOptions>, 'captionsFirst'>): Refusal | null => {
  const { provider = null, providerOptions = {}, translate } = options
  if (translate !== undefined && !/^en$/i.test(translate)) return unsupported('translate', onlyEnglish)
  const asked = {
    words: options.words,
    speakers: speakersOf(options.speakers),
    ...(translate !== undefined && { translate: 'en' as const }),
    ...vocabularyOf(options),
  }
  const refused = isThirdParty(provider) ? refusedOptions(providerAt(config, provider), providerOptions, asked) : []
  const details = refused.map(({ option, message }) => ({ path: `providerOptions.${option}`, message }))
  if (details.length > 0) return invalidFields(details)
  return withUnsupported(unsupportedOption(config, provider, asked, providerOptions))
}

/** Leaves out a prompt that the engine or the model does not take: programs send one with every model. */
export const withUsablePrompt = async (c: Context<HttpEnv>, options: EngineOptions): Promise<EngineOptions> => {
  const { prompt, ...others } = options
  if (prompt === undefined) return options
  return (await enginesProblem(c, options)) && !(await enginesProblem(c, others)) ? others : options
}

const onlyEnglish = 'translate is not supported: speech can only be translated into en.'

const withUnsupported = (missing: { option: string; message: string } | null): Refusal | null =>
  missing && unsupported(missing.option, missing.message)

const unsupported = (option: string, message: string): Refusal =>
  refusal('OPTION_UNSUPPORTED', { details: [{ path: option, message }] }, message)

export const webhookUrlProblem = async (c: Context<HttpEnv>, url: string | undefined): Promise<Refusal | null> =>
  url === undefined || (await outbound(c).mayReach(new URL(url)))
    ? null
    : invalidField('webhookUrl', 'must be a public address')

export const withEngine = <Options extends WordsOptions>(
  config: Config,
  { provider: name, mode, ...options }: Options,
): Result<WithEngine<Options>> => {
  const provider = name && providerNamed(config, name)
  if (provider === null) return { ok: false, refusal: notConfigured(config) }
  // Without a mode, or with `captions`, the options need no change.
  if (mode === undefined || mode === 'captions') return accepted({ ...options, provider })
  return accepted({ ...options, provider: provider ?? 'builtin', captionsFirst: mode === 'auto' })
}

export const withImportEngine = <Options extends ImportOptions>(
  config: Config,
  { transcribe, ...options }: Options,
): Result<ImportChoice<Options>> => {
  if (!transcribe) return accepted(options)
  const chosen = withEngine(config, transcribe)
  return chosen.ok
    ? accepted({ ...options, transcribe: chosen.value })
    : { ok: false, refusal: within('transcribe', chosen.refusal) }
}

/** Prefixes the fields that a refusal names, which are those of an object in the body. */
export const within = <Problem extends Refusal | null>(name: string, problem: Problem): Problem | Refusal => {
  if (!problem || !Array.isArray(problem.facts.details)) return problem
  const details = problem.facts.details.map(({ path, message }) => ({ path: `${name}.${path}`, message }))
  return { ...problem, facts: { ...problem.facts, details } }
}

export const notConfigured = (config: Config): Refusal => {
  const configured = providerSlots.map((slot) => `${slot} (${config.speech.slots[slot]})`)
  return invalidField('provider', `must be one that is configured here: ${configured.join(', ')}`)
}
