import type { ProviderName } from '../domain/jobs/job.ts'
import type { Config } from '../env.ts'
import { bindProviders, type ProviderSlot } from '../speech/providers/binding.ts'
import { providerNames, type SpeechProvider } from '../speech/providers/provider.ts'
import { type AiBinding, type WorkersAi, workersAi } from '../speech/workers-ai.ts'

/** Who makes the words of a job: the operator's choice, the same for every step of it. */
export const providerAt = ({ speech }: Config, slot: ProviderSlot): SpeechProvider =>
  bindProviders(speech.baseUrls, {
    provider_a: nameOf(speech.slots.provider_a),
    provider_b: nameOf(speech.slots.provider_b),
    provider_c: nameOf(speech.slots.provider_c),
  })[slot]

const nameOf = (configured: string): SpeechProvider['name'] => {
  const name = providerNames.find((known) => known === configured)
  if (!name) throw new Error(`there is no speech provider ${configured}`)
  return name
}

export const isThirdParty = (provider: ProviderName | null): provider is ProviderSlot =>
  provider !== null && provider !== 'builtin'

/** null: the container's own engine does it. */
export const builtinOf = (env: Env, { speech }: Config): WorkersAi | null =>
  speech.builtin === 'workers-ai' ? workersAi((env as unknown as { AI: AiBinding }).AI) : null

/** A key is kept for the service and not for its slot, so that an operator who swaps slots sends no key astray. */
export const keyRecord = ({ name }: SpeechProvider): string => `provider/${name}`
