import { assemblyai } from './assemblyai.ts'
import { deepgram } from './deepgram.ts'
import { openai } from './openai.ts'
import type { ProviderName, SpeechProvider } from './provider.ts'

/** The neutral names of the API. Which service stands behind each is the operator's choice. */
export const providerSlots = ['provider_a', 'provider_b', 'provider_c'] as const
export type ProviderSlot = (typeof providerSlots)[number]

export const defaultSlots: Record<ProviderSlot, ProviderName> = {
  provider_a: 'openai',
  provider_b: 'deepgram',
  provider_c: 'assemblyai',
}

/** OPENAI_BASE_URL with its /v1, the others without a path. Set by the operator, never by a caller. */
export type ProviderBaseUrls = Partial<Record<ProviderName, string>>

const adapters = { openai, deepgram, assemblyai } satisfies Record<ProviderName, (baseUrl?: string) => SpeechProvider>

export const bindProviders = (
  baseUrls: ProviderBaseUrls = {},
  slots: Record<ProviderSlot, ProviderName> = defaultSlots,
): Record<ProviderSlot, SpeechProvider> => ({
  provider_a: bind(slots.provider_a, baseUrls),
  provider_b: bind(slots.provider_b, baseUrls),
  provider_c: bind(slots.provider_c, baseUrls),
})

const bind = (name: ProviderName, baseUrls: ProviderBaseUrls): SpeechProvider => {
  const baseUrl = baseUrls[name]
  return baseUrl ? adapters[name](checked(name, baseUrl)) : adapters[name]()
}

const checked = (name: ProviderName, baseUrl: string): string => {
  if (!/^https?:$/.test(URL.parse(baseUrl)?.protocol ?? ''))
    throw new Error(`The base URL of ${name} is not an http(s) URL`)
  return baseUrl.replace(/\/+$/, '')
}
