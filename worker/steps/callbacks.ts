import { zValidator } from '@hono/zod-validator'
import { type Context, Hono, type MiddlewareHandler } from 'hono'
import { HTTPException } from 'hono/http-exception'
import type { z } from 'zod'
import { failureOfCode } from '../../domain/codes/failures.ts'
import { lanes } from '../../domain/lanes.ts'
import {
  type AttemptNames,
  audioKey,
  mediaKey,
  thumbnailKey,
  tracksKey,
  transcriptKey,
  turnsKey,
} from '../../domain/media/media-keys.ts'
import {
  type FetchedMedia,
  type PartsPlan,
  PartsRequest,
  Progress,
  type ProgressResponse,
  type ReadBy,
  StepOutcome,
  type StepResult,
  type Uploaded,
  type UploadPlan,
  UploadRequest,
} from '../../domain/protocol/protocol.ts'
import { configOf, signingKey } from '../env.ts'
import { endPlace } from '../fleet/fleet-of.ts'
import { namesOf } from '../media/object-secret.ts'
import { abandonUpload, discard, finishUpload, planParts, planUpload } from '../media/presigned-uploads.ts'
import { type Lease, readLease } from './lease-token.ts'

type Callbacks = { Bindings: Env; Variables: { lease: Lease } }
type Valid<Message> = { in: { json: Message }; out: { json: Message } }

/** Where the container reports, with the lease token of its step. 409: the lease is lost, stop. */
export const stepCallbacks = new Hono<Callbacks>().basePath('/internal/jobs/:jobId')

stepCallbacks.use(async (c, next) => {
  const token = /^Bearer (.+)$/.exec(c.req.header('authorization') ?? '')?.[1] ?? ''
  const lease = await readLease(await signingKey(c.env, 'leases'), token)
  if (!lease || lease.jobId !== c.req.param('jobId')) return c.json({ error: 'not a lease of this job' }, 401)
  c.set('lease', lease)
  return next()
})

/** null: the lease is lost. */
const receive = <Message>(
  path: string,
  schema: z.ZodType<Message>,
  handle: (env: Env, lease: Lease, message: Message, ctx: ExecutionContext) => Promise<object | null>,
) =>
  stepCallbacks.post(path, validated(schema), async (c) => {
    const answer = await handle(c.env, c.var.lease, c.req.valid('json'), c.executionCtx as ExecutionContext)
    return answer ? c.json(answer) : c.json({ error: 'the lease is lost' }, 409)
  })

const validated = <Message>(schema: z.ZodType<Message>) =>
  zValidator('json', schema, (result, c) => {
    if (result.success) return
    const fields = result.error.issues.map(({ path }) => path.join('.'))
    return endAttempt(c as unknown as Context<Callbacks>, `${fields}`)
  }) as MiddlewareHandler<Callbacks, string, Valid<Message>>

/** A step whose message is invalid would otherwise run on until its lease expires, without a report that could stop it. */
const endAttempt = async (c: Context<Callbacks>, problem: string): Promise<Response> => {
  const { lease } = c.var
  console.error('invalid message of the container', lease.jobId, lease.step, lease.attempt, c.req.path, problem)
  await accountOf(c.env, lease).giveBack(lease)
  return c.json({ error: 'the message is invalid, so the attempt has ended' }, 400)
}

/** The validator throws for a body that is not JSON. */
stepCallbacks.onError((cause, c) => {
  if (cause instanceof HTTPException) return endAttempt(c, cause.message)
  throw cause
})

receive('/progress', Progress, async (env, lease, report) => {
  const { verdict, agreedBytes, agreedSeconds } = await accountOf(env, lease).reportProgress(lease, report)
  if (verdict === 'lost') return null
  return {
    stop: verdict === 'stop',
    ...(agreedBytes !== null && { agreedBytes }),
    ...(agreedSeconds !== null && { agreedSeconds }),
  } satisfies ProgressResponse
})

receive('/uploads', UploadRequest, (env, lease, order) => uploadPlan(env, lease, order))

receive('/parts', PartsRequest, (env, lease, order) => partsPlan(env, lease, order))

receive('/outcome', StepOutcome, async (env, lease, outcome, ctx) => {
  const isAccepted = await acceptOutcome(env, lease, outcome)
  ctx.waitUntil(endPlace(env, lease.accountId, lease.lease))
  return isAccepted ? {} : null
})

const accountOf = (env: Env, { accountId }: Lease) => env.ACCOUNTS.getByName(accountId)

/** The upload is aborted if the lease turns out to be lost: asking for it first would be another call. */
const uploadPlan = async (env: Env, lease: Lease, order: UploadRequest): Promise<UploadPlan | null> => {
  const key = uploadKey(lease, order, await namesOf(env, lease))
  const plan = await planUpload(env.MEDIA, configOf(env), key, order)
  const uploadId = plan.kind === 'multipart' ? plan.uploadId : null
  let isNoted = false
  try {
    isNoted = await accountOf(env, lease).noteUpload(lease, { key, uploadId })
    return isNoted ? plan : null
  } finally {
    if (!isNoted && uploadId !== null) await abandonUpload(env.MEDIA, key, uploadId)
  }
}

