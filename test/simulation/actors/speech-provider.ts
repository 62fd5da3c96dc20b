import type { Faults } from '../faults/faults.ts'
import type { HttpResponse } from '../platform/http-message.ts'
import { sleep } from '../sleep.ts'

export const PROVIDER_HOST = 'api.deepgram.com'
export const PROVIDER_KEY = 'the-key-of-a-caller-0001'

const SECONDS = 60

/** A speech provider that answers in the same request: with words, with an error, or with a limit. */
export class SpeechProvider {
  /** Requests that it has answered with words, which callers pay for. */
  answered = 0
  readonly #faults: Faults

  constructor(faults: Faults) {
    this.#faults = faults
  }

  readonly handle = async (): Promise<HttpResponse> => {
    await sleep(this.#faults.happens('provider slow') ? this.#faults.between('provider slow', 10_000, 90_000) : 2_000)
    if (this.#faults.happens('provider fails')) {
      const status = [429, 500, 503][this.#faults.between('provider fails', 0, 2)] ?? 500
      return {
        status,
        headers: { 'content-type': 'application/json', 'retry-after': '5' },
        body: '{"err_msg":"simulated"}',
      }
    }
    this.answered += 1
    const words = [{ word: 'simulated', start: 0, end: 1, confidence: 1 }]
    const transcript = 'simulated'
    const body = {
      metadata: { duration: SECONDS },
      results: {
        channels: [{ detected_language: 'en', alternatives: [{ transcript, words }] }],
        utterances: [{ start: 0, end: 1, transcript, words }],
      },
    }
    return { status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
  }
}
