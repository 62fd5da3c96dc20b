import { accepted, type Refusal, type Result } from '../../../domain/codes/refusals.ts'
import { providerSlots } from '../../../domain/jobs/job.ts'
import type { Config } from '../../env.ts'
import { providerNamed } from '../../speech/configured-providers.ts'
import { invalidField } from '../validation-messages.ts'
import type { EngineOptions, TranscribeOptions } from './transcribe-request.ts'

/** Refused if no provider of this deployment is the service that the caller names. */
export const withEngine = (
  config: Config,
  { provider: name, mode, ...options }: TranscribeOptions,
): Result<EngineOptions> => {
  const provider = name && providerNamed(config, name)
  if (provider === null) return { ok: false, refusal: notConfigured(config) }
  // Without a mode, and with `captions`, the options are what they say already.
  if (mode === undefined || mode === 'captions') return accepted({ ...options, provider })
  return accepted({ ...options, provider: provider ?? 'builtin', captionsFirst: mode === 'auto' })
}

/** For a service that is no provider of this deployment. */
export const notConfigured = (config: Config): Refusal => {
  const configured = providerSlots.map((slot) => `${slot} (${config.speech.slots[slot]})`)
  return invalidField('provider', `must be one that is configured here: ${configured.join(', ')}`)
}
