import type { Context } from 'hono'
import { accepted, type Result, refused } from '../../../domain/codes/refusals.ts'
import { newId } from '../../../domain/ids.ts'
import type { ImportRequest, JobKind, JobRequest, TranscribeRequest } from '../../../domain/jobs/job.ts'
import { type JobMetadata, metadataField } from '../../../domain/jobs/job-metadata.ts'
import type { ProviderSlot } from '../../../domain/jobs/providers.ts'
import { mayBeReused, reuseKeyOf } from '../../../domain/jobs/reuse-key.ts'
import { usesDefaultModel } from '../../../domain/jobs/speech-models.ts'
import { firstHold } from '../../../domain/money/bill.ts'
import { hasModelPrices, type Prices } from '../../../domain/money/prices.ts'
import type { AccountAnswer, Admission, Started, StartToOpen } from '../../account/calls.ts'
import { findCredential } from '../../directory.ts'
import { configOf, sealerOf, termsOf } from '../../env.ts'
import { defaultModelOf } from '../../fleet/offered-models.ts'
import { assessSource, type SourceAssessment } from '../../outbound.ts'
import { isThirdParty, keyRecord, providerAt } from '../../speech/configured-providers.ts'
import { account, type HttpEnv, identity, originToKeep } from '../request-context.ts'
import { respondWith } from '../respond.ts'
import { importProblem, transcriptionProblem, webhookUrlProblem } from './options-problem.ts'
import type { EngineOptions, ImportBody, ImportChoice } from './start-requests.ts'

export type StartFacts = Pick<Admission, 'origin' | 'idempotency' | 'requestId'>

interface Start<Checked, S> extends Pick<StartToOpen, 'job' | 'reuse' | 'joinKey'> {
  /** The checks of a valid body that need no account. `prices` are those that the account has. */
  assess: (prices?: Prices) => Promise<Result<Checked>>
  admit: (checked: Checked, facts: StartFacts) => Promise<AccountAnswer<S>>
}

/**
 * Starts a job, or a batch:
 * 1. The account returns an earlier answer, or refuses a caller that may not start. Until then, no source is requested.
 * 2. `assess` checks the request, which for a job includes a request to the source URL.
 * 3. The account admits it. For a job it checks its limits again, holds the cost and queues the first step.
 */
export const begin = async <Checked, S>(
  c: Context<HttpEnv>,
  { assess, admit, ...start }: Start<Checked, S>,
): Promise<AccountAnswer<S | Started>> => {
  const { idempotency = null, requestId } = c.var
  const opened = await account(c).openStart(identity(c), { ...start, idempotency, requestId })
  if (!opened.result.ok || opened.result.value) return opened as AccountAnswer<Started>

  // Only a start keeps its Idempotency-Key. After a refusal or a fault, another request can use the key.
  const freeKey = async () => idempotency && (await account(c).freeIdempotency(idempotency.key, c.var.caller.keyHash))
  const beginNew = async (): Promise<AccountAnswer<S>> => {
    const assessment = await assess(opened.prices)
    if (assessment.ok) return admit(assessment.value, { origin: originToKeep(c), idempotency, requestId })
    // This counts the request. A key that was revoked in the meantime, or a limit, is reported first.
    const counted = await account(c).authenticate(identity(c))
    return { ...counted, result: counted.result.ok ? assessment : counted.result }
  }
  try {
    const answer = await beginNew()
    if (!answer.result.ok) await freeKey()
    return answer
  } catch (cause) {
    await freeKey()
    throw cause
  }
}

export type JobAssessment = Result<SourceAssessment & Pick<Admission, 'sealedKey' | 'defaultModel'>>

interface JobStart {
  job: JobRequest
  metadata?: JobMetadata | undefined
  joinKey?: string
  reuseWithinSeconds?: number
  assess: () => Promise<JobAssessment>
}

