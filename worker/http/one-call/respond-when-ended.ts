import type { Context } from 'hono'
import { type Failure, failure } from '../../../domain/codes/failures.ts'
import { refusal } from '../../../domain/codes/refusals.ts'
import { isTerminal, type Job, type TranscriptionJob, type TranscriptResult } from '../../../domain/jobs/job.ts'
import { readableTranscript } from '../../../domain/jobs/readable-words.ts'
import { storedTranscript } from '../../../domain/words/transcript-body.ts'
import type { JobSnapshot } from '../../account/calls.ts'
import { configOf } from '../../env.ts'
import { streamOf } from '../../media/chunks.ts'
import type { OpenTranscript } from '../../media/json-with-transcript.ts'
import { openTranscript, writtenFile } from '../../media/transcripts.ts'
import type { WrittenFormat } from '../../speech/transcript-formats.ts'
import { defaultLayout } from '../../speech/transcript-layout.ts'
import { changesOf, whenEnded } from '../follow.ts'
import { account, type HttpEnv } from '../request-context.ts'
import { refuse } from '../respond.ts'
import { sentAsWritten } from '../server-sent-events.ts'

export interface Writing {
  headers: Record<string, string>
  /** The beginning of a response that starts before the job has ended. The body of the transcript begins with it too. */
  begins: string
  /** Sent again and again until the job ends. Readers of the format ignore it. */
  waits: string
  /** How often `waits` is sent in the time that the response may stay silent at first. */
  waitsPerSilence: number
  /** null: the transcript was removed. */
  body: (transcript: EndedTranscript) => Promise<ReadableStream<Uint8Array> | null>
  /** Reports a failure in a response that has begun. Without it, the response breaks off. */
  failedLate?: (job: Job, reason: Failure) => string
}

export interface Rendering extends Writing {
  /** The response of a job that has failed before anything was sent. */
  failed: (job: Job, reason: Failure) => Response
  /** The response of a job that still runs, if nothing was sent. */
  stillRunning: (jobId: string) => Response
}

export interface JobToFollow {
  jobId: string
  /** Requests with the same key share a job. */
  joinKey: string
  rendering: Rendering
}

/**
 * Waits for the job of a request and writes its transcript. For a minute (TRANSCRIPTION_SILENCE_MS) nothing is sent, so that
 * failures have a status. Programs and proxies close a connection that stays silent for longer, so then the response begins.
 * A later failure breaks it off, as does the end of TRANSCRIPTION_WAIT_MS: programs treat a response without an end as a broken
 * connection and send the request again, which joins the job and gets its failure.
 */
export const respondWhenEnded = async (
  c: Context<HttpEnv>,
  { jobId, joinKey, rendering }: JobToFollow,
): Promise<Response> => {
  c.header('X-Haul-Job-Id', jobId)
  const { TRANSCRIPTION_WAIT_MS: waitMs, TRANSCRIPTION_SILENCE_MS: silenceMs } = configOf(c.env)
  const first = await account(c).readUncounted(c.get('caller').keyHash, jobId)
  if (first === null) return refuse(c, refusal('UNAUTHORIZED'))
  const until = Date.now() + waitMs
  const snapshot = await whenEnded(c, first, { until: Date.now() + Math.min(waitMs, silenceMs) })
  const { job } = snapshot
  if (isTerminal(job.state)) return respondEnded(c, job, rendering)
  if (Date.now() >= until) return rendering.stillRunning(jobId)

  if (!rendering.failedLate) await account(c).noteBegunResponse(joinKey, jobId)
  const gone = new AbortController()
  const repeatMs = silenceMs / rendering.waitsPerSilence
  const chunks = begunBody(c, snapshot, rendering, { until, repeatMs, signal: gone.signal })
  // When the client disconnects, anything that the generator waits for ends at once.
  const body = streamOf(chunks, () => gone.abort())
  return c.body(body, 200, headersOf(rendering))
}

const headersOf = ({ headers }: Rendering) => ({ ...sentAsWritten, ...headers })

const respondEnded = async (c: Context<HttpEnv>, job: Job, rendering: Rendering): Promise<Response> => {
  const ended = endOf(c.env, job)
  if ('reason' in ended) return rendering.failed(job, ended.reason)
  const body = await rendering.body(ended.transcript)
  if (!body) return refuse(c, refusal('MEDIA_EXPIRED', {}, 'The transcript was removed.'))
  return c.body(body, 200, headersOf(rendering))
}

/** Silence is a transcript without text here, as these programs expect. */
const endOf = (env: Env, job: Job): { transcript: EndedTranscript } | { reason: Failure } => {
  if (isTranscription(job) && job.result) return { transcript: transcriptOf(env, job, job.result) }
  if (isTranscription(job) && job.failure?.code === 'NO_SPEECH') return { transcript: silence(job) }
  return { reason: job.failure ?? failure('INTERNAL') }
}

const isTranscription = (job: Job): job is TranscriptionJob => job.kind === 'transcription'

async function* begunBody(
  c: Context<HttpEnv>,
  first: JobSnapshot,
  { begins, waits, body, failedLate }: Rendering,
  follow: { until: number; repeatMs: number; signal: AbortSignal },
): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder()
  yield encoder.encode(begins)
  let { job } = first
  for await (const snapshot of changesOf(c, first, follow)) {
    job = snapshot.job
    if (!isTerminal(job.state)) yield encoder.encode(waits)
  }
  if (follow.signal.aborted) return
  if (!isTerminal(job.state)) throw new Error(`${job.id} still runs at the end of TRANSCRIPTION_WAIT_MS`)
  const ended = endOf(c.env, job)
  if ('reason' in ended) {
    if (!failedLate) throw new Error(`${job.id} failed after its response had begun`)
    yield encoder.encode(failedLate(job, ended.reason))
    return
  }
  const transcript = await body(ended.transcript)
  if (!transcript) throw new Error(`the transcript of ${job.id} was removed while its response was written`)
  let sent = begins.length
  for await (const chunk of transcript) {
    const rest = chunk.subarray(Math.min(sent, chunk.length))
    sent -= chunk.length - rest.length
    if (rest.length > 0) yield rest
  }
}

export interface EndedTranscript
  extends Pick<
    TranscriptResult,
    'language' | 'languageProbability' | 'durationSeconds' | 'hasWords' | 'hasSpeakers' | 'title' | 'chapters'
  > {
  /** null: it was removed. */
  open(withWords: boolean): Promise<OpenTranscript | null>
}

export const transcriptOf = (env: Env, job: TranscriptionJob, result: TranscriptResult): EndedTranscript => ({
  ...result,
  open: (withWords) => openTranscript(env, job.id, readableTranscript(job), { withWords }),
})

export const silence = ({ carry, progress }: TranscriptionJob): EndedTranscript => ({
  language: 'und',
  durationSeconds: carry?.durationSeconds ?? progress?.durationSeconds ?? 0,
  hasWords: false,
  hasSpeakers: false,
  title: null,
  chapters: [],
  open: async () => {
    const { body } = storedTranscript([])
    return { body: new Blob([body as Uint8Array<ArrayBuffer>]).stream(), sizeBytes: body.length }
  },
})

/** null: it was removed. */
export const asFile = async (
  transcript: EndedTranscript,
  format: WrittenFormat,
  { speakers = false } = {},
): Promise<ReadableStream<Uint8Array> | null> => {
  const opened = await transcript.open(false)
  return opened && writtenFile(opened, format, { ...defaultLayout, speakers }, transcript)
}
