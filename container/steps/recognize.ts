import type { RecognizeOrder } from '../../domain/protocol/protocol.ts'
import { withoutWords } from '../../domain/words/segment.ts'
import { type Turn, Turns } from '../../domain/words/speaker-turns.ts'
import { storedTranscript, TRANSCRIPT_TYPE } from '../../domain/words/transcript-body.ts'
import { SourceFailure } from '../failures.ts'
import type { Recognizer } from '../speech/recognizer.ts'
import type { RecognizedRecording } from '../speech/recording.ts'
import { uploadText, type WorkerClient } from '../worker-client.ts'
import { ifAvailable, type StepContext, type StepFunction } from './step.ts'

export const recognizeWith =
  (recognizer: Pick<Recognizer, 'recognize'>): StepFunction<RecognizeOrder> =>
  async (order, context) => {
    const recognized = await recognize(recognizer, order, context)
    const { language, languageProbability, segments, durationSeconds, model } = recognized
    if (segments.length === 0) throw new SourceFailure('NO_SPEECH')
    const facts = {
      durationSeconds,
      language: language ?? order.language ?? 'und',
      ...(languageProbability !== null && { languageProbability }),
      ...(model !== null && { model }),
      ...(order.vocabulary && { vocabulary: true }),
    }
    const { body, endSeconds, ...stored } = storedTranscript(order.words ? segments : segments.map(withoutWords))
    const transcript = await uploadText(body, { kind: 'transcript', contentType: TRANSCRIPT_TYPE }, context)
    return { step: 'recognize', transcript, facts: { ...facts, ...stored } }
  }

const recognize = async (
  recognizer: Pick<Recognizer, 'recognize'>,
  { pieces, model, language, translate, vocabulary, turns: stored }: RecognizeOrder,
  context: StepContext,
): Promise<RecognizedRecording> => {
  const { progress, worker, signal } = context
  const [first, last] = [pieces[0], pieces.at(-1)]
  const startSeconds = first?.offsetSeconds ?? 0
  const wholeSeconds = last ? last.offsetSeconds + last.durationSeconds - startSeconds : 0
  const onProgress = (until: number) => {
    const seconds = until - startSeconds
    progress.set({ percent: Math.min(99, Math.floor((seconds / Math.max(seconds, wholeSeconds)) * 100)) })
  }
  progress.set({ stage: 'recognizing', percent: 0 })
  const turns = stored ? turnsIn(await worker.get(stored.url, stored.sizeBytes, signal)) : []
  const options = { model, language, translate: translate !== undefined, vocabulary, turns, signal, onProgress }
  return ifAvailable(recognizer.recognize(downloadPieces(pieces, worker, signal), options), noEngine, context)
}

const noEngine = { event: 'speech engine unavailable', reason: 'no speech engine', code: 'SPEECH_UNAVAILABLE' } as const

const turnsIn = (bytes: Uint8Array): Turn[] => Turns.parse(JSON.parse(Buffer.from(bytes).toString('utf8'))).turns

/** Downloads the next piece while one is being recognized. At most these two are in memory. */
async function* downloadPieces(pieces: RecognizeOrder['pieces'], worker: WorkerClient, signal: AbortSignal) {
  const start = (index: number): Promise<Uint8Array> | null => {
    const piece = pieces[index]
    const download = piece ? worker.get(piece.url, piece.sizeBytes, signal) : null
    // Prevents an unhandled rejection if the step ends before this piece is used.
    download?.catch(() => {})
    return download
  }
  let next = start(0)
  for (const [index, { offsetSeconds }] of pieces.entries()) {
    const samples = await next
    next = start(index + 1)
    if (samples) yield { offsetSeconds, samples }
  }
}
