import type { StepOrder, StepResult, UploadOrder } from '../container/protocol.ts'
import { failure } from './domain/codes/failures.ts'
import type { Job, Step } from './domain/jobs/job.ts'
import { audioKey, mediaKey, thumbnailKey, transcriptKey } from './domain/media/media-keys.ts'
import { type Callback, engineOf } from './engine/client.ts'
import { type Lease, leaseToken } from './engine/leases.ts'
import type { Desk } from './engine/reports.ts'
import { configOf, signingKey } from './env.ts'
import { takeCopy } from './flows/copies.ts'
import { isRecognizedHere } from './flows/engines.ts'
import { fetched, importOrder, presentImport } from './flows/imports.ts'
import { keyRecord, providerAt } from './flows/providers.ts'
import { recognizeHere } from './flows/recognition.ts'
import { keepStorage } from './flows/storage.ts'
import { foundCaptions, preparedSound, recognized, transcriptionOrder } from './flows/transcriptions.ts'
import { presentTranscription, transcriptFile } from './flows/transcripts.ts'
import { attemptDelivery, deliveryStages, webhookSecret } from './flows/webhooks.ts'
import type { Parts } from './http/context.ts'
import { checkLink, THUMBNAIL } from './media/links.ts'
import { serve } from './media/serve.ts'
import { planParts, planUpload } from './media/uploads.ts'
import { createOutbound } from './outbound.ts'
import type { Stages } from './queue/consume.ts'
import type { DeliveryStages } from './queue/deliveries.ts'
import { refusedOptions } from './speech/providers/provider.ts'

/** Introduces the stages to each other. Each function gives one stage what it asked for, made of the others. */
const accountOf = (env: Env, accountId: string) => env.ACCOUNTS.getByName(accountId)

export const partsOf = (env: Env): Parts => {
  const config = configOf(env)
  return {
    config,
    outbound: createOutbound(config),
    keySigner: () => signingKey(env, 'api-keys'),
    probe: (accountId, order) => engineOf(env.ENGINES, accountId).probe(order),
    present: (job) => present(env, job),
    transcriptFile: (job, format) => transcriptFile(env, job, format),
    provider: (slot) => {
      const service = providerAt(config, slot)
      return { keyRecord: keyRecord(service), refused: (options) => refusedOptions(service, options) }
    },
    webhookSecret: (accountId, seed) => webhookSecret(env, accountId, seed),
    keepStorage: (accountId, settings) => keepStorage(env, accountId, settings),
    deliver: (accountId, claimed) => attemptDelivery(env, present, accountId, claimed),
    serveMedia: (request, jobId, filename) => serveLink(env, request, jobId, filename),
  }
}

export const stagesOf = (env: Env): Stages => ({
  claim: ({ accountId, jobId, step }) => accountOf(env, accountId).claim(jobId, step),
  handOver: async ({ accountId, step }, job, lease) => {
    const leased: Lease = { accountId, jobId: job.id, step, attempt: job.attempts, lease }
    if (job.kind === 'transcription' && isRecognizedHere(env, job)) {
      await recognizeHere(env, job, leased)
      return 'taken'
    }
    const token = await leaseToken(await signingKey(env, 'leases'), leased)
    const url = `${configOf(env).publicUrl}/internal/jobs/${job.id}`
    return engineOf(env.ENGINES, accountId).start(await orderOf(env, job, { url, token }))
  },
  postpone: ({ accountId, jobId }, lease, delayMs) => accountOf(env, accountId).postpone({ jobId, lease }, { delayMs }),
  giveBack: ({ accountId, jobId }, lease, delayMs) => accountOf(env, accountId).giveBack({ jobId, lease }, { delayMs }),
  copy: ({ accountId, jobId }) => takeCopy(env, accountId, jobId),
  bury: ({ accountId, jobId, step }, reason) => accountOf(env, accountId).bury(jobId, step, reason),
})

/** Whether the Worker does a step itself, in its message's own time, instead of handing it over. */
export const isOwnWork = (env: Env, job: Job, step: Step): boolean =>
  step === 'deliver' || (job.kind === 'transcription' && isRecognizedHere(env, { ...job, step }))

export const deliveryStagesOf = (env: Env): DeliveryStages => deliveryStages(env, present)

const orderOf = async (env: Env, job: Job, callback: Callback): Promise<StepOrder> =>
  job.kind === 'import' ? importOrder(job, callback) : transcriptionOrder(env, job, callback)

const present = (env: Env, job: Job): Promise<object> =>
  job.kind === 'import' ? presentImport(env, job) : presentTranscription(env, job)

export const deskOf = (env: Env): Desk => {
  const config = configOf(env)
  return {
    progress: (lease, report) => accountOf(env, lease.accountId).progress(lease, report),
    planUpload: async (lease, order) => {
      const account = accountOf(env, lease.accountId)
      if (!(await account.holdsLease(lease))) return null
      const key = uploadKey(lease, order)
      const plan = await planUpload(env.MEDIA, config, key, order)
      const uploadId = plan.kind === 'multipart' ? plan.uploadId : null
      return (await account.noteUpload(lease, { key, uploadId })) ? plan : null
    },
    planParts: async (lease, order) => {
      const isOwn = order.key.includes(`/${lease.jobId}/`)
      const isLive = isOwn && (await accountOf(env, lease.accountId).holdsLease(lease))
      return isLive ? planParts(config, order) : null
    },
    done: (lease, result) => done(env, lease, result),
    failed: (lease, reason) => accountOf(env, lease.accountId).failStep(lease, reason),
    gaveBack: (lease) => accountOf(env, lease.accountId).giveBack(lease, setbackOf(lease)),
  }
}

/** A container whose engine can't work (no weights, damaged ones) gives the sound back each time. */
const setbackOf = ({ step }: Lease) => (step === 'recognize' ? { reason: failure('SPEECH_UNAVAILABLE') } : {})

/** The lease says which job and attempt may write where; the container only says what it brings. */
const uploadKey = ({ jobId, step, attempt }: Lease, { kind, index = 0 }: UploadOrder): string => {
  if (kind === 'media') return mediaKey(jobId, attempt)
  if (kind === 'thumbnail') return thumbnailKey(jobId, attempt)
  return kind === 'audio' ? audioKey(jobId, attempt, index) : transcriptKey(jobId, step, attempt)
}

const done = (env: Env, lease: Lease, result: StepResult): Promise<boolean> => {
  if (result.step === 'fetch') return fetched(env, lease, result)
  if (result.step === 'captions') return foundCaptions(env, lease, result)
  return result.step === 'audio' ? preparedSound(env, lease, result) : recognized(env, lease, result)
}

const serveLink = async (env: Env, request: Request, jobId: string, filename: string) => {
  const { searchParams } = new URL(request.url)
  const expires = searchParams.get('expires') ?? ''
  const signature = searchParams.get('signature') ?? ''
  const verdict = await checkLink(
    await signingKey(env, 'media-links'),
    { jobId, filename, expires, signature },
    Date.now(),
  )
  if (!verdict.valid) return 'invalid'
  if (verdict.expired) return 'expired'
  const key = (filename === THUMBNAIL ? thumbnailKey : mediaKey)(jobId, verdict.attempt)
  return (await serve(env.MEDIA, key, request, { filename, expiresAt: Number(expires) * 1000 })) ?? 'expired'
}
