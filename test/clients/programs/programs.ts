import { field, file, type ProgramRequest } from './form.ts'

/** What a program sends when its settings name Haul: the lines of the page, and the request that its source makes of them. */
export interface Program {
  settings: (url: string, apiKey: string) => Record<string, string>
  request: (settings: Record<string, string>, audio: Audio) => ProgramRequest
}

/** One recording in the formats that programs send. */
export interface Audio {
  wav: Buffer
  mp3: Buffer
  webm: Buffer
  /** 16 kHz, mono, 16 bits, without a header. */
  pcm: Buffer
}

/** python-requests writes fields before files, and no type of a file whose type it is not told. */
const requestsHeaders = {
  'User-Agent': 'python-requests/2.32.3',
  'Accept-Encoding': 'gzip, deflate, br',
  Accept: '*/*',
  Connection: 'keep-alive',
}
const requestsBoundary = '3a9f0c1b7d2e4f5a8b6c9d0e1f2a3b4c'

const axiosHeaders = {
  Accept: 'application/json, text/plain, */*',
  'User-Agent': 'axios/1.12.2',
  'Accept-Encoding': 'gzip, compress, deflate, br',
}
const formDataBoundary = '--------------------------487201936450127738219064'

/** open-webui/open-webui backend/open_webui/routers/audio.py at 6adde203cd292a9e3af9c64a2ae36b603fed096a */
const openWebui: Program = {
  settings: (url, apiKey) => ({
    AUDIO_STT_ENGINE: 'openai',
    AUDIO_STT_OPENAI_API_BASE_URL: `${url}/v1`,
    AUDIO_STT_OPENAI_API_KEY: apiKey,
    AUDIO_STT_MODEL: 'whisper-1',
  }),
  request: (settings, { wav }) => ({
    method: 'POST',
    url: `${settings.AUDIO_STT_OPENAI_API_BASE_URL}/audio/transcriptions`,
    headers: {
      ...requestsHeaders,
      Authorization: `Bearer ${settings.AUDIO_STT_OPENAI_API_KEY}`,
      'Content-Type': `multipart/form-data; boundary=${requestsBoundary}`,
    },
    form: {
      boundary: requestsBoundary,
      parts: [
        field('model', settings.AUDIO_STT_MODEL ?? ''),
        field('language', 'en'),
        file('file', '5d0b1a36-2f57-4f0c-9d3e-5b6f3d1f2a77.wav', null, wav),
      ],
    },
  }),
}

/**
 * Mintplex-Labs/anything-llm server/utils/SpeechToText/openAiGeneric/index.js at 4cb4bb28df5fb7b9cb06e8e1cead8fee62205cee.
 * It sends with version 4 of OpenAI's package, whose form-data-encoder writes the form.
 */
const anythingLlm: Program = {
  settings: (url, apiKey) => ({
    STT_PROVIDER: 'generic-openai',
    STT_OPEN_AI_COMPATIBLE_ENDPOINT: `${url}/v1`,
    STT_OPEN_AI_COMPATIBLE_KEY: apiKey,
    STT_OPEN_AI_COMPATIBLE_MODEL: 'whisper-1',
  }),
  request: (settings, { webm }) => ({
    method: 'POST',
    url: `${settings.STT_OPEN_AI_COMPATIBLE_ENDPOINT}/audio/transcriptions`,
    headers: {
      'Content-Type': 'multipart/form-data; boundary=form-data-boundary-7fkq2mzr9wx1c0vd',
      Accept: 'application/json',
      'User-Agent': 'OpenAI/JS 4.104.0',
      'X-Stainless-Lang': 'js',
      'X-Stainless-Package-Version': '4.104.0',
      'X-Stainless-Retry-Count': '0',
      Authorization: `Bearer ${settings.STT_OPEN_AI_COMPATIBLE_KEY}`,
    },
    form: {
      boundary: 'form-data-boundary-7fkq2mzr9wx1c0vd',
      parts: [
        file('file', 'audio.webm', 'application/octet-stream', webm),
        field('model', settings.STT_OPEN_AI_COMPATIBLE_MODEL ?? ''),
      ],
    },
    isChunked: true,
  }),
}

/**
 * danny-avila/LibreChat api/server/services/Files/Audio/STTService.js at 00b3bc32f0f5dd65befa49a0773dae7d26d8e587. It streams
 * the file, so axios does not know the length, and form-data takes the type from the name.
 */
const libreChat: Program = {
  settings: (url, apiKey) => ({ url: `${url}/v1/audio/transcriptions`, apiKey, model: 'whisper-1' }),
  request: ({ url = '', apiKey, model = '' }, { webm }) => ({
    method: 'POST',
    url,
    headers: {
      ...axiosHeaders,
      'Content-Type': `multipart/form-data; boundary=${formDataBoundary}`,
      Authorization: `Bearer ${apiKey}`,
    },
    form: {
      boundary: formDataBoundary,
      parts: [file('file', 'audio.webm', 'video/webm', webm), field('model', model), field('language', 'en')],
    },
    isChunked: true,
  }),
}

