import { type Refusal, refusal } from '../../../domain/codes/refusals.ts'
import type { Config } from '../../env.ts'
import { isThirdParty, providerAt } from '../../speech/configured-providers.ts'
import { refusedOptions } from '../../speech/providers/provider.ts'
import { unsupportedOption } from '../../speech/unsupported-options.ts'
import { invalidFields } from '../validation-messages.ts'
import { speakersOf, type TranscribeOptions } from './transcribe-request.ts'

/**
 * Options that the engine does not have, that the service sets itself, or that contradict each other, are refused here,
 * instead of being ignored or overridden without notice.
 */
export const optionsProblem = (
  config: Config,
  options: Pick<TranscribeOptions, 'provider' | 'providerOptions' | 'words' | 'speakers'>,
): Refusal | null => {
  const { provider = null, providerOptions = {} } = options
  const asked = { words: options.words, speakers: speakersOf(options.speakers) }
  const refused = isThirdParty(provider) ? refusedOptions(providerAt(config, provider), providerOptions, asked) : []
  if (refused.length > 0)
    return invalidFields(refused.map(({ option, message }) => ({ path: `providerOptions.${option}`, message })))
  const unsupported = unsupportedOption(config, provider, asked, providerOptions)
  if (!unsupported) return null
  const { option, message } = unsupported
  return refusal('OPTION_UNSUPPORTED', { details: [{ path: option, message }] }, message)
}
