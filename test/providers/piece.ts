import type { ProviderPiece } from '../../worker/speech/providers/provider.ts'
import type { Answer, Recognition } from '../../worker/speech/recognition.ts'
import { oggBytes } from './speech.ts'

/** A piece as the step would send it; a stream that comes in several chunks. */
export const pieceOf = (given: Partial<ProviderPiece> & { bytes?: Uint8Array<ArrayBuffer> } = {}): ProviderPiece => {
  const { bytes = oggBytes(), ...rest } = given
  return {
    audio: new Blob([bytes]).stream(),
    sizeBytes: bytes.byteLength,
    durationSeconds: 6,
    language: null,
    options: {},
    apiKey: 'no key',
    signal: AbortSignal.timeout(10_000),
    ...rest,
  }
}

export const resultOf = (answer: Answer): Recognition => {
  if (answer.state !== 'done') throw new Error(`Expected a result, got ${JSON.stringify(answer)}`)
  return answer.result
}
