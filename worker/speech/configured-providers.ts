import type { ProviderSlot, TranscriptionProvider } from '../../domain/jobs/job.ts'
import type { Config } from '../env.ts'
import { speechProvider } from './providers/adapters.ts'
import type { SpeechProvider } from './providers/provider.ts'
import { type AiBinding, type WorkersAi, workersAi } from './workers-ai.ts'

/** The service that the operator configured for a slot. */
export const providerAt = ({ speech }: Config, slot: ProviderSlot): SpeechProvider =>
  speechProvider(speech.slots[slot], speech.baseUrls)

export const isThirdParty = (provider: TranscriptionProvider | null): provider is ProviderSlot =>
  provider !== null && provider !== 'builtin'

/** null: the container's own speech engine is the built-in one. */
export const builtinOf = (env: Env, { speech }: Config): WorkersAi | null =>
  speech.builtin === 'workers-ai' ? workersAi((env as unknown as { AI: AiBinding }).AI) : null

/** Keys are stored per service, not per slot: if the operator swaps slots, no key is sent to the wrong service. */
export const keyRecord = ({ name }: SpeechProvider): string => `provider/${name}`
