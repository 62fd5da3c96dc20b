import type { Context } from 'hono'
import { type Refusal, type Result, refusals } from '../../../domain/codes/refusals.ts'
import { newId } from '../../../domain/ids.ts'
import type { ImportRequest, JobKind, TranscribeRequest } from '../../../domain/jobs/job.ts'
import { type JobMetadata, metadataField } from '../../../domain/jobs/job-metadata.ts'
import { reuseKeyOf } from '../../../domain/jobs/reuse-key.ts'
import { RecentValues } from '../../../domain/recent-values.ts'
import type { AccountAnswer, Admission, ReuseRequest, Started } from '../../account/calls.ts'
import type { SourceAssessment } from '../../outbound.ts'
import { account, type HttpEnv, identity, originToKeep } from '../request-context.ts'
import { respondWith } from '../respond.ts'
import { webhookUrlProblem } from './options-problem.ts'

/** The checks of a valid body that need no account: what the account admits, or why the request is refused. */
export type Assessment<Checked> = ({ ok: true } & Checked) | { ok: false; refusal: Refusal }

/** What every start tells the account, whatever it starts. */
export type StartFacts = Pick<Admission, 'origin' | 'idempotency' | 'requestId'>

/** A start of a job or of a batch. */
interface Start<Checked, S> {
  /** What is already there and is the answer. null: nothing is. */
  reuse?: (() => Promise<AccountAnswer<Started> | null>) | undefined
  assess: () => Promise<Assessment<Checked>>
  /** If `assess` requests URLs: what the account would refuse whatever they answer. */
  mayStart?: () => Promise<AccountAnswer<null>>
  admit: (checked: Checked, facts: StartFacts) => Promise<AccountAnswer<S>>
}

/**
 * Starts a job, or a batch:
 * 1. A known Idempotency-Key gets the stored answer.
 * 2. With `reuse`, an earlier job of the same request is the answer.
 * 3. `assess` checks the request, which for a job includes a request to the source URL.
 * 4. The account admits it in one call. For a job it checks its suspension and its limits, holds the cost and queues the
 *    first step.
 */
export const begin = async <Checked, S>(
  c: Context<HttpEnv>,
  given: Start<Checked, S>,
): Promise<AccountAnswer<S | Started>> => {
  const idempotency = c.get('idempotency') ?? null
  const known = idempotency && (await account(c).claimIdempotency(identity(c), idempotency, c.get('requestId')))
  if (known && (!known.result.ok || known.result.value)) return known as AccountAnswer<Started>

  // Only what was started keeps the Idempotency-Key. After a refusal or a fault the key is free for another request.
  const freeKey = async () => idempotency && (await account(c).freeIdempotency(idempotency.key, c.var.caller.keyHash))
  try {
    const answer = (await given.reuse?.()) ?? (await beginNew(c, given))
    rememberRefusal(c.var.caller.keyHash, answer.result)
    if (!answer.result.ok) await freeKey()
    return answer
  } catch (cause) {
    await freeKey()
    throw cause
  }
}

const beginNew = async <Checked, S>(c: Context<HttpEnv>, given: Start<Checked, S>): Promise<AccountAnswer<S>> => {
  if (given.mayStart && recentlyRefused.get(c.var.caller.keyHash)) {
    const { rate, result } = await given.mayStart()
    if (!result.ok) return { rate, result }
  }
  const assessment = await given.assess()
  if (!assessment.ok) {
    const { rate, result } = await account(c).checkSuspension(identity(c))
    return { rate, result: result.ok ? assessment : result }
  }
  const { ok: _, ...checked } = assessment
  const facts = { origin: originToKeep(c), idempotency: c.get('idempotency') ?? null, requestId: c.get('requestId') }
  return given.admit(checked as Checked, facts)
}

/**
 * Hashes of keys whose last start was refused with 401, 403 or 429. The source URL is normally requested before the
 * account is called, so that a start takes one call. For these keys the account is called first, or a revoked key
 * or a suspended account could make us fetch URLs. Each isolate has its own set, which is enough to make such fetches
 * rare. A dropped key costs one request to a source URL.
 */
