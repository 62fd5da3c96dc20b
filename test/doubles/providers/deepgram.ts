import { randomUUID } from 'node:crypto'
import type { Deepgram } from '@deepgram/sdk'
import { type FakeProvider, type FakeResponse, type RequestWithBody, startFakeProvider } from './fake-provider.ts'
import { defaultSpeech, isAudio, type Sentence, type Speech, secondsOf, sentencesIn, textOf } from './speech.ts'

/**
 * A fake of Deepgram's `POST /v1/listen`, written from its published API description and error reference. It is
 * stricter than the original in one respect: it refuses unknown query parameters.
 */
export const startDeepgram = async ({
  apiKey = 'd33p64a4fakefakefakefakefakefakefakefake',
  speech = defaultSpeech,
  maxBytes = 2_000_000_000,
}: {
  apiKey?: string
  speech?: Speech
  maxBytes?: number
} = {}): Promise<FakeProvider & { apiKey: string }> => ({
  ...(await startFakeProvider((request) => respond(request, { apiKey, speech, maxBytes }))),
  apiKey,
})

interface Service {
  apiKey: string
  speech: Speech
  maxBytes: number
}

const booleans = [
  'detect_entities',
  'detect_language',
  'diarize',
  'dictation',
  'filler_words',
  'intents',
  'measurements',
  'mip_opt_out',
  'multichannel',
  'numerals',
  'paragraphs',
  'profanity_filter',
  'punctuate',
  'sentiment',
  'smart_format',
  'topics',
  'utterances',
]
const others = [
  'callback',
  'callback_method',
  'custom_intent',
  'custom_intent_mode',
  'custom_topic',
  'custom_topic_mode',
  'diarize_model',
  'encoding',
  'extra',
  'keyterm',
  'keywords',
  'language',
  'model',
  'redact',
  'replace',
  'sample_rate',
  'search',
  'summarize',
  'tag',
  'utt_split',
  'version',
]
const models = /^(nova-3|nova-2|nova|enhanced|base)(-[a-z]+)?$|^whisper-(tiny|base|small|medium|large)$/

const respond = (request: RequestWithBody, service: Service): FakeResponse => {
  if (request.path !== '/v1/listen') return { status: 404, body: 'Not Found' }
  if (request.method !== 'POST') return { status: 405, body: 'Method Not Allowed' }
  if (request.headers.authorization !== `Token ${service.apiKey}`) return deepgramErrors.keyRejected()
  if (request.sizeBytes > service.maxBytes) return deepgramErrors.tooLarge
  const refused = refusal(request.query)
  if (refused) return refused
  if (!isAudio(request.body)) return deepgramErrors.undecodable()
  return { status: 200, headers: { 'dg-project-id': randomUUID() }, body: transcription(request, service) }
}

const refusal = (query: URLSearchParams): FakeResponse | null => {
  for (const [name, value] of query) {
    if (booleans.includes(name)) {
      if (value !== 'true' && value !== 'false')
        return queryError(`${name}: provided string was not \`true\` or \`false\``)
    } else if (!others.includes(name)) return queryError(`unknown field \`${name}\``)
  }
  const model = query.get('model') ?? 'base'
  if (!models.test(model) || !/^[a-z]{2,5}(-[A-Za-z0-9]+)*$/.test(query.get('language') ?? 'en'))
    return deepgramErrors.noSuchModel()
  const diarizer = query.get('diarize_model')
  if (diarizer !== null && !['latest', 'v1', 'v2'].includes(diarizer))
    return queryError(`diarize_model: unknown variant \`${diarizer}\``)
  if (diarizer !== null && query.has('diarize'))
    return legacy(400, 'Bad Request', 'Only one of diarize and diarize_model may be set.')
  if (model.startsWith('nova-3') && query.has('keywords'))
    return legacy(400, 'Bad Request', 'Keywords are not supported for Nova-3 models. Please use keyterm instead.')
  return null
}

const transcription = (request: RequestWithBody, { speech }: Service): Deepgram.ListenV1Response => {
  const { query } = request
  const language = query.get('language')
  const sentences = sentencesIn(speech, { bytes: request.body, language })
  const model = randomUUID()
  return {
    metadata: {
      transaction_key: 'deprecated',
      request_id: randomUUID(),
      sha256: request.sha256,
      created: '2026-11-21T08:00:00.000Z',
      duration: secondsOf(sentences),
      channels: 1,
      models: [model],
      model_info: {
        [model]: { name: `general-${query.get('model')}`, version: '2025-07-31.0', arch: query.get('model') },
      },
    },
    results: {
      channels: [
        {
          alternatives: [alternative(sentences, query)],
          ...(query.get('detect_language') === 'true' ? { detected_language: 'en', language_confidence: 0.99 } : {}),
        },
      ],
      ...(query.get('utterances') === 'true'
        ? { utterances: sentences.map((sentence) => utterance(sentence, query)) }
        : {}),
    },
  }
}

