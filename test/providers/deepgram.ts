import { randomUUID } from 'node:crypto'
import type { Deepgram } from '@deepgram/sdk'
import { type FakeProvider, type HeardRequest, type HttpAnswer, startFake } from './http.ts'
import { defaultSpeech, heardIn, isAudio, type Sentence, type Speech, secondsOf, textOf } from './speech.ts'

/**
 * Deepgram's `POST /v1/listen`, after its published API description and its page of errors. Stricter than
 * the original in one thing: a query parameter that it does not know is refused.
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
  ...(await startFake((request) => answer(request, { apiKey, speech, maxBytes }))),
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

const answer = (request: HeardRequest, service: Service): HttpAnswer => {
  if (request.path !== '/v1/listen') return { status: 404, body: 'Not Found' }
  if (request.method !== 'POST') return { status: 405, body: 'Method Not Allowed' }
  if (request.headers.authorization !== `Token ${service.apiKey}`) return deepgramSays.keyRejected()
  if (request.sizeBytes > service.maxBytes) return deepgramSays.tooLarge
  const refused = refusal(request.query)
  if (refused) return refused
  if (request.headers['content-type']?.startsWith('application/json')) return remote(request.text)
  if (!isAudio(request.body)) return deepgramSays.undecodable()
  if (request.query.has('callback')) return { status: 200, body: { request_id: randomUUID() } }
  return { status: 200, headers: { 'dg-project-id': randomUUID() }, body: listened(request, service) }
}

const refusal = (query: URLSearchParams): HttpAnswer | null => {
  for (const [name, value] of query) {
    if (booleans.includes(name)) {
      if (value !== 'true' && value !== 'false')
        return queryError(`${name}: provided string was not \`true\` or \`false\``)
    } else if (!others.includes(name)) return queryError(`unknown field \`${name}\``)
  }
  const model = query.get('model') ?? 'base'
  if (!models.test(model) || !/^[a-z]{2,5}(-[A-Za-z0-9]+)*$/.test(query.get('language') ?? 'en'))
    return deepgramSays.noSuchModel()
  if (model.startsWith('nova-3') && query.has('keywords'))
    return legacy(400, 'Bad Request', 'Keywords are not supported for Nova-3 models. Please use keyterm instead.')
  return null
}

const remote = (text: string): HttpAnswer => {
  try {
    const { url } = JSON.parse(text) as { url?: unknown }
    if (typeof url === 'string') return legacy(400, 'REMOTE_CONTENT_ERROR', 'Could not fetch the remote content.')
  } catch {}
  return {
    status: 400,
    body: {
      category: 'INVALID_JSON',
      message: 'Invalid JSON submitted.',
      details: 'Json deserialize error: missing field `url` at line 1 column 2',
      request_id: randomUUID(),
    },
  }
}

const listened = (request: HeardRequest, { speech }: Service): Deepgram.ListenV1Response => {
  const { query } = request
  const language = query.get('language')
  const sentences = heardIn(speech, { bytes: request.body, language })
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
  ...(formats(query) && sentences.length > 0
    ? {
        paragraphs: {
          transcript: `\n${textOf(sentences)}`,
          paragraphs: [
            {
              sentences: sentences.map(({ text, start, end }) => ({ text, start, end })),
              num_words: sentences.flatMap(({ words }) => words).length,
              start: sentences[0]?.start ?? 0,
              end: sentences.at(-1)?.end ?? 0,
            },
          ],
        },
      }
    : {}),
})

const utterance = (sentence: Sentence, query: URLSearchParams): Deepgram.ListenV1ResponseResultsUtterancesItem => ({
  start: sentence.start,
  end: sentence.end,
  confidence: 0.9987,
  channel: 0,
  transcript: written(sentence.text, query),
  words: wordsOf(sentence, query),
  ...(diarizes(query) ? { speaker: sentence.speaker } : {}),
  id: randomUUID(),
})

const wordsOf = ({ words, speaker }: Sentence, query: URLSearchParams) =>
  words.map(({ text, start, end }) => ({
    word: bare(text),
    start,
    end,
    confidence: 0.9987,
    ...(formats(query) ? { punctuated_word: text } : {}),
    ...(diarizes(query) ? { speaker, speaker_confidence: 0.93 } : {}),
  }))

const formats = (query: URLSearchParams): boolean =>
  query.get('smart_format') === 'true' || query.get('punctuate') === 'true'
const diarizes = (query: URLSearchParams): boolean => query.get('diarize') === 'true' || query.has('diarize_model')
const bare = (text: string): string => text.toLowerCase().replace(/[.,!?]/g, '')
const written = (text: string, query: URLSearchParams): string => (formats(query) ? text : bare(text))

const legacy = (status: number, err_code: string, err_msg: string): HttpAnswer => ({
  status,
  headers: { 'dg-error': err_msg },
  body: { err_code, err_msg, request_id: randomUUID() },
})

const queryError = (words: string): HttpAnswer =>
  legacy(400, 'Bad Request', `Failed to deserialize query parameters: ${words}`)

/** Every complaint that a test may want, in all three shapes. */
export const deepgramSays = {
  keyRejected: (): HttpAnswer => legacy(401, 'INVALID_AUTH', 'Invalid credentials.'),
  forbidden: {
    status: 403,
    body: {
      category: 'INSUFFICIENT_PERMISSIONS',
      message: 'User does not have sufficient permissions.',
      details: 'The key lacks the scope usage:write.',
      request_id: randomUUID(),
    },
  } as HttpAnswer,
  quota: (): HttpAnswer =>
    legacy(
      402,
      'ASR_PAYMENT_REQUIRED',
      'Project does not have enough credits for an ASR request and does not have an overage agreement.',
    ),
  undecodable: (): HttpAnswer =>
    legacy(400, 'Bad Request', 'Bad Request: failed to process audio: corrupt or unsupported data'),
  noSuchModel: (): HttpAnswer =>
    legacy(400, 'Bad Request', 'Bad Request: No such model/language/tier combination found.'),
  tooLarge: { status: 413, body: 'Payload Too Large' } as HttpAnswer,
  unprocessable: {
    status: 422,
    body: {
      category: 'UNPROCESSABLE_ENTITY',
      message: 'The request was well-formed but could not be processed.',
      details: 'The audio stream has no samples.',
      request_id: randomUUID(),
    },
  } as HttpAnswer,
  rateLimited: (): HttpAnswer => legacy(429, 'TOO_MANY_REQUESTS', 'Too many requests. Please try again later'),
  slowUpload: {
    status: 408,
    body: { err_code: 'SLOW_UPLOAD', err_msg: 'Timeout: upload took too long.' },
  } as HttpAnswer,
  unavailable: { status: 503, body: 'Service Unavailable' } as HttpAnswer,
  processingTooLong: { status: 504, body: 'Gateway Timeout' } as HttpAnswer,
} as const
