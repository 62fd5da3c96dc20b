import {
  createExecutionContext,
  createMessageBatch,
  getQueueResult,
  runInDurableObject,
  waitOnExecutionContext,
} from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect } from 'vitest'
import type { TranscriptionJob } from '../../../domain/jobs/job.ts'
import type { Step } from '../../../domain/jobs/transcript.ts'
import { audioKey, transcriptKey } from '../../../domain/media/media-keys.ts'
import type { Chapter, FoundCaptions, RecognizedSpeech, UploadedAudio } from '../../../domain/protocol/protocol.ts'
import { sha256Hex } from '../../../domain/secrets/api-keys.ts'
import type { Segment } from '../../../domain/words/segment.ts'
import { storedTranscript } from '../../../domain/words/transcript-body.ts'
import { dueAt } from '../../../worker/account/due/due-rows.ts'
import type { StepMessage } from '../../../worker/account/queue-messages.ts'
import { signingKey } from '../../../worker/env.ts'
import worker from '../../../worker/index.ts'
import { type Lease, leaseToken } from '../../../worker/steps/lease-token.ts'
import { leaseOf as leaseOfClaim } from '../../../worker/steps/start-step.ts'
import { oggBytes } from '../../doubles/providers/speech.ts'
import { namesIn } from './caller.ts'
import { finishWork, withLongWork } from './long-work.ts'

export const SOURCE = 'https://page.example/talk'

export interface ApiResponse {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: tests assert the shape of the JSON themselves.
  body: any
}

