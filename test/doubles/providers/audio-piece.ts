import { join } from '../../../domain/words/writing.ts'
import type { ProviderPieceRequest } from '../../../worker/speech/providers/provider.ts'
import type { ProviderResult, RecognizedAudio } from '../../../worker/speech/recognition.ts'
import { oggBytes } from './speech.ts'

/** A piece as the recognize step passes it to a provider. */
export const pieceOf = (
  given: Partial<ProviderPieceRequest> & { bytes?: Uint8Array<ArrayBuffer> } = {},
): ProviderPieceRequest => {
  const { bytes = oggBytes(), ...rest } = given
  return {
    audio: new Blob([bytes]).stream(),
    sizeBytes: bytes.byteLength,
    durationSeconds: 6,
    language: null,
    options: {},
    words: false,
    speakers: null,
    apiKey: 'no key',
    signal: AbortSignal.timeout(10_000),
    ...rest,
  }
}

/** With all that was heard as one text. */
export const resultOf = (result: ProviderResult): RecognizedAudio & { text: string } => {
  if (result.state !== 'done') throw new Error(`Expected a result, got ${JSON.stringify(result)}`)
  return { ...result.result, text: join(result.result.segments.map(({ text }) => text)) }
}
