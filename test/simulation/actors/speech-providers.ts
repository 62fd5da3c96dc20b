import type { ProviderSlot } from '../../../domain/jobs/providers.ts'
import type { Faults } from '../faults/faults.ts'
import { type HttpRequest, type HttpResponse, jsonResponse } from '../platform/http-message.ts'
import { sleep } from '../sleep.ts'

export const PROVIDER_KEY = 'the-key-of-a-caller-0001'
/** One that its service does not take. */
export const REJECTED_KEY = 'the-key-of-a-caller-0002'
export const providerSlots: ProviderSlot[] = ['provider_a', 'provider_b', 'provider_c']

const SECONDS = 60
const TEXT = 'simulated'
/** Of AssemblyAI's clock: when its transcripts are ready. */
const WORK_MS = 8_000

interface Transcript {
  readyAt: number
  isDeleted: boolean
}

/**
 * The three services behind provider_a to provider_c. OpenAI and Deepgram answer in the same request; AssemblyAI takes the
 * audio, then the order, and is asked again until the words are there.
 */
export class SpeechProviders {
  /** Pieces that were recognized, which callers pay for. */
  recognized = 0
  readonly #faults: Faults
  readonly #transcripts = new Map<string, Transcript>()

  constructor(faults: Faults) {
    this.#faults = faults
  }

  /** By host. */
  readonly handlers = {
    'api.openai.com': (request: HttpRequest) => this.#answerOrFail(request, 2_000, () => this.#recognize(openAiAnswer)),
    'api.deepgram.com': (request: HttpRequest) =>
      this.#answerOrFail(request, 2_000, () => this.#recognize(deepgramAnswer)),
    'api.assemblyai.com': (request: HttpRequest) => this.#answerOrFail(request, 300, () => this.#assemblyAi(request)),
  }

  async #answerOrFail({ headers }: HttpRequest, ms: number, answer: () => HttpResponse): Promise<HttpResponse> {
    await sleep(this.#faults.happens('provider slow') ? this.#faults.between('provider slow', 10_000, 90_000) : ms)
    if (headers.get('authorization')?.endsWith(REJECTED_KEY)) return jsonResponse(401, { error: TEXT, err_msg: TEXT })
    if (!this.#faults.happens('provider fails')) return answer()
    const status = [429, 500, 503][this.#faults.between('provider fails', 0, 2)] ?? 500
    return jsonResponse(status, { error: TEXT, err_msg: TEXT }, { 'retry-after': '5' })
  }

  #recognize(answer: object): HttpResponse {
    this.recognized += 1
    return jsonResponse(200, answer)
  }

  #assemblyAi({ method, url }: HttpRequest): HttpResponse {
    const [, , resource = '', id = '', part] = url.pathname.split('/')
    if (resource === 'upload') return jsonResponse(200, { upload_url: 'https://cdn.assemblyai.com/upload/1' })
    if (method === 'POST') {
      const created = `transcript-${this.#transcripts.size}`
      this.#transcripts.set(created, { readyAt: Date.now() + WORK_MS, isDeleted: false })
      return this.#recognize({ id: created, status: 'queued' })
    }
    const transcript = this.#transcripts.get(id)
    if (!transcript) return jsonResponse(404, { error: 'Transcript not found' })
    if (method === 'DELETE') transcript.isDeleted = true
    if (part === 'sentences') return jsonResponse(200, { sentences: [{ start: 0, end: 1_000, text: TEXT, words: [] }] })
    const status = transcript.readyAt <= Date.now() ? 'completed' : 'processing'
    const audio_url = transcript.isDeleted ? 'http://deleted_by_user' : 'https://cdn.assemblyai.com/upload/1'
    return jsonResponse(200, { id, status, text: TEXT, audio_url, audio_duration: SECONDS, language_code: 'en' })
  }
}

const openAiAnswer = {
  ...{ text: TEXT, language: 'english', duration: SECONDS },
  segments: [{ start: 0, end: 1, text: TEXT }],
}

const words = [{ word: TEXT, start: 0, end: 1, confidence: 1 }]

const deepgramAnswer = {
  metadata: { duration: SECONDS },
  results: {
    channels: [{ detected_language: 'en', alternatives: [{ transcript: TEXT, words }] }],
    utterances: [{ start: 0, end: 1, transcript: TEXT, words }],
  },
}
