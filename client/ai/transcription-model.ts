import type { JSONObject, TranscriptionModelV4, TranscriptionModelV4CallOptions } from '@ai-sdk/provider'
import { type Finished, Haul, type HaulOptions, type Source, type TranscriptionResult } from '../src/index.ts'
import { sdkErrorOf } from './errors.ts'
import { type HaulModelId, type HaulTranscriptionOptions, requestFields } from './request-fields.ts'
import { loadSettings } from './settings.ts'

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

const bytesOf = (audio: Uint8Array | string): Uint8Array<ArrayBuffer> =>
  typeof audio === 'string'
    ? Uint8Array.from(atob(audio), (character) => character.charCodeAt(0))
    : (audio as Uint8Array<ArrayBuffer>)

interface Timed {
  text: string
  start: number
  end: number
}

const timed = ({ text, start, end }: Timed) => ({ text, startSecond: start, endSecond: end })

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
    ...{ jobId, costInDollars, source, title, language },
    ...(providerService && { providerService }),
    ...(model && { model }),
    ...(translatedTo && { translatedTo }),
    ...(chapters && { chapters }),
    // One for each segment.
    ...(hasSpeakers && { speakers: data.segments.map(({ speaker }) => speaker ?? null) }),
  }
}
