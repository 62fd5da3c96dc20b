import type { SpeechModel } from '../../domain/protocol/protocol.ts'
import { retry } from '../../domain/retry.ts'
import type { SpeechSettings } from '../config.ts'
import { createModelChoice, recognizeWith } from './choose-model.ts'
import { createLoadedModels } from './loaded-models.ts'
import { checkPython, EngineUnavailable } from './model-folder.ts'
import { createModelList } from './model-list.ts'
import type { Model } from './models.ts'
import { oneAtATime } from './one-at-a-time.ts'
import {
  type RecognizeRequest,
  RecognizerDied,
  type RecognizerProcess,
  startRecognizerProcess,
} from './recognizer-process.ts'
import { type Pieces, type RecognizedRecording, type RecognizeOptions, recognizeRecording } from './recording.ts'

export type Recognizer = ReturnType<typeof createRecognizer>

/** What tests replace. */
export interface RecognizerParts {
  startProcess: typeof startRecognizerProcess
  availableBytes: () => number
  /** In milliseconds. */
  now: () => number
}

const realParts: RecognizerParts = {
  startProcess: startRecognizerProcess,
  availableBytes: () => process.availableMemory(),
  now: () => performance.now(),
}

/** It recognizes one recording at a time, with any of the models. Each is loaded when it is first used, or by `warm`. */
export const createRecognizer = (settings: SpeechSettings, parts: Partial<RecognizerParts> = {}) => {
  const { startProcess, availableBytes, now } = { ...realParts, ...parts }
  const loaded = createLoadedModels({ start: (model) => startProcess(settings, model), availableBytes })
  const speeds = createSpeeds()
  const inTurn = oneAtATime()
  const list = createModelList(settings)

  /** Which may detect the language, or hear it instead. What is loaded needs no time to be. */
  const othersFor = async ({ languages }: Model): Promise<Model[]> => {
    if (languages === 'all') return []
    const [byDefault, ...others] = (await list.look()).map(({ model }) => model)
    const usable = others.flatMap((model) => model ?? [])
    const [ready, unready] = [usable.filter(loaded.isLoaded), usable.filter((model) => !loaded.isLoaded(model))]
    return [...(byDefault ? [byDefault] : []), ...ready, ...unready]
  }

  /** If the process dies, the piece is retried once in a new process. */
  const inProcess = async <T>(model: Model, signal: AbortSignal, work: (process: RecognizerProcess) => Promise<T>) => {
    const isRetryable = (error: unknown) => error instanceof RecognizerDied
    try {
      return await retry(async () => work(await loaded.use(model)), { attempts: 2, isRetryable, signal })
    } catch (error) {
      throw error instanceof RecognizerDied ? new EngineUnavailable(error.message, { cause: error }) : error
    }
  }
  const recognizePiece = (model: Model, request: RecognizeRequest) =>
    inProcess(model, request.signal, async (process) => {
      const startedAt = now()
      const words = await process.recognize(request)
      speeds.add(model, words.consumedSamples / SAMPLES_PER_SECOND, (now() - startedAt) / 1_000)
      return words
    })
  const recognize = async (pieces: Pieces, options: RecognizeOptions): Promise<RecognizedRecording> => {
    const { signal } = options
    const asked = await list.get(options.model)
    const choose = createModelChoice(asked, await othersFor(asked), (detector, samples) =>
      inProcess(detector, signal, (process) => process.detect(samples, signal)),
    )
    return recognizeRecording(pieces, options, recognizeWith(choose, recognizePiece))
  }

  return {
    /** true, or the reason why a model cannot be used. */
    health: async (): Promise<true | string> => {
      const problems = (await list.look()).map(({ name, folder, problem }) => {
        const reason = loaded.problemOf(folder) ?? problem
        return reason && name !== null ? `${name}: ${reason}` : reason
      })
      return (
        problems.find(Boolean) ??
        checkPython(settings.python).then(
          () => true as const,
          ({ reason }: EngineUnavailable) => reason,
        )
      )
    },
    /** What the last look has found; undefined before the first. Looks again, for the next question. */
    models: (): SpeechModel[] | undefined => {
      list.look().catch(() => {})
      return list.found?.map((model) => ({ ...model, speed: speeds.of(model.name) }))
    },
    warm: async (name?: string): Promise<void> => loaded.warm(await list.get(name)),
    recognize: (pieces: Pieces, options: RecognizeOptions): Promise<RecognizedRecording> =>
      inTurn(() => recognize(pieces, options), options.signal),
    stop: loaded.stop,
    /** The process with the model that was used last, while it runs. */
    get pid() {
      return loaded.pid
    },
  }
}

const SAMPLES_PER_SECOND = 16_000

/** How many seconds of recordings each model has heard in a second, since the start of this container. */
const createSpeeds = () => {
  const sums = new Map<string, { heard: number; spent: number }>()
  return {
    add: ({ name }: Model, heard: number, spent: number): void => {
      const before = sums.get(name) ?? { heard: 0, spent: 0 }
      sums.set(name, { heard: before.heard + heard, spent: before.spent + spent })
    },
    of: (name: string): number | null => {
      const { heard, spent } = sums.get(name) ?? { heard: 0, spent: 0 }
      return heard > 0 && spent > 0 ? Math.max(0.1, Math.round((heard / spent) * 10) / 10) : null
    },
  }
}