/** The lease decides which job and attempt may write where. The container only names the kind of object. */
const uploadKey = (
  { jobId, step }: Lease,
  { kind, index = 0 }: Pick<UploadRequest, 'kind' | 'index'>,
  names: AttemptNames,
): string => {
  if (kind === 'media') return mediaKey(jobId, names)
  if (kind === 'thumbnail') return thumbnailKey(jobId, names)
  if (kind === 'turns') return turnsKey(jobId, names)
  if (kind === 'tracks') return tracksKey(jobId, step, names)
  return kind === 'audio' ? audioKey(jobId, names, index) : transcriptKey(jobId, step, names)
}

/** A prefix would not do: a URL normalizes `..`, so a key in the own folder could name another job's object. */
const ownsKey = async (env: Env, lease: Lease, key: string): Promise<boolean> => {
  const index = Number(/\/(\d{1,6})$/.exec(key)?.[1] ?? 0)
  const names = await namesOf(env, lease)
  return UploadRequest.shape.kind.options.some((kind) => uploadKey(lease, { kind, index }, names) === key)
}

const partsPlan = async (env: Env, lease: Lease, order: PartsRequest): Promise<PartsPlan | null> => {
  const isLive = (await ownsKey(env, lease, order.key)) && (await accountOf(env, lease).holdsLease(lease))
  return isLive ? planParts(configOf(env), order) : null
}

/** False: the lease is lost, or it is not the lease of the reported uploads. */
const acceptOutcome = async (env: Env, lease: Lease, outcome: StepOutcome): Promise<boolean> => {
  if (outcome.status === 'done') {
    const uploads = uploadsOf(outcome.result)
    const owned = await Promise.all(uploads.map(({ key }) => ownsKey(env, lease, key)))
    if (owned.includes(false)) return false
    return (await finishUploads(env, lease, uploads)) && finish(env, lease, outcome.result, outcome.readBy)
  }
  const account = accountOf(env, lease)
  const { downloadedBytes } = outcome
  if (outcome.status === 'failed') {
    return account.failStep(lease, failureOfCode(outcome.code, outcome.message), downloadedBytes, outcome.readBy)
  }
  console.warn('the container gave the step back', lease.jobId, lease.step, lease.attempt, outcome.reason)
  const { usesAttempt: isUsed = true, diskBytes, code } = outcome
  if (diskBytes !== undefined) return account.postpone(lease, { delayMs: 0, diskBytes, downloadedBytes })
  return account.giveBack(lease, {
    isUsed,
    downloadedBytes,
    ...(code !== undefined && { reason: failureOfCode(code) }),
  })
}

const uploadsOf = (result: StepResult): Uploaded[] => {
  if (result.step === 'fetch')
    return [result.media, result.thumbnail, result.captions?.upload].flatMap((each) => each ?? [])
  if (result.step === 'audio') {
    const pieces = result.pieces.map(({ upload }) => upload)
    return result.turns ? [...pieces, result.turns] : pieces
  }
  const tracks = result.step === 'captions' ? result.tracks?.upload : null
  return [result.transcript, tracks].flatMap((each) => each ?? [])
}

/** An invocation may have so many open. */
const CONNECTIONS = 6

/** Before the account completes the job, so that a completed job always has its files. False: the lease is lost. */
const finishUploads = async (env: Env, lease: Lease, uploads: Uploaded[]): Promise<boolean> => {
  try {
    await lanes(CONNECTIONS, uploads, (upload) => finishUpload(env.MEDIA, upload))
    return true
  } catch (cause) {
    if (await accountOf(env, lease).holdsLease(lease)) throw cause
    return false
  }
}

const finish = async (env: Env, lease: Lease, result: StepResult, readBy: ReadBy | undefined): Promise<boolean> =>
  result.step === 'fetch'
    ? finishFetch(env, lease, result, readBy)
    : accountOf(env, lease).finishTranscriptionStep(lease, result, await namesOf(env, lease), readBy)

/** If the lease is lost, the stored files are deleted. No other attempt uses their keys. */
const finishFetch = async (
  env: Env,
  lease: Lease,
  result: FetchedMedia,
  readBy: ReadBy | undefined,
): Promise<boolean> => {
  const { thumbnail, facts, captions, about, chapters } = result
  const stored = { ...(await namesOf(env, lease)), hasThumbnail: thumbnail !== null }
  const fetched = { facts, stored, captions, about, chapters, ...(readBy && { readBy }) }
  const verdict = await accountOf(env, lease).finishFetch(lease, fetched)
  if (verdict === 'lost') {
    await discard(
      env.MEDIA,
      uploadsOf(result).map(({ key }) => ({ key, uploadId: null })),
    )
  }
  return verdict === 'accepted'
}
