import type { RecognizeOrder } from '../protocol.ts'
import { SourceFailure } from '../source/failure.ts'
import type { Recognizer } from '../speech/engine/recognizer.ts'
import type { Piece } from '../speech/engine/recording.ts'
import { EngineUnavailable } from '../speech/engine/unavailable.ts'
import type { Worker } from '../worker.ts'
import type { Step, StepContext } from './step.ts'
import { uploadTranscript } from './words/transcript.ts'

/** Turns the pieces that an `audio` step has left in storage into words. */
export const recognizeWith =
  (recognizer: Pick<Recognizer, 'recognize'>): Step<RecognizeOrder> =>
  async (order, context) => {
    const { language, segments, durationSeconds } = await recognize(recognizer, order, context)
    if (segments.length === 0) throw new SourceFailure('NO_SPEECH')
    const words = { segments, durationSeconds, language: language ?? order.language ?? 'und' }
    return { step: 'recognize', ...(await uploadTranscript(words, context)) }
  }

const recognize = async (
  recognizer: Pick<Recognizer, 'recognize'>,
  { pieces, language }: RecognizeOrder,
  { report, worker, signal, log }: StepContext,
) => {
  const last = pieces.at(-1)
  const endSeconds = last ? last.offsetSeconds + last.durationSeconds : 0
  const onProgress = (seconds: number) =>
    report.set({ percent: Math.min(99, Math.floor((seconds / Math.max(seconds, endSeconds)) * 100)) })
  report.set({ stage: 'recognizing', percent: 0 })
  try {
    return await recognizer.recognize(fetched(pieces, worker, signal), { language, signal, onProgress })
  } catch (error) {
    if (error instanceof EngineUnavailable) log('no speech engine', { reason: error.reason })
    throw error
  }
}

/** The next piece comes while one is being recognized; no more than these two are in memory. */
async function* fetched(pieces: RecognizeOrder['pieces'], worker: Worker, signal: AbortSignal): AsyncGenerator<Piece> {
  const fetch = (index: number): Promise<Uint8Array> | null => {
    const piece = pieces[index]
    const coming = piece ? worker.get(piece.url, piece.sizeBytes, signal) : null
    // Nobody may wait for it any more when it fails.
    coming?.catch(() => {})
    return coming
  }
  let coming = fetch(0)
  for (const [index, { offsetSeconds }] of pieces.entries()) {
    const samples = await coming
    coming = fetch(index + 1)
    if (samples) yield { offsetSeconds, samples }
  }
}
