import {
  type ProviderSlot,
  providerSlots,
  type ServiceName,
  type ThirdParty,
  type TranscriptionProvider,
} from '../../domain/jobs/providers.ts'
import type { Config } from '../env.ts'
import { assemblyai } from './providers/assemblyai.ts'
import { deepgram } from './providers/deepgram.ts'
import { openai } from './providers/openai.ts'
import type { ProviderOptions, SpeechProvider, Unsupported } from './providers/provider.ts'
import type { Asked } from './recognition.ts'
import { type AiBinding, type WorkersAi, workersAi } from './workers-ai.ts'

/** Set by the operator. OpenAI's includes its /v1, the others have no path; '' is the service's default. */
type BaseUrls = Partial<Record<ServiceName, string>>

const adapters = { openai, deepgram, assemblyai } satisfies Record<ServiceName, (baseUrl?: string) => SpeechProvider>

export const speechProvider = (name: ServiceName, baseUrls: BaseUrls = {}): SpeechProvider => {
  const baseUrl = baseUrls[name]
  return baseUrl ? adapters[name](checkedUrl(name, baseUrl)) : adapters[name]()
}

const checkedUrl = (name: ServiceName, baseUrl: string): string => {
  if (!/^https?:$/.test(URL.parse(baseUrl)?.protocol ?? ''))
    throw new Error(`The base URL of ${name} is not an http(s) URL`)
  return baseUrl.replace(/(?<!\/)\/+$/, '')
}

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

/** null: the container's own speech engine is the built-in one. */
export const builtinOf = (env: Env, { speech }: Config): WorkersAi | null =>
  speech.builtin === 'workers-ai' ? workersAi((env as unknown as { AI: AiBinding }).AI) : null

/** Keys are stored per service, not per slot: if the operator swaps slots, no key is sent to the wrong service. */
export const keyRecord = ({ name }: SpeechProvider): string => `provider/${name}`

/** What the engine does not support of what is asked, and which engines do. null: it supports all of it. */
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
  // `words` is accepted for captions: that they have none is what `wordsAvailable` of the transcript says.
  return asked.speakers ? { option: 'speakers', reason: captionsHaveNone } : null
}

const captionsHaveNone = 'captions do not say who speaks.'
const onlyBuiltin = 'providers return what is said.'
const notTranslated = 'captions are not translated. Their language is what `language` says.'
