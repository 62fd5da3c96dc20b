import type { WordsRequest } from '../../domain/jobs/job.ts'
import {
  type ProviderSlot,
  providerSlots,
  type ThirdParty,
  type TranscriptionProvider,
} from '../../domain/jobs/providers.ts'
import type { Config } from '../env.ts'
import { speechProvider } from './providers/adapters.ts'
import type { ProviderOptions, SpeechProvider, Unsupported } from './providers/provider.ts'
import type { Asked } from './recognition.ts'
import { type AiBinding, WORKERS_AI_MODEL, type WorkersAi, workersAi } from './workers-ai.ts'

/** The service that the operator configured for a slot. */
export const providerAt = ({ speech }: Config, slot: ProviderSlot): SpeechProvider =>
  speechProvider(speech.slots[slot], speech.baseUrls)

export type ProviderName = ThirdParty | 'builtin'

/** null: no slot has the service. The first slot is taken if several have it. */
export const slotNamed = ({ speech }: Config, name: ThirdParty): ProviderSlot | null =>
  providerSlots.find((slot) => slot === name || speech.slots[slot] === name) ?? null

export const providerNamed = (config: Config, name: ProviderName): TranscriptionProvider | null =>
  isThirdParty(name) ? slotNamed(config, name) : name

export const isThirdParty = <Name extends ProviderName>(provider: Name | null): provider is Exclude<Name, 'builtin'> =>
  provider !== null && provider !== 'builtin'

/** null: the container's own speech engine recognizes it, which has the models that Workers AI has not. */
export const builtinOf = (env: Env, { speech }: Config, { model = WORKERS_AI_MODEL }: Named): WorkersAi | null =>
  speech.builtin === 'workers-ai' && model === WORKERS_AI_MODEL
    ? workersAi((env as unknown as { AI: AiBinding }).AI)
    : null

type Named = Pick<WordsRequest, 'model'>

/** Keys are stored per service, not per slot: if the operator swaps slots, no key is sent to the wrong service. */
export const keyRecord = ({ name }: SpeechProvider): string => `provider/${name}`

/** What the request asks for and the engine does not support, with the engines that do. null: it supports everything. */
export const unsupportedOption = (
  config: Config,
  provider: TranscriptionProvider | null,
  asked: Asked,
  options: ProviderOptions,
): { option: string; message: string } | null => {
  const unsupported = whatFails(config, provider, asked, options)
  if (!unsupported) return null
  const { option, reason } = unsupported
  const able = engines.filter((engine) => engine !== provider && whatFails(config, engine, asked, {}) === null)
  const instead = able.length > 0 ? ` Supported by ${able.join(', ')}.` : ''
  return { option, message: `${option} is not supported: ${reason}${instead}` }
}

const engines: TranscriptionProvider[] = ['builtin', ...providerSlots]

const whatFails = (
  config: Config,
  provider: TranscriptionProvider | null,
  asked: Asked,
  options: ProviderOptions,
): Unsupported | null => {
  if (provider === 'builtin') return null
  if (asked.translate) return { option: 'translate', reason: provider === null ? notTranslated : onlyBuiltin }
  if (isThirdParty(provider)) return providerAt(config, provider).unsupported(asked, options)
  // `words` is accepted for captions, which have none: `wordsAvailable` of the transcript says so.
  return asked.speakers ? { option: 'speakers', reason: captionsHaveNone } : null
}

const captionsHaveNone = 'captions do not say who speaks.'
const onlyBuiltin = 'providers return what is said.'
const notTranslated = 'captions are not translated. Their language is what `language` says.'
