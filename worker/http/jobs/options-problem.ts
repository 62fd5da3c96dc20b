import type { Context } from 'hono'
import { STORAGE_RECORD } from '../../../domain/bucket/storage-settings.ts'
import { type Refusal, refusal } from '../../../domain/codes/refusals.ts'
import { findCredential } from '../../directory.ts'
import { configOf } from '../../env.ts'
import { isThirdParty, providerAt } from '../../speech/configured-providers.ts'
import { refusedOptions } from '../../speech/providers/provider.ts'
import { type HttpEnv, outbound } from '../request-context.ts'
import { invalidField } from '../respond.ts'
import type { ImportOptions } from './import-request.ts'
import type { TranscribeOptions } from './transcribe-request.ts'

/** What is wrong with the options of a valid request, whatever its source: of single jobs and of batches. */

export const importProblem = async (
  c: Context<HttpEnv>,
  { store, webhookUrl }: Pick<ImportOptions, 'store' | 'webhookUrl'>,
): Promise<Refusal | null> => {
  if (store && !(await findCredential(c.env.DB, c.var.caller.accountId, STORAGE_RECORD))) {
    return refusal('STORAGE_NOT_CONFIGURED')
  }
  return webhookUrlProblem(c, webhookUrl)
}

export const transcriptionProblem = async (
  c: Context<HttpEnv>,
  options: Pick<TranscribeOptions, 'provider' | 'providerOptions' | 'webhookUrl'>,
): Promise<Refusal | null> => providerOptionsProblem(c, options) ?? webhookUrlProblem(c, options.webhookUrl)

/** Options that the service sets itself are refused here, instead of being overridden without notice. */
const providerOptionsProblem = (
  c: Context<HttpEnv>,
  { provider, providerOptions }: Pick<TranscribeOptions, 'provider' | 'providerOptions'>,
): Refusal | null => {
  if (!provider || !isThirdParty(provider) || !providerOptions) return null
  const refused = refusedOptions(providerAt(configOf(c.env), provider), providerOptions)
  if (refused.length === 0) return null
  const details = refused.map(({ option, message }) => ({ path: `providerOptions.${option}`, message }))
  return refusal('INVALID_REQUEST', { details })
}

/** null if the webhook URL is absent or leads to a public address. */
export const webhookUrlProblem = async (c: Context<HttpEnv>, url: string | undefined): Promise<Refusal | null> =>
  url === undefined || (await outbound(c).mayReach(new URL(url)))
    ? null
    : invalidField('webhookUrl', 'must be a public address')