export const beginJob = async (
  c: Context<HttpEnv>,
  { job, metadata, joinKey, reuseWithinSeconds = 0, assess }: JobStart,
): Promise<AccountAnswer<Started>> => {
  const reuseKey = await reuseKeyOf(job.request)
  // For a reused job the account sends the webhook at once, so the address is checked first.
  const isWanted = reuseWithinSeconds > 0 && mayBeReused(job.request)
  const mayReuse = isWanted && !(await webhookUrlProblem(c, job.request.webhookUrl ?? undefined))
  return begin(c, {
    job,
    joinKey: joinKey ?? null,
    assess: async (prices) => {
      const assessment = await assess()
      if (!assessment.ok || !prices || !hasModelPrices(prices) || !usesDefaultModel(job.request)) return assessment
      const defaultModel = await defaultModelOf(c.env, c.var.caller.accountId)
      return accepted({ ...assessment.value, ...(defaultModel !== null && { defaultModel }) })
    },
    reuse: mayReuse ? { reuseKey, withinMs: reuseWithinSeconds * 1_000 } : null,
    admit: (checked, facts) => {
      const jobId = newId(job.kind, Date.now())
      const about = { ...job, jobId, reuseKey, ...(joinKey !== undefined && { joinKey }) }
      return account(c).admit(identity(c), { ...about, ...metadataField(metadata), ...checked, ...facts })
    },
  })
}

export const startJob = (c: Context<HttpEnv>, start: JobStart): Promise<Response> => {
  const view = ({ jobId, isReused }: Started) => ({
    jobId,
    ...(isReused ? reusedJob(start.job) : queuedJob(start.job)),
  })
  return respondWith(c, beginJob(c, start), view, 202)
}

const statusPaths: Record<JobKind, string> = { import: '/import/status', transcription: '/transcribe/status' }

const queuedJob = ({ kind, request }: JobRequest) => {
  const next =
    request.webhookUrl === null
      ? `Poll GET ${statusPaths[kind]}, or send webhookUrl to get a webhook when it ends.`
      : 'A webhook is sent to webhookUrl when it ends.'
  return { status: 'queued', message: `The ${kind} is queued. ${next}` }
}

const reusedJob = ({ kind }: JobRequest) => ({
  status: 'completed',
  reused: true,
  message: `An earlier ${kind} of the same request is reused. Read it with GET ${statusPaths[kind]}.`,
})

export const assessImport = async (
  c: Context<HttpEnv>,
  body: ImportChoice<ImportBody>,
  request: ImportRequest,
): Promise<JobAssessment> => {
  const problem = await importProblem(c, body)
  if (problem) return { ok: false, refusal: problem }
  const key = await sealedKeyFor(c, body.transcribe ?? {})
  if (!key) return refused('PROVIDER_KEY_REQUIRED')
  const source = await assessSource(c.env, body.url, { kind: 'import', request })
  return source ? accepted({ ...source, sealedKey: key.sealed }) : refused('UNREACHABLE_URL')
}

export const assessTranscription = async (
  c: Context<HttpEnv>,
  options: EngineOptions,
  request: TranscribeRequest,
): Promise<JobAssessment> => {
  const problem = await transcriptionProblem(c, options)
  if (problem) return { ok: false, refusal: problem }
  const key = await sealedKeyFor(c, options)
  if (!key) return refused('PROVIDER_KEY_REQUIRED')
  const item = { kind: 'transcription', request } as const
  // The call that admits the job looks for a stored file.
  const source =
    request.url === null
      ? { hold: firstHold(termsOf(c.env).prices, item, 0), announcedBytes: 0, diskBytes: null }
      : await assessSource(c.env, request.url, item)
  return source ? accepted({ ...source, sealedKey: key.sealed }) : refused('UNREACHABLE_URL')
}

/** null if the provider needs a key and there is none. `sealed` is null if the stored key is used, or no key is needed. */
export const sealedKeyFor = async (
  c: Context<HttpEnv>,
  { provider, apiKey }: Pick<EngineOptions, 'provider' | 'apiKey'>,
): Promise<{ sealed: string | null } | null> => {
  if (!provider || !isThirdParty(provider)) return { sealed: null }
  if (apiKey !== undefined) return sealProviderKey(c, provider, apiKey)
  const stored = await findCredential(c.env.DB, c.var.caller.accountId, providerKeyRecord(c, provider))
  return stored && { sealed: null }
}

export const providerKeyRecord = (c: Context<HttpEnv>, provider: ProviderSlot): string =>
  keyRecord(providerAt(configOf(c.env), provider))

export const sealProviderKey = async (c: Context<HttpEnv>, provider: ProviderSlot, apiKey: string) => {
  const record = providerKeyRecord(c, provider)
  const sealer = await sealerOf(c.env)
  return { record, sealed: await sealer.seal(apiKey, { accountId: c.var.caller.accountId, record }) }
}
