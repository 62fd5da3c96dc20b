import { z } from 'zod'
import type { SpeakerCount, Vocabulary } from '../../../domain/protocol/protocol.ts'
import type { Segment, SegmentWord } from '../../../domain/words/segment.ts'
import { assemblyAiLanguage, languageCode } from '../languages.ts'
import { done, type ProviderResult, timedText, timedWord } from '../recognition.ts'
import { requestRejected } from './errors.ts'
import {
  type ProviderJob,
  type ProviderOptions,
  type ProviderPieceRequest,
  type SpeechProvider,
  setOptions,
  vocabularyField,
} from './provider.ts'
import { type ProviderRequest, type ProviderResponse, requestProvider } from './request.ts'

const MODELS = ['universal-3-5-pro', 'universal-2']
/** AssemblyAI takes one of these in a request. */
const VOCABULARY_OPTIONS = ['keyterms_prompt', 'prompt', 'word_boost']
/** It refuses phrases of more words. */
const MAX_KEYTERM_WORDS = 6

/**
 * Uploads the audio, creates a transcript, polls it and fetches its sentences. A deleted transcript still returns 200,
 * so it is deleted only when the result is stored, and `poll` detects transcripts that were deleted before.
 */
export const assemblyai = (baseUrl = 'https://api.assemblyai.com'): SpeechProvider => ({
  name: 'assemblyai',
  limits: {
    // AssemblyAI's limits are 2.2 GB and 10 hours. A Worker's memory is enough to parse the response for four hours.
    maxBytes: 2_200_000_000,
    maxSeconds: 14_400,
  },
  reservedOptions: {
    audio_url: 'the audio is the media of the job.',
  },
  unsupported: () => null,
  contradictions: ({ speakers, vocabulary }, options) => {
    const isCounted = speakers && (speakers.min !== null || speakers.max !== null)
    return [
      ...(speakers && options.speaker_labels !== true ? setOptions(options, ['speaker_labels'], 'speakers') : []),
      ...(isCounted ? setOptions(options, ['speakers_expected', 'speaker_options'], 'speakers') : []),
      ...(vocabulary ? setOptions(options, VOCABULARY_OPTIONS, vocabularyField(vocabulary)) : []),
    ]
  },
  takesVocabulary: (vocabulary, options) => Object.keys(vocabularyFor(vocabulary, options)).length > 0,
  knownSpeakers: () => [],

  start: async (piece) => {
    const uploaded = await request(baseUrl, piece, {
      method: 'POST',
      path: '/v2/upload',
      contentType: 'application/octet-stream',
      body: { stream: piece.audio, sizeBytes: piece.sizeBytes },
      schema: UploadResponse,
    })
    if (!uploaded.ok) return uploaded.result
    const created = await request(baseUrl, piece, {
      method: 'POST',
      path: '/v2/transcript',
      contentType: 'application/json',
      body: JSON.stringify({ ...defaults(piece), ...piece.options, audio_url: uploaded.body.upload_url }),
      schema: CreateResponse,
    })
    return created.ok ? pending(created.body.id) : created.result
  },

  poll: async (job) => {
    const path = pathOf(job)
    const polled = await request(baseUrl, job, { method: 'GET', path, schema: Transcript })
    if (!polled.ok) return polled.result
    const transcript = polled.body
    if (transcript.status === 'error') return jobError(transcript, job.apiKey)
    if (transcript.status !== 'completed') return pending(job.providerJobId)
    if (transcript.audio_url === DELETED_AUDIO_URL)
      return requestRejected('The transcript was deleted before it was read.', job.apiKey)
    const sentences = await request(baseUrl, job, { method: 'GET', path: `${path}/sentences`, schema: Sentences })
    return sentences.ok ? toResult(transcript, sentences.body) : sentences.result
  },

  deleteJob: async (job) =>
    (await request(baseUrl, job, { method: 'DELETE', path: pathOf(job), schema: z.unknown() })).ok,
})

const DELETED_AUDIO_URL = 'http://deleted_by_user'

const request = <Body>(
  baseUrl: string,
  job: Pick<ProviderJob, 'apiKey' | 'signal'>,
  { path, ...rest }: Pick<ProviderRequest<Body>, 'method' | 'contentType' | 'body' | 'schema'> & { path: string },
): Promise<ProviderResponse<Body>> =>
  requestProvider(job, { ...rest, service: 'assemblyai', scheme: '', url: `${baseUrl}${path}` })

