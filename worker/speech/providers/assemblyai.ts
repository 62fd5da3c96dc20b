import { z } from 'zod'
import { assemblyAiLanguage, languageCode } from '../languages.ts'
import { type Answer, done, pieceEncoding, silence, spoken } from '../recognition.ts'
import { refused } from './errors.ts'
import { type Call, exchange, type Reply } from './exchange.ts'
import type { ProviderJob, ProviderOptions, ProviderPiece, SpeechProvider } from './provider.ts'

const POLL_AFTER_MS = 3_000
const MODELS = ['universal-3-5-pro', 'universal-2']

/**
 * AssemblyAI: upload the bytes, create a transcript of them, ask for it until it is there, read its
 * sentences. A transcript that was deleted still answers 200, with "Deleted by user." for a text: so
 * deleting is not part of reading, but comes when the result is safe (`forget`), and reading notices it.
 */
export const assemblyai = (baseUrl = 'https://api.assemblyai.com'): SpeechProvider => ({
  name: 'assemblyai',
  limits: {
    // 2.2 GB and 10 hours are the walls; the answer to four hours is what a Worker can parse in comfort.
    maxBytes: 2_200_000_000,
    maxSeconds: 14_400,
    encoding: pieceEncoding,
  },
  reservedOptions: {
    audio_url: 'the audio is the media of the job.',
  },

  start: async (piece) => {
    const uploaded = await ask(baseUrl, piece, {
      method: 'POST',
      path: '/v2/upload',
      contentType: 'application/octet-stream',
      body: { stream: piece.audio, sizeBytes: piece.sizeBytes },
      answer: Uploaded,
    })
    if (!uploaded.ok) return uploaded.answer
    const created = await ask(baseUrl, piece, {
      method: 'POST',
      path: '/v2/transcript',
      contentType: 'application/json',
      body: JSON.stringify({ ...defaults(piece), ...piece.options, audio_url: uploaded.body.upload_url }),
      answer: Created,
    })
    return created.ok ? pending(created.body.id) : created.answer
  },

  poll: async (job) => {
    const path = pathOf(job)
    const asked = await ask(baseUrl, job, { method: 'GET', path, answer: Transcript })
    if (!asked.ok) return asked.answer
    const transcript = asked.body
    if (transcript.status === 'error') return complaint(transcript, job.apiKey)
    if (transcript.status !== 'completed') return pending(job.providerJobId)
    if (transcript.audio_url === DELETED) return refused('The transcript was deleted before it was read.', job.apiKey)
    const read = await ask(baseUrl, job, { method: 'GET', path: `${path}/sentences`, answer: Sentences })
    return read.ok ? recognition(transcript, read.body) : read.answer
  },

  forget: async (job) => (await ask(baseUrl, job, { method: 'DELETE', path: pathOf(job), answer: z.unknown() })).ok,
})

const DELETED = 'http://deleted_by_user'

const ask = <Body>(
  baseUrl: string,
  { apiKey, signal }: Pick<ProviderJob, 'apiKey' | 'signal'>,
  { path, ...call }: Pick<Call<Body>, 'method' | 'contentType' | 'body' | 'answer'> & { path: string },
): Promise<Reply<Body>> =>
  exchange({ ...call, provider: 'assemblyai', apiKey, signal, scheme: '', url: `${baseUrl}${path}` })

const pathOf = ({ providerJobId }: ProviderJob): string => `/v2/transcript/${encodeURIComponent(providerJobId)}`

const pending = (providerJobId: string): Answer => ({ state: 'pending', providerJobId, pollAfterMs: POLL_AFTER_MS })

const defaults = ({ options, language }: ProviderPiece): ProviderOptions => ({
  ...(options.speech_model === undefined ? { speech_models: MODELS } : {}),
  ...(namesLanguage(options)
    ? {}
    : language === null
      ? { language_detection: true }
      : { language_code: assemblyAiLanguage(language) }),
})

const namesLanguage = (options: ProviderOptions): boolean =>
  ['language_code', 'language_codes', 'language_detection'].some((name) => options[name] !== undefined)

/** A job that failed is a success to HTTP. Nothing said is not a failure of the piece: another piece may have words. */
const complaint = ({ error, audio_duration }: z.infer<typeof Transcript>, apiKey: string): Answer =>
  /no spoken audio/i.test(error ?? '') ? silence(audio_duration ?? 0) : refused(error ?? '', apiKey)

const Uploaded = z.object({ upload_url: z.url() })
const Created = z.object({ id: z.string().regex(/^[\w-]{1,100}$/) })

const Transcript = z.object({
  status: z.enum(['queued', 'processing', 'completed', 'error']),
  error: z.string().nullish(),
  text: z.string().nullish(),
  audio_url: z.string().nullish(),
  audio_duration: z.number().nullish(),
  language_code: z.string().nullish(),
})

const Timed = z.object({ start: z.number(), end: z.number(), text: z.string(), speaker: z.string().nullish() })
const Sentences = z.object({ sentences: z.array(Timed.extend({ words: z.array(Timed).default([]) })) })

type Timed = z.infer<typeof Timed>

const recognition = (transcript: z.infer<typeof Transcript>, { sentences }: z.infer<typeof Sentences>): Answer =>
  done({
    segments: sentences.map(inSeconds),
    words: sentences.flatMap(({ words }) => words.map(inSeconds)),
    language: languageCode(transcript.language_code),
    durationSeconds: transcript.audio_duration ?? 0,
    text: transcript.text ?? '',
  })

/** The API counts whole milliseconds. */
const inSeconds = ({ start, end, text, speaker }: Timed) => spoken(start / 1000, end / 1000, text, speaker)
