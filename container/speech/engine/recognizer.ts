import { access } from 'node:fs/promises'
import { type Child, ChildDied, type ChildOptions, startChild } from './child.ts'
import { checkModel, verifyModel } from './model.ts'
import { type Hear, type Piece, type Recognition, type RecognizeOptions, recognizeRecording } from './recording.ts'
import { EngineUnavailable } from './unavailable.ts'

/**
 * The local speech engine: one process with the model in memory, kept warm, one recording at a time. It is
 * started at the first need (or by `warm`), and anew when it has died. Its weights are compared with their
 * digests before every start.
 */
export interface Recognizer {
  /** true, or a sentence that says why nothing can be recognized. */
  health(): Promise<true | string>
  warm(): Promise<void>
  recognize(pieces: Iterable<Piece> | AsyncIterable<Piece>, options: RecognizeOptions): Promise<Recognition>
  stop(): void
  /** Of the process that holds the model, while there is one. */
  readonly pid: number | undefined
}

/** How long the pieces should be that this engine is fed with: two batches, and 8 MB. */
export const LOCAL_PIECE_SECONDS = 240

export const createRecognizer = (options: ChildOptions): Recognizer => {
  let starting: Promise<Child> | null = null
  let running: Child | null = null
  let problem: string | null = null
  let stopped = false
  let queue: Promise<unknown> = Promise.resolve()

  const ensure = (): Promise<Child> => {
    if (stopped) throw new EngineUnavailable('the speech engine was stopped')
    if (running?.alive) return Promise.resolve(running)
    starting ??= begin().finally(() => {
      starting = null
    })
    return starting
  }
  const begin = async (): Promise<Child> => {
    try {
      await verifyModel(options.modelDir)
      running = await startChild(options)
    } catch (error) {
      problem = sentenceOf(error)
      throw error instanceof EngineUnavailable ? error : new EngineUnavailable(problem, { cause: error })
    }
    problem = null
    if (stopped) running.stop()
    return running
  }
  /** A process that dies takes one piece with it; the piece gets one more chance in a new one. */
  const hear: Hear = async (piece) => {
    const hearOnce = async () => (await ensure()).recognize(piece)
    try {
      return await hearOnce().catch((error) => {
        if (error instanceof ChildDied) return hearOnce()
        throw error
      })
    } catch (error) {
      throw error instanceof ChildDied ? new EngineUnavailable(error.message, { cause: error }) : error
    }
  }

  return {
    health: async () => {
      if (problem) return problem
      if (running?.alive) return true
      return examine(options).then(() => true, sentenceOf)
    },
    warm: async () => {
      await ensure()
    },
    recognize: (pieces, order) => {
      const turn = queue.then(() => recognizeRecording(pieces, order, hear))
      queue = turn.catch(() => {})
      return untilAborted(turn, order.signal)
    },
    stop: () => {
      stopped = true
      running?.stop()
    },
    get pid() {
      return running?.alive ? running.pid : undefined
    },
  }
}

const examine = async ({ python, modelDir }: ChildOptions): Promise<void> => {
  await checkModel(modelDir)
  await access(python).catch((cause) => {
    throw new EngineUnavailable(`the speech engine is not set up: ${python} is missing`, { cause })
  })
}

const sentenceOf = (error: unknown): string =>
  error instanceof EngineUnavailable ? error.reason : `the speech engine did not start: ${String(error)}`

/** Who cancels need not wait for the engine to notice; the next in the queue does. */
const untilAborted = async <T>(turn: Promise<T>, signal: AbortSignal): Promise<T> => {
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const abort = () => reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  if (signal.aborted) abort()
  try {
    return await Promise.race([turn, aborted])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