/** n8n-io/n8n packages/@n8n/nodes-langchain/nodes/vendors/OpenAi/v2/actions/audio/transcribe.operation.ts at 8bd7c56bab6a013467dc9a4ae1075de7618df05a */
const n8n: Program = {
  settings: (url, apiKey) => ({ 'API Key': apiKey, 'Base URL': `${url}/v1` }),
  request: (settings, { mp3 }) => ({
    method: 'POST',
    url: `${settings['Base URL']}/audio/transcriptions`,
    headers: {
      ...axiosHeaders,
      'content-type': `multipart/form-data; boundary=${formDataBoundary}`,
      Authorization: `Bearer ${settings['API Key']}`,
    },
    form: {
      boundary: formDataBoundary,
      parts: [
        field('model', 'whisper-1'),
        field('language', 'en'),
        field('temperature', '0.2'),
        file('file', 'talk.mp3', 'audio/mpeg', mp3),
      ],
    },
  }),
}

/** These programs send no header of a key, but take it in the address. */
const withKey = (url: string, apiKey: string): string => url.replace('://', `://haul:${apiKey}@`)

/**
 * morpheus65535/bazarr custom_libs/subliminal_patch/providers/whisperai.py at fe4043883f8943bdea2d38ad72d4a88cc873260d. It names
 * the file as python-requests does where it is given bytes: like the field.
 */
const bazarrRequest = (settings: Record<string, string>, path: string, { pcm }: Audio): ProgramRequest => ({
  method: 'POST',
  url: `${settings['Whisper ASR Docker Endpoint']}${path}`,
  headers: {
    ...requestsHeaders,
    'User-Agent': 'Subliminal/2.2.1',
    'Content-Type': `multipart/form-data; boundary=${requestsBoundary}`,
  },
  form: { boundary: requestsBoundary, parts: [file('audio_file', 'audio_file', null, pcm)] },
})

const bazarr: Program = {
  settings: (url, apiKey) => ({ 'Whisper ASR Docker Endpoint': withKey(url, apiKey) }),
  request: (settings, audio) =>
    bazarrRequest(settings, '/asr?task=transcribe&language=en&output=srt&encode=false', audio),
}

/** The same, before it asks for subtitles of a film whose language is not known. */
export const bazarrLanguage: Program = {
  settings: bazarr.settings,
  request: (settings, audio) => bazarrRequest(settings, '/detect-language?encode=false', audio),
}

/** murtaza-nasir/speakr src/services/transcription/connectors/asr_endpoint.py at 085dcba57f0d091566df11e6900e4c336d3684ab */
const speakr: Program = {
  settings: (url, apiKey) => ({ USE_ASR_ENDPOINT: 'true', ASR_BASE_URL: withKey(url, apiKey) }),
  request: (settings, { mp3 }) => ({
    method: 'POST',
    url: `${settings.ASR_BASE_URL}/asr?encode=true&task=transcribe&output=json&language=en&diarize=true&enable_diarization=true&min_speakers=1&max_speakers=2`,
    headers: {
      Accept: '*/*',
      'Accept-Encoding': 'gzip, deflate',
      Connection: 'keep-alive',
      'User-Agent': 'python-httpx/0.28.1',
      'Content-Type': 'multipart/form-data; boundary=6b1f0e2d3c4a5968778695a4b3c2d1e0',
    },
    form: {
      boundary: '6b1f0e2d3c4a5968778695a4b3c2d1e0',
      parts: [file('audio_file', 'talk.mp3', 'audio/mpeg', mp3)],
    },
  }),
}

/** By the names of the page. */
export const requestsOf: Record<string, Program> = {
  'Open WebUI': openWebui,
  AnythingLLM: anythingLlm,
  LibreChat: libreChat,
  n8n,
  Bazarr: bazarr,
  Speakr: speakr,
}

/**
 * SillyTavern/SillyTavern src/endpoints/openai.js at 00a72b5a71195ec03bab5a42c03655f6ebe672e3. Its address cannot be changed, so
 * it is not in the page, but it may be redirected.
 */
export const sillyTavern: Program = {
  settings: (url, apiKey) => ({ url: `${url}/v1/audio/transcriptions`, apiKey }),
  request: ({ url = '', apiKey }, { wav }) => ({
    method: 'POST',
    url,
    headers: {
      Authorization: `Bearer ${apiKey}`,
      'content-type': `multipart/form-data; boundary=${formDataBoundary}`,
      Accept: '*/*',
      'User-Agent': 'node-fetch',
      'Accept-Encoding': 'gzip, deflate, br',
    },
    form: {
      boundary: formDataBoundary,
      parts: [file('file', 'audio.wav', 'audio/wav', wav), field('model', 'whisper-1'), field('language', 'en')],
    },
    isChunked: true,
  }),
}