const send = async (key: string, method: string, path: string, body?: unknown): Promise<Response> => {
  const ctx = createExecutionContext()
  const init = {
    method,
    headers: { authorization: `Bearer ${key}`, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  }
  const response = await worker.fetch(new Request(`https://haul.test${path}`, init), env, ctx)
  await waitOnExecutionContext(ctx)
  return response
}

export const asOperator = async (method: string, path: string, body?: unknown) =>
  // biome-ignore lint/suspicious/noExplicitAny: tests assert the shape of the JSON themselves.
  (await send('admin-token', method, path, body)).json<any>()

export const newCaller = async (creditDollars = 10) => {
  const made = await asOperator('POST', '/admin/accounts', { name: 'test', creditDollars })
  const { accountId, apiKey } = made.data
  const callApi = async (method: string, path: string, body?: unknown): Promise<ApiResponse> => {
    const response = await send(apiKey, method, path, body)
    return { status: response.status, headers: response.headers, body: await response.json() }
  }
  return {
    accountId,
    apiKey,
    account: env.ACCOUNTS.getByName(accountId),
    callApi,
    fetch: (path: string) => send(apiKey, 'GET', path),
    transcribe: async (request: object): Promise<string> => {
      const { status, body } = await callApi('POST', '/transcribe', { url: SOURCE, ...request })
      expect([status, body]).toEqual([202, expect.objectContaining({ success: true })])
      return body.data.jobId
    },
    status: async (jobId: string) => (await callApi('GET', `/transcribe/status?id=${jobId}`)).body.data,
    money: async () => (await callApi('GET', '/account')).body.data,
  }
}

export type Caller = Awaited<ReturnType<typeof newCaller>>

/** Claims a step as the queue consumer does. */
export const leaseOf = async ({ accountId, account }: Caller, jobId: string, step: Step): Promise<Lease> => {
  const claimed = await account.claim(jobId, step)
  if (!claimed) throw new Error(`${step} of ${jobId} cannot be claimed`)
  return leaseOfClaim(accountId, step, claimed)
}

/** Reports an outcome as the container does, and answers with the status of the response. */
export const report = async (lease: Lease, outcome: object): Promise<number> => {
  const token = await leaseToken(await signingKey(env, 'leases'), lease)
  const response = await send(token, 'POST', `/internal/jobs/${lease.jobId}/outcome`, outcome)
  return response.status
}

/** How a transcript without words and speakers is stored. */
export const plainLayout = { hasWords: false, hasSpeakers: false, plainBytes: null }

/** What the account does when the container reports the end of a step. */
export const finishStep = async (lease: Lease, result: FoundCaptions | UploadedAudio | RecognizedSpeech) =>
  env.ACCOUNTS.getByName(lease.accountId).finishTranscriptionStep(
    lease,
    result,
    await namesIn(lease.jobId, lease.attempt),
  )

export const findCaptions = async (caller: Caller, jobId: string, found: Partial<FoundCaptions> = {}) =>
  finishStep(await leaseOf(caller, jobId, 'captions'), {
    step: 'captions',
    transcript: null,
    facts: null,
    durationSeconds: 90,
    ...found,
  })

/** Stores a transcript as the container does, and returns what it reports of that. */
export const putTranscript = async (key: string, segments: Segment[]) => {
  const { body } = storedTranscript(segments)
  await env.MEDIA.put(key, body)
  return { key, uploadId: null, parts: null, sizeBytes: body.length }
}

/** Finishes the captions step as the container does. */
export const finishCaptionsStep = async (caller: Caller, jobId: string, count = 2): Promise<boolean> => {
  const segments = Array.from({ length: count }, (_, index) => ({
    start: index * 3,
    end: index * 3 + 2.5,
    text: `Caption number ${index + 1}.`,
  }))
  const transcript = await putTranscript(transcriptKey(jobId, 'captions', await namesIn(jobId)), segments)
  return findCaptions(caller, jobId, {
    transcript,
    facts: { language: 'en', durationSeconds: 90, segments: count, ...plainLayout },
  })
}

/** A transcription that was completed with captions, and a transcript that is put in the place of its own. */
export const completedWithTranscript = async (segments: { start: number; end: number; text: string }[]) => {
  const { caller, jobId } = await completedWithCaptions()
  const text = segments.map((segment) => segment.text).join(' ')
  await env.MEDIA.put(transcriptKey(jobId, 'captions', await namesIn(jobId)), storedTranscript(segments).body)
  return { caller, jobId, text }
}

/** A transcription that was completed with captions. */
export const completedWithCaptions = async (count?: number) => {
  const caller = await newCaller()
  const jobId = await caller.transcribe({})
  await finishCaptionsStep(caller, jobId, count)
  return { caller, jobId }
}

/** A transcription that the built-in engine completed with these segments. */
export const recognized = async (segments: Segment[], about: PreparedAudio = {}) => {
  const caller = await newCaller()
  const jobId = await caller.transcribe({ provider: 'builtin', words: true })
  const key = await recognizeAs(caller, jobId, segments, about)
  return { caller, jobId, key }
}

/** Completes a job with these segments, and returns the key of its transcript. */
export const recognizeAs = async (caller: Caller, jobId: string, segments: Segment[], about: PreparedAudio = {}) => {
  await finishAudioStep(caller, jobId, about)
  const lease = await leaseOf(caller, jobId, 'recognize')
  const { body: _, endSeconds: durationSeconds, ...layout } = storedTranscript(segments)
  const key = transcriptKey(jobId, 'recognize', await namesIn(jobId, lease.attempt))
  const transcript = await putTranscript(key, segments)
  await finishStep(lease, { step: 'recognize', transcript, facts: { language: 'en', durationSeconds, ...layout } })
  return key
}

export interface PreparedAudio {
  title?: string
  chapters?: Chapter[]
  seconds?: number
  downloadedBytes?: number
  /** One piece for each mark. Its text follows from the mark. */
  marks?: number[]
}

/** Finishes the audio step of a job with pieces of equal length. */
export const finishAudioStep = async (caller: Caller, jobId: string, audio: PreparedAudio = {}): Promise<boolean> => {
  const { seconds = 90, downloadedBytes = 1_000_000, marks = [1], ...about } = audio
  const lease = await leaseOf(caller, jobId, 'audio')
  const durationSeconds = seconds / marks.length
  const names = await namesIn(jobId, lease.attempt)
  const pieces = await Promise.all(
    marks.map(async (mark, index) => {
      const key = audioKey(jobId, names, index)
      await env.MEDIA.put(key, oggBytes(1_000, mark))
      await caller.account.noteUpload(lease, { key, uploadId: null })
      const upload = { key, uploadId: null, parts: null, sizeBytes: 1_000 }
      return { upload, offsetSeconds: index * durationSeconds, durationSeconds }
    }),
  )
  return finishStep(lease, { step: 'audio', ...about, durationSeconds: seconds, downloadedBytes, pieces })
}

/** Consumes one message of the queue and waits for everything that it starts. */
export const deliver = async (caller: Caller, jobId: string, step: Step, within: Env = env) => {
  const { attempt } = await jobOf(caller, jobId)
  const body = { v: 1, accountId: caller.accountId, jobId, step, attempt: attempt + 1, runsIn: 'worker' } as const
  const batch = createMessageBatch<StepMessage>('haul-steps', [
    { id: 'message', timestamp: new Date(0), attempts: 1, body },
  ])
  const ctx = createExecutionContext()
  await worker.queue(batch as never, withLongWork(within), ctx)
  const result = await getQueueResult(batch, ctx)
  if (step === 'recognize') await finishWork(body)
  return result
}

/** Consumes messages until the job has ended, without the delays between them. */
export const recognize = async (caller: Caller, jobId: string, most = 10) => {
  for (let times = 0; times < most; times++) {
    await deliver(caller, jobId, 'recognize')
    const job = await caller.status(jobId)
    if (job.status !== 'queued') return job
  }
  return caller.status(jobId)
}

export const jobOf = async (caller: Caller, jobId: string): Promise<TranscriptionJob> => {
  const identity = { keyHash: await sha256Hex(caller.apiKey), rateClass: 'status', endpoint: '/', needs: [] } as const
  const { result } = await caller.account.read(identity, jobId, 'transcription')
  if (!result.ok || result.value.job.kind !== 'transcription') throw new Error(`${jobId} is not a transcription`)
  return result.value.job
}

/** When the account sends the message of the job again. */
export const resentAt = ({ account }: Caller, jobId: string): Promise<number> =>
  runInDurableObject(account, (_, { storage }) => dueAt(storage.sql, jobId) ?? Number.NaN)

const services = {
  provider_a: { host: 'api.openai.com', key: 'sk-proj-the-right-key-0001' },
  provider_b: { host: 'api.deepgram.com', key: 'the-right-key-of-deepgram-2' },
  provider_c: { host: 'api.assemblyai.com', key: 'the-right-key-of-assembly-3' },
} as const

export type Slot = keyof typeof services
export const keyOf = (slot: Slot): string => services[slot].key

/** Scripts the provider's next response: a complete one, or the name of one of OpenAI's error responses. */
export const script = async (
  slot: Slot,
  answer: { status: number; body: string } | { openai: string; given?: number },
): Promise<void> => {
  const url = `https://services.example/${services[slot].host}/next`
  await (await fetch(url, { method: 'POST', body: JSON.stringify(answer) })).text()
}

export const requestsTo = async (slot: Slot): Promise<{ method: string; path: string; authorization: string }[]> =>
  (await fetch(`https://services.example/${services[slot].host}/requests`)).json()
