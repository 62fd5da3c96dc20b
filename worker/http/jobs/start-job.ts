import type { Context } from 'hono'
import type { Refusal } from '../../../domain/codes/refusals.ts'
import type { ImportRequest, JobKind, TranscribeRequest } from '../../../domain/jobs/job.ts'
import { reuseKeyOf } from '../../../domain/jobs/reuse-key.ts'
import type { Micros } from '../../../domain/money/money.ts'
import { RecentValues } from '../../../domain/recent-values.ts'
import type { AccountAnswer, Started } from '../../account/calls.ts'
import { account, type HttpEnv, identity, originToKeep, outbound } from '../request-context.ts'
import { handleAnswer, invalidField, refuse, respondWith } from '../respond.ts'

/** The checks of a valid body that need no account: the hold, or why the request is refused. */
export type Assessment =
  | {
      ok: true
      request: ImportRequest | TranscribeRequest
      hold: Micros
      diskBytes: number | null
      sealedKey?: string | null
    }
  | { ok: false; refusal: Refusal }

interface StartRequest {
  kind: JobKind
  webhookUrl: string | undefined
  request: ImportRequest | TranscribeRequest
  /** A completed job of the same request is the answer, if it is not older. */
  reuseWithinSeconds: number
  assess: () => Promise<Assessment>
}

/**
 * Starts a job:
 * 1. A known Idempotency-Key gets the stored response.
 * 2. With `reuseWithinSeconds`, a completed job of the same request is the answer.
 * 3. `assess` checks the request, which includes a request to the source URL.
 * 4. The account admits the job in one call: it checks its suspension and its limits, holds the cost and queues the
 *    first step.
 */
export const startJob = async (c: Context<HttpEnv>, start: StartRequest): Promise<Response> => {
  const claim = c.var.idempotency
  const known = claim && (await account(c).claimIdempotency(identity(c), claim))
  if (known && (!known.result.ok || known.result.value))
    return respondStarted(c, start, known as AccountAnswer<Started>)

  // Only a started job keeps the Idempotency-Key. After a refusal or a fault the key is free for another request.
  const freeKey = async () => claim && (await account(c).freeIdempotency(claim.key))
  try {
    const reused = await reuseJob(c, start)
    const response = reused ? await respondStarted(c, start, reused) : await startNewJob(c, start)
    rememberStatus(c.var.caller.keyHash, response.status)
    if (response.status !== 202) await freeKey()
    return response
  } catch (cause) {
    await freeKey()
    throw cause
  }
}

const startNewJob = async (c: Context<HttpEnv>, start: StartRequest): Promise<Response> =>
  recentlyRefused.get(c.var.caller.keyHash)
    ? handleAnswer(c, await account(c).checkStart(identity(c), start.kind), () => assessAndAdmit(c, start))
    : assessAndAdmit(c, start)

/** null: no job can be reused. The webhook's address is checked first, because the account sends it at once. */
const reuseJob = async (
  c: Context<HttpEnv>,
  { kind, webhookUrl, request, reuseWithinSeconds }: StartRequest,
): Promise<AccountAnswer<Started> | null> => {
  if (reuseWithinSeconds === 0 || (await webhookUrlProblem(c, webhookUrl))) return null
  const reused = await account(c).reuse(identity(c), {
    kind,
    reuseKey: await reuseKeyOf(request),
    withinMs: reuseWithinSeconds * 1_000,
    webhookUrl: webhookUrl ?? null,
    idempotency: c.var.idempotency,
  })
  return reused.result.ok && reused.result.value === null ? null : (reused as AccountAnswer<Started>)
}

const assessAndAdmit = async (c: Context<HttpEnv>, start: StartRequest): Promise<Response> => {
  const assessment = await start.assess()
  if (!assessment.ok) {
    return handleAnswer(c, await account(c).checkSuspension(identity(c)), () => refuse(c, assessment.refusal))
  }
  const { ok: _, ...checked } = assessment
  const { idempotency, requestId } = c.var
  const reuseKey = await reuseKeyOf(checked.request)
  const admission = { kind: start.kind, ...checked, origin: originToKeep(c), idempotency, requestId, reuseKey }
  return respondStarted(c, start, await account(c).admit(identity(c), admission))
}

const statusPaths: Record<JobKind, string> = { import: '/import/status', transcription: '/transcribe/status' }

const respondStarted = (c: Context<HttpEnv>, { kind, webhookUrl }: StartRequest, started: AccountAnswer<Started>) => {
  const next = webhookUrl
    ? 'A webhook is sent to webhookUrl when it ends.'
    : `Poll GET ${statusPaths[kind]}, or send webhookUrl to get a webhook when it ends.`
  const queued = { status: 'queued', message: `The ${kind} is queued. ${next}` }
  return respondWith(c, started, ({ jobId, isReused }) => ({ jobId, ...(isReused ? reusedJob(kind) : queued) }), 202)
}

const reusedJob = (kind: JobKind) => ({
  status: 'completed',
  reused: true,
  message: `An earlier ${kind} of the same request is reused. Read it with GET ${statusPaths[kind]}.`,
})

/**
 * Hashes of keys whose last start was refused with 401, 403 or 429. The source URL is normally requested before the
 * account is called, so that a start takes one call. For these keys the account is called first, or a revoked key
 * or a suspended account could make us fetch URLs. Each isolate has its own set, which is enough to make such fetches
 * rare. A dropped key costs one request to a source URL.
 */
const recentlyRefused = new RecentValues<string, true>(10_000)

const rememberStatus = (keyHash: string, status: number): void => {
  if (status === 401 || status === 403 || status === 429) recentlyRefused.set(keyHash, true)
  else recentlyRefused.delete(keyHash)
}

/** null if the webhook URL is absent or leads to a public address. */
export const webhookUrlProblem = async (c: Context<HttpEnv>, url: string | undefined): Promise<Refusal | null> =>
  url === undefined || (await outbound(c).mayReach(new URL(url)))
    ? null
    : invalidField('webhookUrl', 'must be a public address')
