import { type FakeProvider, type FakeResponse, type RequestWithBody, startFakeProvider } from './fake-provider.ts'
import { invalid, MAX_BODY_BYTES, openaiErrors, responseHeaders } from './openai-errors.ts'
import { bodyOf } from './openai-responses.ts'
import { defaultSpeech, isAudio, type Speech, sentencesIn } from './speech.ts'

export { openaiErrors }

/**
 * A fake of OpenAI's `POST /v1/audio/transcriptions`, written from its published API description and from bug
 * reports. It is stricter than the original in one respect: it refuses unknown fields.
 */
export const startOpenAI = async ({
  apiKey = 'sk-proj-fakefakefakefake0000',
  speech = defaultSpeech,
  models = Object.keys(knownModels),
}: {
  apiKey?: string
  speech?: Speech
  models?: string[]
} = {}): Promise<FakeProvider & { apiKey: string }> => ({
  ...(await startFakeProvider((request) => respond(request, { apiKey, speech, models }), '/v1')),
  apiKey,
})

interface Service {
  apiKey: string
  speech: Speech
  models: string[]
}

const knownModels: Record<string, string[]> = {
  'whisper-1': ['json', 'text', 'srt', 'verbose_json', 'vtt'],
  'gpt-4o-transcribe': ['json', 'text'],
  'gpt-4o-mini-transcribe': ['json', 'text'],
  'gpt-transcribe': ['json'],
  'gpt-4o-transcribe-diarize': ['json', 'text', 'diarized_json'],
}

/** A model of a compatible service is treated like whisper-1. */
const formatsOf = (model: string): string[] => knownModels[model] ?? knownModels['whisper-1'] ?? []

const fieldNames = new Set([
  'file',
  'model',
  'language',
  'prompt',
  'response_format',
  'temperature',
  'timestamp_granularities[]',
  'include[]',
  'stream',
  'chunking_strategy',
  'chunking_strategy[type]',
  'chunking_strategy[threshold]',
  'chunking_strategy[prefix_padding_ms]',
  'chunking_strategy[silence_duration_ms]',
  'known_speaker_names[]',
  'known_speaker_references[]',
])

const extensions = ['flac', 'm4a', 'mp3', 'mp4', 'mpeg', 'mpga', 'oga', 'ogg', 'wav', 'webm']

const respond = async (request: RequestWithBody, service: Service): Promise<FakeResponse> => {
  if (request.path !== '/v1/audio/transcriptions' || request.method !== 'POST')
    return invalid(404, `Invalid URL (${request.method} ${request.path})`, null, null)
  const key = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1]
  if (key !== service.apiKey) return openaiErrors.keyRejected(key ?? '')
  if (request.sizeBytes > MAX_BODY_BYTES) return openaiErrors.tooLarge(request.sizeBytes)
  let form: FormData
  try {
    const headers = { 'content-type': request.headers['content-type'] ?? '' }
    form = await new Response(new Uint8Array(request.body), { headers }).formData()
  } catch {
    return invalid(400, 'Could not parse multipart form', null, null)
  }
  request.fields = [...form].map(([name, value]) => [name, typeof value === 'string' ? value : `file ${value.name}`])
  return refusal(form, service) ?? (await transcription(form, service))
}

const refusal = (form: FormData, { models }: Service): FakeResponse | null => {
  const unknown = [...form.keys()].find((name) => !fieldNames.has(name))
  if (unknown) return invalid(400, `Unknown parameter: '${unknown}'.`, unknown, 'unknown_parameter')
  const file = form.get('file')
  const model = text(form, 'model')
  if (model === null) return invalid(400, 'you must provide a model parameter', null, null)
  if (!(file instanceof File))
    return invalid(400, "Missing required parameter: 'file'.", 'file', 'missing_required_parameter')
  if (!models.includes(model)) return openaiErrors.noSuchModel(model)
  return refusedFormat(form, model) ?? refusedHint(form, model) ?? refusedFile(file)
}

const refusedFormat = (form: FormData, model: string): FakeResponse | null => {
  const format = text(form, 'response_format') ?? 'json'
  const granularities = form.getAll('timestamp_granularities[]').map(String)
  if (!formatsOf(model).includes(format))
    return invalid(
      400,
      `response_format '${format}' is not compatible with model '${model}-api-ev3'. Use 'json' or 'text' instead.`,
      'response_format',
      'unsupported_value',
    )
  if (granularities.some((granularity) => granularity !== 'word' && granularity !== 'segment'))
    return invalid(400, "Invalid value for 'timestamp_granularities'.", 'timestamp_granularities', 'invalid_value')
  if (granularities.length > 0 && format !== 'verbose_json')
    return invalid(
      400,
      "timestamp_granularities are only supported with response_format 'verbose_json'.",
      'timestamp_granularities',
      'unsupported_value',
    )
  return null
}

const refusedHint = (form: FormData, model: string): FakeResponse | null => {
  const language = text(form, 'language')
  const temperature = Number(text(form, 'temperature') ?? 0)
  if (language !== null && !/^[a-z]{2}$/.test(language))
    return invalid(
      400,
      `Invalid language '${language}'. Language parameter must be specified in ISO-639-1 format.`,
      'language',
      'invalid_language_format',
    )
  if (!(temperature >= 0 && temperature <= 1))
    return invalid(400, "Invalid 'temperature': must be between 0 and 1.", 'temperature', 'invalid_value')
  if (!model.endsWith('-diarize')) return null
  if (form.has('prompt'))
    return invalid(400, 'Prompt is not supported for diarization models', 'prompt', 'unsupported_value')
  if (form.has('include[]'))
    return invalid(400, 'include is not supported for diarization models', 'include', 'unsupported_value')
  if (![...form.keys()].some((name) => name.startsWith('chunking_strategy')))
    return invalid(400, 'chunking_strategy is required for diarization models', 'chunking_strategy', null)
  return null
}

const refusedFile = (file: File): FakeResponse | null =>
  extensions.includes(file.name.split('.').at(-1)?.toLowerCase() ?? '')
    ? null
    : invalid(
        400,
        `Unrecognized file format. Supported formats: ${JSON.stringify(extensions)}`,
        'file',
        'invalid_value',
      )

const transcription = async (form: FormData, service: Service): Promise<FakeResponse> => {
  const bytes = new Uint8Array(await (form.get('file') as File).arrayBuffer())
  if (!isAudio(bytes)) return openaiErrors.undecodable
  const language = text(form, 'language')
  const sentences = sentencesIn(service.speech, { bytes, language })
  const format = text(form, 'response_format') ?? 'json'
  return { status: 200, headers: responseHeaders(), body: bodyOf(format, sentences, form, language) }
}

const text = (form: FormData, name: string): string | null => {
  const value = form.get(name)
  return typeof value === 'string' ? value : null
}