const pathOf = ({ providerJobId }: ProviderJob): string => `/v2/transcript/${encodeURIComponent(providerJobId)}`

const pending = (providerJobId: string): ProviderResult => ({ state: 'pending', providerJobId, pollAfterMs: 3_000 })

const defaults = ({ options, language, speakers, vocabulary }: ProviderPieceRequest): ProviderOptions => ({
  ...(vocabulary && vocabularyFor(vocabulary, options)),
  ...(speakers && { speaker_labels: true, ...speakerOptions(speakers) }),
  ...(options.speech_model === undefined && { speech_models: MODELS }),
  ...(!setsLanguage(options) && languageOption(language)),
})

const languageOption = (language: string | null): ProviderOptions =>
  language === null ? { language_detection: true } : { language_code: assemblyAiLanguage(language) }

/** Keywords, else the prompt: AssemblyAI refuses both together, and only some of its models take a prompt. */
const vocabularyFor = ({ prompt, keywords }: Vocabulary, options: ProviderOptions): ProviderOptions => {
  const keyterms = keywords.filter((keyword) => keyword.split(' ').length <= MAX_KEYTERM_WORDS)
  if (keyterms.length > 0) return { keyterms_prompt: keyterms }
  const models = [options.speech_model ?? options.speech_models ?? MODELS].flat()
  const takesPrompt = models.some((model) => /^(universal-3|slam)/.test(String(model)))
  return prompt !== null && takesPrompt ? { prompt } : {}
}

const speakerOptions = ({ min, max }: SpeakerCount): ProviderOptions => {
  const bounds = {
    ...(min !== null && { min_speakers_expected: min }),
    ...(max !== null && { max_speakers_expected: max }),
  }
  return min === null && max === null ? {} : { speaker_options: bounds }
}

const setsLanguage = (options: ProviderOptions): boolean =>
  ['language_code', 'language_codes', 'language_detection'].some((name) => options[name] !== undefined)

/** A failed job is a 200. A piece without speech is not a failure, because other pieces may have speech. */
const jobError = ({ error, audio_duration }: z.infer<typeof Transcript>, apiKey: string): ProviderResult =>
  /no spoken audio/i.test(error ?? '')
    ? done({ segments: [], language: null, durationSeconds: audio_duration ?? 0 })
    : requestRejected(error ?? '', apiKey)

const UploadResponse = z.object({ upload_url: z.url() })
const CreateResponse = z.object({ id: z.string().regex(/^[\w-]{1,100}$/) })

const Transcript = z.object({
  status: z.enum(['queued', 'processing', 'completed', 'error']),
  error: z.string().nullish(),
  audio_url: z.string().nullish(),
  audio_duration: z.number().nullish(),
  language_code: z.string().nullish(),
  speech_model_used: z.string().nullish(),
})

const Word = z.object({
  start: z.number().nullish(),
  end: z.number().nullish(),
  text: z.string(),
  confidence: z.number().nullish(),
  speaker: z.string().nullish(),
})
type Word = z.infer<typeof Word>

const Sentence = z.object({
  start: z.number(),
  end: z.number(),
  text: z.string(),
  speaker: z.string().nullish(),
  words: z.array(Word).nullish(),
})
const Sentences = z.object({ sentences: z.array(Sentence) })

const toResult = (transcript: z.infer<typeof Transcript>, { sentences }: z.infer<typeof Sentences>): ProviderResult =>
  done({
    segments: sentences.map(segmentOf),
    language: languageCode(transcript.language_code),
    ...(transcript.speech_model_used && { model: transcript.speech_model_used }),
    durationSeconds: transcript.audio_duration ?? 0,
  })

const segmentOf = ({ start, end, text, speaker, words }: z.infer<typeof Sentence>): Segment => ({
  ...timedText(start / 1000, end / 1000, text, speaker),
  words: (words ?? []).map(wordOf),
})

const wordOf = ({ start, end, text, ...rest }: Word): SegmentWord =>
  timedWord(text, { start: inSeconds(start), end: inSeconds(end), ...rest })

const inSeconds = (milliseconds: number | null | undefined): number | null =>
  typeof milliseconds === 'number' ? milliseconds / 1000 : null
