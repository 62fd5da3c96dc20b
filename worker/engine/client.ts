import {
  type AudioOrder,
  type CaptionsOrder,
  type FetchOrder,
  type Health,
  ProbeAnswer,
  type ProbeOrder,
  type RecognizeOrder,
  type StepOrder,
} from '../../container/protocol.ts'
import type { ImportJob, Job, TranscriptionJob } from '../domain/jobs/job.ts'
import { MAX_MEDIA_BYTES, MAX_MEDIA_SECONDS, STEP_TIMEOUT_MS } from '../domain/limits.ts'
import type { HandOver } from '../domain/messages.ts'

/** The container that works for an account: each has its own, so that tenants never share a machine. */
export interface Engine {
  /** Throws when the container does not understand. */
  start(order: StepOrder): Promise<HandOver>
  probe(order: ProbeOrder): Promise<ProbeAnswer>
  health(): Promise<Health>
}

export const engineOf = (engines: Env['ENGINES'], accountId: string): Engine => {
  const engine = engines.getByName(accountId)
  const post = (path: string, body: unknown) =>
    engine.fetch(`http://engine${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  return {
    start: async (order) => {
      const answer = await post('/steps', order).catch((cause) => {
        console.error('engine', order.jobId, cause)
      })
      await answer?.body?.cancel()
      if (answer?.status === 202) return 'taken'
      if (answer?.status === 429 || answer?.status === 503) return 'busy'
      if (!answer || answer.status >= 500) return 'away'
      throw new Error(`the container answered ${answer.status} to a step`)
    },
    probe: async (order) => {
      const answer = await post('/probe', order)
      if (!answer.ok) throw new Error(`the container answered ${answer.status} to a probe`)
      return ProbeAnswer.parse(await answer.json())
    },
    health: async () => (await engine.fetch('http://engine/health')).json<Health>(),
  }
}

export type Callback = StepOrder['callback']

export const fetchOrder = (job: ImportJob, callback: Callback): FetchOrder => {
  const { url, includeVideo, includeAudio, videoQuality, audioQuality } = job.request
  return {
    step: 'fetch',
    ...taskOf(job, callback),
    url,
    selection: { includeVideo, includeAudio, videoQuality, audioQuality },
  }
}

export const captionsOrder = (job: TranscriptionJob, callback: Callback): CaptionsOrder => ({
  step: 'captions',
  ...taskOf(job, callback),
  url: job.request.url,
  language: job.request.language,
})

export const audioOrder = (job: TranscriptionJob, callback: Callback, pieces: AudioOrder['pieces']): AudioOrder => ({
  step: 'audio',
  ...taskOf(job, callback),
  url: job.request.url,
  pieces,
})

export const recognizeOrder = (
  job: TranscriptionJob,
  callback: Callback,
  pieces: RecognizeOrder['pieces'],
): RecognizeOrder => ({ step: 'recognize', ...taskOf(job, callback), language: job.request.language, pieces })

const taskOf = (job: Job, callback: Callback) => ({
  jobId: job.id,
  attempt: job.attempts,
  callback,
  limits: { maxBytes: MAX_MEDIA_BYTES, maxDurationSeconds: MAX_MEDIA_SECONDS, timeoutMs: STEP_TIMEOUT_MS },
})