const recentlyRefused = new RecentValues<string, true>(10_000)

const rememberRefusal = (keyHash: string, result: Result<unknown>): void => {
  const status = result.ok ? 202 : refusals[result.refusal.code].status
  if (status === 401 || status === 403 || status === 429) recentlyRefused.set(keyHash, true)
  else recentlyRefused.delete(keyHash)
}

interface CheckedJob extends SourceAssessment {
  sealedKey?: string | null
}

export type JobAssessment = Assessment<CheckedJob>

interface JobStart {
  kind: JobKind
  request: ImportRequest | TranscribeRequest
  metadata?: JobMetadata | undefined
  /** See domain/jobs/joining.ts. */
  joinKey?: string
  assess: () => Promise<JobAssessment>
  /** An earlier job that is the answer. */
  reuse?: ((reuseKey: string) => Promise<AccountAnswer<Started> | null>) | undefined
}

export const beginJob = async (
  c: Context<HttpEnv>,
  { reuse, assess, metadata, ...job }: JobStart,
): Promise<AccountAnswer<Started>> => {
  const reuseKey = await reuseKeyOf(job.request)
  return begin(c, {
    reuse: reuse && (() => reuse(reuseKey)),
    assess,
    mayStart: () => account(c).checkStart(identity(c), job.kind),
    admit: (checked, facts) => {
      const jobId = newId(job.kind, Date.now())
      return account(c).admit(identity(c), {
        ...job,
        jobId,
        reuseKey,
        ...metadataField(metadata),
        ...checked,
        ...facts,
      })
    },
  })
}

/** A completed job of the same request is the answer, if it is not older than `reuseWithinSeconds`. */
export const startJob = async (
  c: Context<HttpEnv>,
  { reuseWithinSeconds, ...given }: Omit<JobStart, 'reuse'> & { reuseWithinSeconds: number },
): Promise<Response> => {
  const { kind, request } = given
  const { webhookUrl } = request
  const reuse = (reuseKey: string) => reuseJob(c, { kind, reuseKey, webhookUrl, reuseWithinSeconds })
  const begun = await beginJob(c, { ...given, reuse: reuseWithinSeconds > 0 ? reuse : undefined })
  return respondWith(
    c,
    begun,
    ({ jobId, isReused }) => ({ jobId, ...(isReused ? reusedJob(kind) : queuedJob(kind, webhookUrl)) }),
    202,
  )
}

interface Reuse extends Pick<ReuseRequest, 'kind' | 'reuseKey' | 'webhookUrl'> {
  reuseWithinSeconds: number
}

/** null: no job can be reused. The webhook's address is checked first, because the account sends it at once. */
const reuseJob = async (
  c: Context<HttpEnv>,
  { reuseWithinSeconds, ...request }: Reuse,
): Promise<AccountAnswer<Started> | null> => {
  if (await webhookUrlProblem(c, request.webhookUrl ?? undefined)) return null
  const { idempotency } = c.var
  const withinMs = reuseWithinSeconds * 1_000
  return reused(await account(c).reuse(identity(c), { ...request, withinMs, idempotency }))
}

/** null: the account has no such job. */
export const reused = ({ rate, result }: AccountAnswer<Started | null>): AccountAnswer<Started> | null => {
  if (!result.ok) return { rate, result }
  return result.value && { rate, result: { ok: true, value: result.value } }
}

const statusPaths: Record<JobKind, string> = { import: '/import/status', transcription: '/transcribe/status' }

const queuedJob = (kind: JobKind, webhookUrl: string | null) => {
  const next =
    webhookUrl === null
      ? `Poll GET ${statusPaths[kind]}, or send webhookUrl to get a webhook when it ends.`
      : 'A webhook is sent to webhookUrl when it ends.'
  return { status: 'queued', message: `The ${kind} is queued. ${next}` }
}

const reusedJob = (kind: JobKind) => ({
  status: 'completed',
  reused: true,
  message: `An earlier ${kind} of the same request is reused. Read it with GET ${statusPaths[kind]}.`,
})
