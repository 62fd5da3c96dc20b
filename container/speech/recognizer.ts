import { access } from 'node:fs/promises'
import { retry } from '../../domain/retry.ts'
import { checkModel, EngineUnavailable, verifyModel } from './model.ts'
import {
  RecognizerDied,
  type RecognizerProcess,
  type SpeechSettings,
  startRecognizerProcess,
} from './recognizer-process.ts'
import {
  type RecognizedRecording,
  type RecognizeOptions,
  type RecognizePiece,
  type RecordingPiece,
  recognizeRecording,
} from './recording.ts'

/**
 * The built-in speech recognition: one process that keeps the model in memory and recognizes one recording at a
 * time. The process starts on first use or by `warm`, and again after it has died. The model's digests are verified
 * before every start.
 */
export interface Recognizer {
  /** true, or the reason why the engine is unavailable. */
  health(): Promise<true | string>
  warm(): Promise<void>
  recognize(
    pieces: Iterable<RecordingPiece> | AsyncIterable<RecordingPiece>,
    options: RecognizeOptions,
  ): Promise<RecognizedRecording>
  stop(): void
  /** Of the process with the model, while it runs. */
  readonly pid: number | undefined
}

export const createRecognizer = (settings: SpeechSettings): Recognizer => {
  let starting: Promise<RecognizerProcess> | null = null
  let running: RecognizerProcess | null = null
  let startError: string | null = null
  let stopped = false
  let queue: Promise<unknown> = Promise.resolve()

  const ensureRunning = (): Promise<RecognizerProcess> => {
    if (stopped) throw new EngineUnavailable('the speech engine was stopped')
    if (running?.alive) return Promise.resolve(running)
    starting ??= start().finally(() => {
      starting = null
    })
    return starting
  }
  const start = async (): Promise<RecognizerProcess> => {
    try {
      await verifyModel(settings.modelDir)
      running = await startRecognizerProcess(settings)
    } catch (error) {
      startError = reasonOf(error)
      throw error instanceof EngineUnavailable ? error : new EngineUnavailable(startError, { cause: error })
    }
    startError = null
    if (stopped) running.stop()
    return running
  }
  /** If the process dies, the piece is retried once in a new process. */
  const recognizePiece: RecognizePiece = async (request) => {
    const { signal } = request
    const isRetryable = (error: unknown) => error instanceof RecognizerDied
    try {
      return await retry(async () => (await ensureRunning()).recognize(request), { attempts: 2, isRetryable, signal })
    } catch (error) {
      throw error instanceof RecognizerDied ? new EngineUnavailable(error.message, { cause: error }) : error
    }
  }

  return {
    health: async () => {
      if (startError) return startError
      if (running?.alive) return true
      return checkInstallation(settings).then(() => true, reasonOf)
    },
    warm: async () => {
      await ensureRunning()
    },
    recognize: (pieces, options) => {
      const turn = queue.then(() => recognizeRecording(pieces, options, recognizePiece))
      queue = turn.catch(() => {})
      return untilAborted(turn, options.signal)
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

const checkInstallation = async ({ python, modelDir }: SpeechSettings): Promise<void> => {
  await checkModel(modelDir)
  await access(python).catch((cause) => {
    throw new EngineUnavailable(`the speech engine is not set up: ${python} is missing`, { cause })
  })
}

const reasonOf = (error: unknown): string =>
  error instanceof EngineUnavailable ? error.reason : `the speech engine did not start: ${String(error)}`

/** An abort rejects at once. The next recording still waits until the process has noticed the cancel. */
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
