import { randomUUID } from 'node:crypto'
import type { SentencesResponse, Transcript, TranscriptStatus, TranscriptWord } from 'assemblyai'
import { wrongParameter } from './assemblyai-parameters.ts'
import { type FakeProvider, type FakeResponse, type RequestWithBody, startFakeProvider } from './fake-provider.ts'
import { defaultSpeech, isAudio, type Sentence, type Speech, secondsOf, sentencesIn, textOf } from './speech.ts'

/**
 * A fake of AssemblyAI's upload, transcript and sentences endpoints, written from its published API description. A
 * transcript advances by one state with each request, so tests do not wait.
 */
export const startAssemblyAI = async ({
  apiKey = 'a55emb1yfakefakefakefakefakefake',
  speech = defaultSpeech,
}: {
  apiKey?: string
  speech?: Speech
} = {}): Promise<FakeProvider & { apiKey: string; jobs: Map<string, Job> }> => {
  const service: Service = { apiKey, speech, url: '', uploads: new Map(), jobs: new Map() }
  const fake = await startFakeProvider((request) => respond(request, service))
  service.url = fake.url
  return { ...fake, apiKey, jobs: service.jobs }
}

export interface Job {
  status: TranscriptStatus
  deleted: boolean
  parameters: Record<string, unknown>
  sentences: Sentence[]
  error: string | null
}

interface Service {
  apiKey: string
  speech: Speech
  url: string
  uploads: Map<string, Uint8Array>
  jobs: Map<string, Job>
}

const respond = (request: RequestWithBody, service: Service): FakeResponse => {
  // The header has no scheme: `Bearer <key>` is as wrong as no key.
  if (request.headers.authorization !== service.apiKey) return assemblyaiErrors.keyRejected
  const [, version, resource, id, part] = request.path.split('/')
  if (version === 'v2' && resource === 'upload' && request.method === 'POST') return upload(request, service)
  if (version !== 'v2' || resource !== 'transcript') return { status: 404, body: { error: 'Not found' } }
  if (!id && request.method === 'POST') return create(request, service)
  const job = service.jobs.get(id ?? '')
  if (!id || !job) return assemblyaiErrors.noSuchTranscript
  if (request.method === 'DELETE') return remove(id, job)
  if (part === 'sentences') return sentences(id, job)
  return read(id, job)
}

const upload = (request: RequestWithBody, { url, uploads }: Service): FakeResponse => {
  if (request.sizeBytes === 0) return assemblyaiErrors.uploadFailed
  const uploadUrl = `${url}/upload/${randomUUID()}`
  uploads.set(uploadUrl, request.body)
  return { status: 200, body: { upload_url: uploadUrl } }
}

const create = (request: RequestWithBody, service: Service): FakeResponse => {
  let parameters: Record<string, unknown>
  try {
    parameters = JSON.parse(request.text) as Record<string, unknown>
  } catch {
    return assemblyaiErrors.wrongSchema
  }
  const wrong = wrongParameter(parameters)
  if (wrong) return { status: 400, body: { error: wrong } }
  const id = randomUUID()
  const job: Job = { status: 'queued', deleted: false, parameters, ...recognize(parameters, service) }
  service.jobs.set(id, job)
  return { status: 200, body: transcript(id, job) }
}

const recognize = (
  parameters: Record<string, unknown>,
  { uploads, speech }: Service,
): Pick<Job, 'sentences' | 'error'> => {
  const url = String(parameters.audio_url)
  const bytes = uploads.get(url)
  if (!bytes)
    return {
      sentences: [],
      error: `Download error, unable to download ${url}. Please make sure the file exists and is accessible from the internet.`,
    }
  if (!isAudio(bytes))
    return { sentences: [], error: 'File does not appear to contain audio. File type is text/plain (ASCII text).' }
  const sentences = sentencesIn(speech, { bytes, language: (parameters.language_code as string | undefined) ?? null })
  return sentences.length === 0 && parameters.language_detection === true
    ? { sentences: [], error: 'language_detection cannot be performed on files with no spoken audio.' }
    : { sentences, error: null }
}

const read = (id: string, job: Job): FakeResponse => {
  const body = transcript(id, job)
  if (job.status === 'queued') job.status = 'processing'
  else if (job.status === 'processing') job.status = job.error ? 'error' : 'completed'
  return { status: 200, body }
}

/** A deleted transcript is emptied, and its endpoint still responds. */
const remove = (id: string, job: Job): FakeResponse => {
  if (job.status !== 'completed' && job.status !== 'error') return assemblyaiErrors.stillRunning
  job.deleted = true
  job.sentences = []
  return { status: 200, body: transcript(id, job) }
}

