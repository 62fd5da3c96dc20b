import type { AudioOrder, StepOrder } from '../../domain/protocol/protocol.ts'
import type { Recognizer } from '../speech/recognizer.ts'
import type { SpeakerFinder } from '../speech/speakers.ts'
import { prepareAudioWith } from './audio.ts'
import { findCaptions } from './captions.ts'
import { fetchMedia } from './fetch.ts'
import { recognizeWith } from './recognize.ts'
import { orFromStorage, type StepFunction } from './step.ts'
import type { InTurn } from './turns.ts'

type Steps = { [Name in StepOrder['step']]: StepFunction<Extract<StepOrder, { step: Name }>> }

export const createSteps = (recognizer: Recognizer, speakers: SpeakerFinder, inTurn: InTurn) => {
  const prepareAudio = prepareAudioWith(speakers)
  /** The speech engine loads its model while the audio for it is still being downloaded. */
  const prepareAudioAndWarmUp: StepFunction<AudioOrder> = (order, context) => {
    // If the engine is unavailable, the recognize step reports it.
    const { encoding, model } = order.pieces
    if (encoding === 'samples') recognizer.warm(model).catch(() => {})
    return prepareAudio(order, context)
  }
  const steps: Steps = {
    fetch: inTurn(fetchMedia),
    captions: inTurn(orFromStorage(findCaptions)),
    audio: inTurn(orFromStorage(prepareAudioAndWarmUp)),
    recognize: recognizeWith(recognizer),
  }
  return <Order extends StepOrder>(order: Order): StepFunction<Order> => steps[order.step] as StepFunction<Order>
}
