import type { Context } from 'hono'
import { refusal } from '../../../domain/codes/refusals.ts'
import type { ImportRequest, ProviderSlot, TranscribeRequest } from '../../../domain/jobs/job.ts'
import { firstHold } from '../../../domain/money/bill.ts'
import { findCredential } from '../../directory.ts'
import { configOf, sealerOf, termsOf } from '../../env.ts'
import { assessSource } from '../../outbound.ts'
import { isThirdParty, keyRecord, providerAt } from '../../speech/configured-providers.ts'
import type { HttpEnv } from '../request-context.ts'
import type { ImportBody } from './import-request.ts'
import { importProblem, transcriptionProblem } from './options-problem.ts'
import type { JobAssessment } from './start-job.ts'
import type { EngineOptions } from './transcribe-request.ts'

/** The checks of a valid request for an import that need no account. */
export const assessImport = async (
  c: Context<HttpEnv>,
  body: ImportBody,
  request: ImportRequest,
): Promise<JobAssessment> => {
  const problem = await importProblem(c, body)
  if (problem) return { ok: false, refusal: problem }
  const source = await assessSource(c.env, body.url, { kind: 'import', request })
  return source ? { ok: true, ...source } : { ok: false, refusal: refusal('UNREACHABLE_URL') }
}

/** The checks of a valid request for a single transcription that need no account. */
export const assessTranscription = async (
  c: Context<HttpEnv>,
  options: EngineOptions,
  request: TranscribeRequest,
): Promise<JobAssessment> => {
  const problem = await transcriptionProblem(c, options)
  if (problem) return { ok: false, refusal: problem }
  const key = await sealedKeyFor(c, options)
  if (!key) return { ok: false, refusal: refusal('PROVIDER_KEY_REQUIRED') }
  const item = { kind: 'transcription', request } as const
  // A stored file is looked for in the call that admits the job.
  const source =
    request.url === null
      ? { hold: firstHold(termsOf(c.env).prices, item, 0), announcedBytes: 0, diskBytes: null }
      : await assessSource(c.env, request.url, item)
  if (!source) return { ok: false, refusal: refusal('UNREACHABLE_URL') }
  return { ok: true, ...source, sealedKey: key.sealed }
}

/**
 * The sealed key of a request. `sealed` is null if a stored key will be used, or none is needed; the result is null
 * without the key that the provider needs.
 */
export const sealedKeyFor = async (
  c: Context<HttpEnv>,
  { provider, apiKey }: Pick<EngineOptions, 'provider' | 'apiKey'>,
): Promise<{ sealed: string | null } | null> => {
  if (!provider || !isThirdParty(provider)) return { sealed: null }
  if (apiKey !== undefined) return sealProviderKey(c, provider, apiKey)
  const stored = await findCredential(c.env.DB, c.var.caller.accountId, providerKeyRecord(c, provider))
  return stored && { sealed: null }
}

/** The name of its stored key. */
export const providerKeyRecord = (c: Context<HttpEnv>, provider: ProviderSlot): string =>
  keyRecord(providerAt(configOf(c.env), provider))

export const sealProviderKey = async (c: Context<HttpEnv>, provider: ProviderSlot, apiKey: string) => {
  const record = providerKeyRecord(c, provider)
  const sealer = await sealerOf(c.env)
  return { record, sealed: await sealer.seal(apiKey, { accountId: c.var.caller.accountId, record }) }
}
