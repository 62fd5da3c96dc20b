import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import type { SpeakerCount } from '../../domain/protocol/protocol.ts'
import type { Turn } from '../../domain/words/speaker-turns.ts'
import type { SpeechSettings } from '../config.ts'
import { jsonIn } from '../sandbox/lines.ts'
import { run } from '../sandbox/process.ts'
import { pythonFiles } from '../sandbox/program-files.ts'
import {
  checkInstallation,
  EngineUnavailable,
  filesOfModel,
  type ModelFolder,
  modelLimits,
  reasonOf,
  verifyModel,
} from './model-folder.ts'
import { oneAtATime } from './one-at-a-time.ts'

export type SpeakerFinder = ReturnType<typeof createSpeakerFinder>

interface FindOptions {
  signal: AbortSignal
  /** The position in the recording, in seconds. */
  onProgress?: (seconds: number) => void
}

/** A child process for each recording (speakers/main.py), one after the other: each uses all threads of the engine. */
export const createSpeakerFinder = (settings: SpeechSettings) => {
  const inTurn = oneAtATime()
  let isAvailable: boolean | undefined

  /** Throws EngineUnavailable. Looks at names and sizes only. */
  const check = async (): Promise<void> => {
    try {
      await checkInstallation(speakerModel(settings.modelDir), settings.python)
      isAvailable = true
    } catch (error) {
      isAvailable = false
      throw error
    }
  }

  return {
    check,
    /** true, or the reason why speakers cannot be told apart. */
    health: (): Promise<true | string> =>
      check().then(
        () => true as const,
        (error) => reasonOf(error, 'speakers cannot be told apart'),
      ),
    /** What the last look has found; undefined before the first. Looks again, for the next question. */
    lookAgain: (): boolean | undefined => {
      check().catch(() => {})
      return isAvailable
    },
    /** In a headerless file of 16 kHz mono samples, 16-bit little-endian. Times are from its start. */
    find: (recording: string, count: SpeakerCount, options: FindOptions): Promise<Turn[]> =>
      inTurn(() => findTurns(recording, count, settings, options), options.signal),
  }
}

const speakerModel = (path: string): ModelFolder => ({
  path,
  name: 'model for speakers',
  needs: ['segmentation.onnx', 'encoder.onnx'],
})

const program = fileURLToPath(new URL('speakers', import.meta.url))

/** How alike two voices are that are one person's, for the encoder that the set-up installs. */
const THRESHOLD = 0.48

/** A recording of hours has tens of thousands of turns in one line. */
const MAX_LINE_BYTES = 64 * 1024 * 1024

const findTurns = async (
  recording: string,
  { min, max }: SpeakerCount,
  { python, threads, modelDir }: SpeechSettings,
  { signal, onProgress = () => {} }: FindOptions,
): Promise<Turn[]> => {
  const model = speakerModel(modelDir)
  const { threshold = THRESHOLD } = await verifyModel(model)
  const options = JSON.stringify({ threshold, min, max })
  const script = join(program, 'main.py')
  const outcome: { turns?: Turn[]; problem?: Error } = {}
  const onStdoutLine = (line: string) => {
    const message = Message.safeParse(jsonIn(line)).data
    if (!message) outcome.problem = new Error('invalid message from the program that finds speakers')
    else if (message.event === 'progress') onProgress(message.seconds)
    else if (message.event === 'broken') outcome.problem = new EngineUnavailable(message.reason)
    else outcome.turns = message.turns.map(([start, end, speaker]) => ({ start, end, speaker }))
  }
  const { code, stderr } = await run(python, ['-I', '-B', script, modelDir, String(threads), recording, options], {
    limits: modelLimits,
    signal,
    timeoutMs: null,
    onStdoutLine,
    maxLineBytes: MAX_LINE_BYTES,
    reads: [...(await pythonFiles(python)), program, ...(await filesOfModel(model)), recording],
  })
  if (code === 0 && outcome.problem) throw outcome.problem
  if (code === 0 && outcome.turns) return outcome.turns
  const reason = stderr.trim().split('\n').at(-1) || 'no error output'
  throw new Error(`the program that finds speakers ended with ${code}: ${reason}`)
}

const Message = z.discriminatedUnion('event', [
  z.object({ event: z.literal('progress'), seconds: z.number() }),
  z.object({ event: z.literal('broken'), reason: z.string() }),
  z.object({ event: z.literal('turns'), turns: z.array(z.tuple([z.number(), z.number(), z.string()])) }),
])
