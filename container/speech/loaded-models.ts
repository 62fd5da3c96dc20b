import { EngineUnavailable, reasonOf } from './model-folder.ts'
import type { ModelType } from './model-types.ts'
import type { Model } from './models.ts'
import type { RecognizerProcess } from './recognizer-process.ts'

/**
 * A process for each model that is in memory. Before another is loaded, those that were used longest ago are stopped until
 * there is enough memory. Only one is used at a time, and never while another is loaded for use.
 */
export const createLoadedModels = ({
  start,
  availableBytes,
}: {
  start: (model: Model) => Promise<RecognizerProcess>
  /** Memory that no program needs now. */
  availableBytes: () => number
}) => {
  /** By their folders: what was used longest ago is first. */
  const running = new Map<string, RecognizerProcess>()
  const starting = new Map<string, Promise<RecognizerProcess>>()
  const problems = new Map<string, string>()
  let stopped = false

  const use = (model: Model): Promise<RecognizerProcess> => {
    if (stopped) throw new EngineUnavailable('the speech engine was stopped')
    const { folder } = model
    const known = running.get(folder)
    if (known?.alive) {
      running.delete(folder)
      running.set(folder, known)
      return Promise.resolve(known)
    }
    const begun = starting.get(folder) ?? load(model).finally(() => starting.delete(folder))
    starting.set(folder, begun)
    return begun
  }

  const load = async (model: Model): Promise<RecognizerProcess> => {
    const { folder } = model
    running.delete(folder)
    await makeRoom(model)
    try {
      const process = await start(model)
      running.set(folder, process)
      problems.delete(folder)
      if (stopped) void process.stop()
      return process
    } catch (error) {
      const reason = reasonOf(error, 'the speech engine did not start')
      problems.set(folder, reason)
      throw error instanceof EngineUnavailable ? error : new EngineUnavailable(reason, { cause: error })
    }
  }

  const isRoomFor = (model: Model): boolean => availableBytes() >= neededBytes(model)

  const makeRoom = async (model: Model): Promise<void> => {
    for (const [folder, process] of running) {
      if (isRoomFor(model)) return
      running.delete(folder)
      await process.stop()
    }
  }

  return {
    use,
    /** Before it is needed, so that no other is stopped for it: that may be in use. */
    warm: async (model: Model): Promise<void> => {
      if (running.size === 0 || running.get(model.folder)?.alive || isRoomFor(model)) await use(model)
    },
    isLoaded: ({ folder }: Model): boolean => running.get(folder)?.alive ?? false,
    /** Why it could not be loaded when that was tried last. */
    problemOf: (folder: string): string | undefined => problems.get(folder),
    /** Of the process that was used last. */
    get pid(): number | undefined {
      return [...running.values()].findLast(({ alive }) => alive)?.pid
    },
    stop: () => {
      stopped = true
      for (const process of running.values()) void process.stop()
    },
  }
}

export type LoadedModels = ReturnType<typeof createLoadedModels>

const MB = 1_000_000

/**
 * The most that a process takes: for each byte of the weights, and besides. Measured with pieces of five minutes and two
 * threads: Whisper base 790 MB (150 MB of weights), Moonshine base 1,060 to 1,220 MB (64 MB, which it unpacks). `onnx` is from what
 * is published: 2.7 GB for 2.4 GB of weights.
 */
const memoryOf: Record<ModelType['kind'], { perByte: number; base: number }> = {
  whisper: { perByte: 3.5, base: 300 * MB },
  moonshine: { perByte: 4, base: 1_000 * MB },
  onnx: { perByte: 1.1, base: 300 * MB },
}

const neededBytes = ({ type, sizeBytes }: Model): number => {
  const { perByte, base } = memoryOf[type.kind]
  return base + sizeBytes * perByte
}
