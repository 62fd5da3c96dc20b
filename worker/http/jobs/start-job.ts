import type { Context } from 'hono'
import type { Refusal } from '../../../domain/codes/refusals.ts'
import type { ImportRequest, JobKind, TranscribeRequest } from '../../../domain/jobs/job.ts'
import { RecentValues } from '../../../domain/recent-values.ts'
import type { AccountAnswer, Admission, ItemAdmission, Started, StartedBatch } from '../../account/calls.ts'
import { account, type HttpEnv, identity, originToKeep } from '../request-context.ts'
import { handleAnswer, refuse, respondWith } from '../respond.ts'

/** The checks of a valid body that need no account: what the account admits, or why the request is refused. */
export type Assessment<Checked> = ({ ok: true } & Checked) | { ok: false; refusal: Refusal }

/** What every start tells the account, whatever it starts. */
export type StartFacts = Pick<Admission, 'origin' | 'idempotency' | 'requestId'>

/** A start of a job or of a batch. */
export interface Start<Checked> {
  assess: () => Promise<Assessment<Checked>>
  /** If `assess` requests URLs: what the account would refuse whatever they answer. */
  mayStart?: () => Promise<AccountAnswer<null>>
  admit: (checked: Checked, facts: StartFacts) => Promise<AccountAnswer<Started | StartedBatch>>
  /** The data of the response: the same for an Idempotency-Key that is sent again. */
  view: (id: string) => object
}

/**
 * Starts a job, or a batch:
 * 1. A known Idempotency-Key gets the stored response.
 * 2. `assess` checks the request, which for a job includes a request to the source URL.
 * 3. The account admits it in one call. For a job it checks its suspension and its limits, holds the cost and queues the
 *    first step.
 */
export const start = async <Checked>(c: Context<HttpEnv>, given: Start<Checked>): Promise<Response> => {
  const claim = c.var.idempotency
  const known = claim && (await account(c).claimIdempotency(identity(c), claim))
  if (known && (!known.result.ok || known.result.value)) {
    return respondWith(c, known as AccountAnswer<Started>, (started) => given.view(idOf(started)), 202)
  }

  // Only what was started keeps the Idempotency-Key. After a refusal or a fault the key is free for another request.
  const freeKey = async () => claim && (await account(c).freeIdempotency(claim.key))
  try {
    const response = await startNew(c, given)
    rememberStatus(c.var.caller.keyHash, response.status)
    if (response.status !== 202) await freeKey()
    return response
  } catch (cause) {
    await freeKey()
    throw cause
  }
}

const startNew = async <Checked>(c: Context<HttpEnv>, given: Start<Checked>): Promise<Response> =>
  given.mayStart && recentlyRefused.get(c.var.caller.keyHash)
    ? handleAnswer(c, await given.mayStart(), () => assessAndAdmit(c, given))
    : assessAndAdmit(c, given)

const assessAndAdmit = async <Checked>(c: Context<HttpEnv>, given: Start<Checked>): Promise<Response> => {
  const assessment = await given.assess()
  if (!assessment.ok) {
    return handleAnswer(c, await account(c).checkSuspension(identity(c)), () => refuse(c, assessment.refusal))
  }
  const { ok: _, ...checked } = assessment
  const { idempotency, requestId } = c.var
  const facts = { origin: originToKeep(c), idempotency, requestId }
  const answer = await given.admit(checked as Checked, facts)
  return respondWith(c, answer, (started) => given.view(idOf(started)), 202)
}

const idOf = (started: Started | StartedBatch): string => ('batchId' in started ? started.batchId : started.jobId)

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

interface CheckedJob extends ItemAdmission {
  request: ImportRequest | TranscribeRequest
  sealedKey?: string | null
}

export type JobAssessment = Assessment<CheckedJob>

interface JobStart {
  kind: JobKind
  webhookUrl: string | undefined
  assess: () => Promise<JobAssessment>
}

export const startJob = (c: Context<HttpEnv>, { kind, webhookUrl, assess }: JobStart): Promise<Response> =>
  start(c, {
    assess,
    mayStart: () => account(c).checkStart(identity(c), kind),
    admit: (checked, facts) => account(c).admit(identity(c), { kind, ...checked, ...facts }),
    view: (jobId) => ({ jobId, status: 'queued', message: `The ${kind} is queued. ${nextOf(kind, webhookUrl)}` }),
  })

const statusPaths: Record<JobKind, string> = { import: '/import/status', transcription: '/transcribe/status' }

const nextOf = (kind: JobKind, webhookUrl: string | undefined): string =>
  webhookUrl
    ? 'A webhook is sent to webhookUrl when it ends.'
    : `Poll GET ${statusPaths[kind]}, or send webhookUrl to get a webhook when it ends.`
