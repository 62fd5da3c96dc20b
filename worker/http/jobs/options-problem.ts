import type { Context } from 'hono'
import { STORAGE_RECORD } from '../../../domain/bucket/storage-settings.ts'
import { accepted, type Refusal, type Result, refusal } from '../../../domain/codes/refusals.ts'
import { providerSlots } from '../../../domain/jobs/providers.ts'
import { findCredential } from '../../directory.ts'
import { type Config, configOf } from '../../env.ts'
import { mayTellSpeakers } from '../../fleet/fleet-of.ts'
import { isThirdParty, providerAt, providerNamed, unsupportedOption } from '../../speech/configured-providers.ts'
import { refusedOptions } from '../../speech/providers/provider.ts'
import { type HttpEnv, outbound } from '../request-context.ts'
import { invalidField, invalidFields } from '../validation-messages.ts'
import { speakersOf } from './option-schemas.ts'
import { type EngineOptions, type ImportOptions, type TranscribeOptions, vocabularyOf } from './start-requests.ts'

export const importProblem = async (
  c: Context<HttpEnv>,
  { store, webhookUrl }: Pick<ImportOptions, 'store' | 'webhookUrl'>,
): Promise<Refusal | null> => {
  if (store && !(await findCredential(c.env.DB, c.var.caller.accountId, STORAGE_RECORD))) {
    return refusal('STORAGE_NOT_CONFIGURED')
  }
  return webhookUrlProblem(c, webhookUrl)
}

export const transcriptionProblem = async (c: Context<HttpEnv>, options: EngineOptions): Promise<Refusal | null> =>
  engineProblem(configOf(c.env), options) ??
  (await missingSpeakers(c, options)) ??
  webhookUrlProblem(c, options.webhookUrl)

/** The engines of a deployment may have been built without the models for speakers. */
const missingSpeakers = async (c: Context<HttpEnv>, { provider, speakers }: EngineOptions): Promise<Refusal | null> => {
  if (provider !== 'builtin' || speakersOf(speakers) === null) return null
  const { accountId } = c.get('caller')
  return (await mayTellSpeakers(c.env, accountId)) ? null : unsupported('speakers', noSpeakers)
}

const noSpeakers = 'speakers is not supported: the built-in speech recognition here cannot tell who speaks.'

/** Refuses options that the engine lacks, that the service sets itself, or that contradict each other. None is ignored silently. */
const engineProblem = (
  config: Config,
  options: Omit<EngineOptions, 'captionsFirst' | 'reuseWithinSeconds'>,
): Refusal | null => {
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
  const missing = unsupportedOption(config, provider, asked, providerOptions)
  return missing && unsupported(missing.option, missing.message)
}

/** Leaves out a prompt that the engine does not take: programs send one with every model. */
export const withUsablePrompt = (config: Config, options: EngineOptions): EngineOptions => {
  const { prompt: _, ...others } = options
  return engineProblem(config, options) && !engineProblem(config, others) ? others : options
}

const onlyEnglish = 'translate is not supported: speech can only be translated into en.'

const unsupported = (option: string, message: string): Refusal =>
  refusal('OPTION_UNSUPPORTED', { details: [{ path: option, message }] }, message)

export const webhookUrlProblem = async (c: Context<HttpEnv>, url: string | undefined): Promise<Refusal | null> =>
  url === undefined || (await outbound(c).mayReach(new URL(url)))
    ? null
    : invalidField('webhookUrl', 'must be a public address')

export const withEngine = (
  config: Config,
  { provider: name, mode, ...options }: TranscribeOptions,
): Result<EngineOptions> => {
  const provider = name && providerNamed(config, name)
  if (provider === null) return { ok: false, refusal: notConfigured(config) }
  // Without a mode, or with `captions`, the options need no change.
  if (mode === undefined || mode === 'captions') return accepted({ ...options, provider })
  return accepted({ ...options, provider: provider ?? 'builtin', captionsFirst: mode === 'auto' })
}

export const notConfigured = (config: Config): Refusal => {
  const configured = providerSlots.map((slot) => `${slot} (${config.speech.slots[slot]})`)
  return invalidField('provider', `must be one that is configured here: ${configured.join(', ')}`)
}