const sentences = (id: string, job: Job): FakeResponse => {
  if (job.status !== 'completed') return assemblyaiErrors.notCompleted(job.status)
  const body: SentencesResponse = {
    id,
    confidence: 0.95,
    audio_duration: duration(job),
    sentences: job.sentences.map((sentence) => ({
      text: sentence.text,
      ...milliseconds(sentence),
      confidence: 0.95,
      words: wordsOf(sentence, job),
      speaker: labelOf(sentence.speaker, job),
      channel: null,
    })),
  }
  return { status: 200, body }
}

/** Whole milliseconds, where `audio_duration` is whole seconds. */
const milliseconds = ({ start, end }: { start: number | null; end: number | null }) => ({
  start: inMilliseconds(start),
  end: inMilliseconds(end),
})
/** Published as a number. A null is let through for tests of what is not as published. */
const inMilliseconds = (seconds: number | null): number =>
  (seconds === null ? null : Math.round(seconds * 1000)) as number
const duration = (job: Job): number => Math.round(secondsOf(job.sentences))

const labelOf = (speaker: number | null, { parameters }: Job): string | null =>
  parameters.speaker_labels === true && speaker !== null ? String.fromCharCode(65 + speaker) : null

const wordsOf = (sentence: Sentence, job: Job): TranscriptWord[] =>
  sentence.words.map((word) => ({
    text: word.text,
    ...milliseconds(word),
    confidence: 0.95,
    speaker: labelOf(word.speaker === undefined ? sentence.speaker : word.speaker, job),
    channel: null,
  }))

const transcript = (id: string, job: Job): Transcript => {
  const { parameters } = job
  const finished = job.status === 'completed'
  return {
    id,
    status: job.status,
    audio_url: job.deleted ? 'http://deleted_by_user' : String(parameters.audio_url),
    language_model: 'assemblyai_default',
    acoustic_model: 'assemblyai_default',
    language_code: (parameters.language_code as string | undefined) ?? 'en_us',
    language_codes: null,
    language_detection: parameters.language_detection === true,
    language_confidence: finished && parameters.language_detection === true ? 0.98 : null,
    language_confidence_threshold: null,
    speech_model: null,
    speech_models: (parameters.speech_models as string[] | undefined) ?? null,
    speech_model_used: finished ? 'universal-3-5-pro' : null,
    text: job.deleted ? 'Deleted by user.' : finished ? textOf(job.sentences) : null,
    words: finished && !job.deleted ? job.sentences.flatMap((sentence) => wordsOf(sentence, job)) : null,
    utterances: null,
    confidence: finished ? 0.95 : null,
    audio_duration: finished ? duration(job) : null,
    punctuate: parameters.punctuate !== false,
    format_text: parameters.format_text !== false,
    multichannel: null,
    webhook_url: null,
    webhook_status_code: null,
    webhook_auth: false,
    auto_highlights: false,
    redact_pii: parameters.redact_pii === true,
    summarization: false,
    speaker_labels: parameters.speaker_labels === true,
    throttled: false,
    ...(job.status === 'error' && job.error ? { error: job.error } : {}),
  }
}

const errorResponse = (status: number, error: string, headers: Record<string, string> = {}): FakeResponse => ({
  status,
  headers,
  body: { error },
})

/** Error responses of AssemblyAI. */
export const assemblyaiErrors = {
  keyRejected: errorResponse(401, 'Authentication error, API token missing/invalid'),
  /** Only its text tells this 400 from an invalid request. */
  quota: errorResponse(400, 'Your current account balance is negative. Please top up to continue using the API.'),
  wrongSchema: errorResponse(400, 'Invalid endpoint schema, please refer to documentation for examples.'),
  uploadFailed: errorResponse(
    422,
    'Upload failed, please try again. If you continue to have issues please reach out to support@assemblyai.com',
  ),
  noSuchTranscript: errorResponse(400, 'Transcript lookup error, transcript id not found'),
  notCompleted: (status: string): FakeResponse =>
    errorResponse(
      400,
      `This transcript has a status of '${status}'. Transcripts must have a status of 'completed' before requesting sentences.`,
    ),
  stillRunning: errorResponse(400, 'Transcript can only be deleted once it is completed.'),
  rateLimited: (retryAfterSeconds: number): FakeResponse =>
    errorResponse(429, 'Too Many Requests', { 'retry-after': String(retryAfterSeconds) }),
  serverError: errorResponse(500, 'Server error, developers have been alerted.'),
  unavailable: {
    status: 503,
    headers: { 'content-type': 'text/html' },
    body: '<html><body>503</body></html>',
  } as FakeResponse,
} as const
