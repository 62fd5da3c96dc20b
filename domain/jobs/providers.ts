/** The API's names for third-party providers. The operator configures which service is behind each of them. */
export const providerSlots = ['provider_a', 'provider_b', 'provider_c'] as const
export type ProviderSlot = (typeof providerSlots)[number]
export const serviceNames = ['openai', 'deepgram', 'assemblyai'] as const
export type ServiceName = (typeof serviceNames)[number]
/** What callers may say for a third party: its neutral name, or the service behind it. */
export const thirdParties = [...providerSlots, ...serviceNames] as const
export type ThirdParty = (typeof thirdParties)[number]
export type TranscriptionProvider = ProviderSlot | 'builtin'
