import {
  APICallError,
  InvalidArgumentError,
  type JSONObject,
  LoadAPIKeyError,
  LoadSettingError,
  type TranscriptionModelV4,
  type TranscriptionModelV4CallOptions,
} from '@ai-sdk/provider'
import { environment } from '../src/http/connection.ts'
import {
  type Finished,
  Haul,
  HaulApiError,
  HaulError,
  HaulJobError,
  type HaulOptions,
  type Segment,
  type Source,
  type TranscribeOptions,
  type TranscribeRequest,
  type TranscriptionResult,
} from '../src/index.ts'
import { transcribeOptionNames } from '../src/start-options.ts'

type ProviderName = Exclude<NonNullable<TranscribeRequest['provider']>, 'builtin'>

/** `haul-auto`, `haul-builtin`, or the name of a provider. */
export type HaulModelId = 'haul-auto' | 'haul-builtin' | ProviderName | (string & {})

/** What `providerOptions.haul` takes: the fields of `POST /transcribe` without the source. */
export type HaulTranscriptionOptions = Pick<TranscribeOptions, (typeof transcribeOptionNames)[number]>

type CallOptions = Omit<TranscriptionModelV4CallOptions, 'audio' | 'mediaType'>
type Result = Awaited<ReturnType<TranscriptionModelV4['doGenerate']>>

export const transcriptionModel = (modelId: HaulModelId, options: HaulOptions): TranscriptionModelV4 => {
  const transcribe = async (source: Source, call: CallOptions): Promise<Result> => {
    const fields = requestFields(modelId, call)
    const settings = loadSettings(options, call.headers)
    const timestamp = new Date()
    try {
      const job = { ...fields, signal: call.abortSignal, cancelOnAbort: true }
      const result = await new Haul(settings).transcribe(source, job)
      return { ...resultOf(result, fields), response: { timestamp, modelId } }
    } catch (error) {
      throw call.abortSignal?.aborted ? error : sdkErrorOf(error, `${settings.baseUrl}/transcribe`, fields)
    }
  }
  return {
    specificationVersion: 'v4',
    provider: 'haul',
    modelId,
    doGenerate: async ({ audio, mediaType, ...call }) =>
      transcribe({ file: new Blob([bytesOf(audio)], { type: mediaType }) }, call),
    // Haul fetches the URL itself: a page with a player will do, and nothing is downloaded here.
    doGenerateFromUrl: async ({ audio, ...call }) => transcribe(audio, call),
  }
}

/** The fields of the request. Options that the caller has set take precedence. */
const requestFields = (modelId: HaulModelId, call: CallOptions): HaulTranscriptionOptions => {
  const given = call.providerOptions?.haul ?? {}
  for (const name of Object.keys(given)) {
    if (transcribeOptionNames.some((known) => known === name)) continue
    const message = `providerOptions.haul has no field ${name}. It takes ${transcribeOptionNames.join(', ')}.`
    throw new InvalidArgumentError({ argument: 'providerOptions', message })
  }
  const words = call.timestampGranularities?.includes('word') ? { words: true } : {}
  return { ...fieldsOf(modelId), ...words, ...given }
}

const fieldsOf = (modelId: HaulModelId): HaulTranscriptionOptions => {
  if (modelId === 'haul-auto') return { mode: 'auto' }
  // The service refuses an unknown name, and lists the known ones.
  const provider = (modelId === 'haul-builtin' ? 'builtin' : modelId) as ProviderName
  return { mode: 'speech', provider }
}

const bytesOf = (audio: Uint8Array | string): Uint8Array<ArrayBuffer> =>
  typeof audio === 'string'
    ? Uint8Array.from(atob(audio), (character) => character.charCodeAt(0))
    : (audio as Uint8Array<ArrayBuffer>)

const timed = ({ text, start, end }: Pick<Segment, 'text' | 'start' | 'end'>) => ({
  text,
  startSecond: start,
  endSecond: end,
})