type Alternative = Deepgram.ListenV1ResponseResultsChannelsItem.Alternatives.Item

const alternative = (sentences: Sentence[], query: URLSearchParams): Alternative => ({
  transcript: written(textOf(sentences), query),
  confidence: sentences.length > 0 ? 0.9987 : 0,
  words: sentences.flatMap((sentence) => wordsOf(sentence, query)),
})

const utterance = (sentence: Sentence, query: URLSearchParams): Deepgram.ListenV1ResponseResultsUtterancesItem => ({
  start: sentence.start,
  end: sentence.end,
  confidence: 0.9987,
  channel: 0,
  transcript: written(sentence.text, query),
  words: wordsOf(sentence, query),
  ...(diarizes(query) && sentence.speaker !== null ? { speaker: sentence.speaker } : {}),
  id: randomUUID(),
})

const wordsOf = ({ words, speaker: sentenceSpeaker }: Sentence, query: URLSearchParams) =>
  words.map(({ text, start, end, speaker = sentenceSpeaker }) => ({
    word: unformatted(text),
    // All of these are optional in the published description.
    ...(start === null ? {} : { start }),
    ...(end === null ? {} : { end }),
    confidence: 0.9987,
    ...(formats(query) ? { punctuated_word: text } : {}),
    ...(diarizes(query) && speaker !== null ? { speaker, speaker_confidence: 0.93 } : {}),
  }))

const formats = (query: URLSearchParams): boolean =>
  query.get('smart_format') === 'true' || query.get('punctuate') === 'true'
const diarizes = (query: URLSearchParams): boolean =>
  // The Whisper models have no diarization: the parameter is accepted and does nothing.
  !query.get('model')?.startsWith('whisper') && (query.get('diarize') === 'true' || query.has('diarize_model'))
const unformatted = (text: string): string => text.toLowerCase().replace(/[.,!?]/g, '')
const written = (text: string, query: URLSearchParams): string => (formats(query) ? text : unformatted(text))

const legacy = (status: number, err_code: string, err_msg: string): FakeResponse => ({
  status,
  headers: { 'dg-error': err_msg },
  body: { err_code, err_msg, request_id: randomUUID() },
})

const queryError = (reason: string): FakeResponse =>
  legacy(400, 'Bad Request', `Failed to deserialize query parameters: ${reason}`)

/** Error responses of Deepgram, in its three formats. */
export const deepgramErrors = {
  keyRejected: (): FakeResponse => legacy(401, 'INVALID_AUTH', 'Invalid credentials.'),
  forbidden: {
    status: 403,
    body: {
      category: 'INSUFFICIENT_PERMISSIONS',
      message: 'User does not have sufficient permissions.',
      details: 'The key lacks the scope usage:write.',
      request_id: randomUUID(),
    },
  } as FakeResponse,
  quota: (): FakeResponse =>
    legacy(
      402,
      'ASR_PAYMENT_REQUIRED',
      'Project does not have enough credits for an ASR request and does not have an overage agreement.',
    ),
  undecodable: (): FakeResponse =>
    legacy(400, 'Bad Request', 'Bad Request: failed to process audio: corrupt or unsupported data'),
  noSuchModel: (): FakeResponse =>
    legacy(400, 'Bad Request', 'Bad Request: No such model/language/tier combination found.'),
  tooLarge: { status: 413, body: 'Payload Too Large' } as FakeResponse,
  unprocessable: {
    status: 422,
    body: {
      category: 'UNPROCESSABLE_ENTITY',
      message: 'The request was well-formed but could not be processed.',
      details: 'The audio stream has no samples.',
      request_id: randomUUID(),
    },
  } as FakeResponse,
  rateLimited: (): FakeResponse => legacy(429, 'TOO_MANY_REQUESTS', 'Too many requests. Please try again later'),
  slowUpload: {
    status: 408,
    body: { err_code: 'SLOW_UPLOAD', err_msg: 'Timeout: upload took too long.' },
  } as FakeResponse,
  unavailable: { status: 503, body: 'Service Unavailable' } as FakeResponse,
  processingTooLong: { status: 504, body: 'Gateway Timeout' } as FakeResponse,
} as const
