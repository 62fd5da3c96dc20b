import type { AudioOrder, StepOrder } from '../protocol.ts'
import type { Recognizer } from '../speech/engine/recognizer.ts'
import { prepareSound } from './audio.ts'
import { findCaptions } from './captions.ts'
import { fetchMedia } from './fetch.ts'
import { recognizeWith } from './recognize.ts'
import type { Step } from './step.ts'

type Steps = { [Name in StepOrder['step']]: Step<Extract<StepOrder, { step: Name }>> }

/** Every step that an order can ask for. */
export const createSteps = (recognizer: Recognizer) => {
  /** The engine loads its model while the sound that it will hear still arrives. */
  const prepareSoundFor: Step<AudioOrder> = (order, context) => {
    // Where it can't, the step that needs it says so.
    if (order.pieces.encoding === 'samples') recognizer.warm().catch(() => {})
    return prepareSound(order, context)
  }
  const steps: Steps = {
    fetch: fetchMedia,
    captions: findCaptions,
    audio: prepareSoundFor,
    recognize: recognizeWith(recognizer),
  }
  return <Order extends StepOrder>(order: Order): Step<Order> => steps[order.step] as Step<Order>
}