const resultOf = (
  result: Finished<TranscriptionResult>,
  { words = false }: HaulTranscriptionOptions,
): Omit<Result, 'response'> => {
  const { text, data, language, duration, wordsAvailable } = result
  const { segments } = data
  const hasWords = words && wordsAvailable
  const details = 'Captions, and some providers, have no times of words.'
  return {
    text,
    segments: segments.map(timed),
    ...(hasWords && { words: segments.flatMap((segment) => segment.words ?? []).map(timed) }),
    // The SDK wants a language without its region. providerMetadata has all of it.
    language: language === 'und' ? undefined : language.split('-')[0],
    durationInSeconds: duration,
    warnings: words && !hasWords ? [{ type: 'unsupported', feature: 'word timestamps', details }] : [],
    providerMetadata: { haul: metadataOf(result) },
  }
}

/** What the SDK has no place for. */
const metadataOf = ({ data, ...result }: Finished<TranscriptionResult>): JSONObject => {
  const { jobId, costInDollars, source, providerService, model, title, language, translatedTo, chapters } = result
  const hasSpeakers = data.segments.some(({ speaker }) => speaker !== undefined)
  return {
    jobId,
    costInDollars,
    source,
    title,
    language,
    ...(providerService && { providerService }),
    ...(model && { model }),
    ...(translatedTo && { translatedTo }),
    ...(chapters && { chapters }),
    // One for each segment.
    ...(hasSpeakers && { speakers: data.segments.map(({ speaker }) => speaker ?? null) }),
  }
}

/** Read with each call, because `haul` exists before a program has set its environment. */
const loadSettings = (
  options: HaulOptions,
  headers: Record<string, string | undefined> = {},
): HaulOptions & { baseUrl: string } => {
  const { HAUL_API_KEY, HAUL_URL } = environment() ?? {}
  const { apiKey = HAUL_API_KEY, baseUrl = HAUL_URL, fetch = globalThis.fetch } = options
  if (!apiKey) {
    throw new LoadAPIKeyError({ message: 'apiKey is missing: createHaul({ apiKey }), or the variable HAUL_API_KEY.' })
  }
  if (!baseUrl) {
    throw new LoadSettingError({ message: 'baseUrl is missing: createHaul({ baseUrl }), or the variable HAUL_URL.' })
  }
  return { ...options, apiKey, baseUrl, fetch: withHeaders(fetch, headers) }
}

/** The headers of the caller go to the service. The storage takes the parts of an upload with those that it has signed. */
const withHeaders =
  (fetch: typeof globalThis.fetch, headers: Record<string, string | undefined>): typeof globalThis.fetch =>
  (input, init) => {
    const own = new Headers(init?.headers)
    if (!own.has('authorization')) return fetch(input, init)
    for (const [name, value] of Object.entries(headers)) if (value !== undefined && !own.has(name)) own.set(name, value)
    return fetch(input, { ...init, headers: own })
  }

/**
 * The error of this package as the SDK knows it. It is never retryable: requests were tried again already, with one
 * Idempotency-Key, and the SDK would start a second job. The error of this package is its cause.
 */
const sdkErrorOf = (
  cause: unknown,
  url: string,
  { apiKey, ...requestBodyValues }: HaulTranscriptionOptions,
): unknown => {
  if (!(cause instanceof HaulError)) return cause
  const error = { message: messageOf(cause), url, requestBodyValues, cause, isRetryable: false }
  if (cause instanceof HaulJobError) {
    const { jobId, code, retryable, quote } = cause
    return new APICallError({ ...error, data: { jobId, code, retryable, quote } })
  }
  if (!(cause instanceof HaulApiError)) return new APICallError(error)
  const { status, body } = cause
  return new APICallError({ ...error, statusCode: status, responseBody: JSON.stringify(body), data: body })
}

const messageOf = (error: HaulError): string => {
  if (error instanceof HaulApiError) {
    return [error.message, ...error.details.map(({ path, message }) => `${path} ${message}.`)].join(' ')
  }
  if (!(error instanceof HaulJobError) || !/^MAX_COST_/.test(error.code)) return error.message
  const dollars = error.quote?.estimatedCostDollars
  const estimate = dollars === undefined ? '' : ` It will cost about $${dollars}.`
  return `${error.message}${estimate} Set providerOptions: { haul: { maxCostDollars } }.`
}
