import type { Context } from 'hono'
import { STORAGE_RECORD } from '../../../domain/bucket/storage-settings.ts'
import { type Refusal, refusal } from '../../../domain/codes/refusals.ts'
import { findCredential } from '../../directory.ts'
import { configOf } from '../../env.ts'
import { type HttpEnv, outbound } from '../request-context.ts'
import { invalidField } from '../respond.ts'
import type { ImportOptions } from './import-request.ts'
import { optionsProblem } from './transcribe-options.ts'
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

export const transcriptionProblem = async (c: Context<HttpEnv>, options: TranscribeOptions): Promise<Refusal | null> =>
  optionsProblem(configOf(c.env), options) ?? webhookUrlProblem(c, options.webhookUrl)

/** null if the webhook URL is absent or leads to a public address. */
export const webhookUrlProblem = async (c: Context<HttpEnv>, url: string | undefined): Promise<Refusal | null> =>
  url === undefined || (await outbound(c).mayReach(new URL(url)))
    ? null
    : invalidField('webhookUrl', 'must be a public address')
