import type { Recognizer } from '../../../container/speech/recognizer.ts'
import { recognizeWith } from '../../../container/steps/recognize.ts'
import { ORDER_VERSION, type RecognizeOrder, type Vocabulary } from '../../../domain/protocol/protocol.ts'
import { readStored } from '../../support/stored-transcript.ts'
import type { Behaviour } from './fake-worker.ts'
import { createStepHarness, resultOf } from './step-harness.ts'

interface Options {
  model?: string
  language?: string | null
  words?: boolean
  vocabulary?: Vocabulary
  limits?: { timeoutMs: number }
  behaviour?: Partial<Behaviour>
  engine?: Pick<Recognizer, 'recognize'>
}

/** Runs recognize steps for the tests of one file. `root` is the folder of the origin. */
export const createRecognizeHarness = (recognizer: () => Recognizer, root?: string) => {
  const web = createStepHarness(root)

  const start = (pieces: RecognizeOrder['pieces'], options: Options = {}) => {
    const { model, language = null, words, vocabulary, limits = {}, engine = recognizer(), ...rest } = options
    const asked = { ...(model && { model }), ...(words && { words }), ...(vocabulary && { vocabulary }) }
    const order = { pieces, language, limits, v: ORDER_VERSION, ...asked }
    return web.start<RecognizeOrder>('recognize', recognizeWith(engine), order, rest)
  }

  /** Stores consecutive pieces as an audio step does. */
  const storePieces = (...recordings: Buffer[]): RecognizeOrder['pieces'] => {
    let at = 0
    return recordings.map((samples) => {
      const offsetSeconds = at
      const durationSeconds = samples.length / 32_000
      at += durationSeconds
      return { url: web.fake.storeObject(samples), sizeBytes: samples.length, offsetSeconds, durationSeconds }
    })
  }

  const transcriptOf = async (pieces: RecognizeOrder['pieces'], options?: Options) => {
    await start(pieces, options)
    const { transcript, facts } = resultOf(web, 'recognize')
    return { ...readStored(web.fake.stored(transcript)), facts }
  }
  return { web, start, storePieces, transcriptOf }
}
