import type { ChildProcess } from 'node:child_process'
import { readdir, realpath } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { absolute } from '../config.ts'
import { eachLine } from '../sandbox/lines.ts'
import { killGroup, start } from '../sandbox/process.ts'
import { pythonFiles } from '../sandbox/program-files.ts'
import { EngineUnavailable } from './model.ts'

/** The Python process that has the model in memory, and the Node side of its pipe protocol (see recognizer.py). */
export interface RecognizerProcess {
  /** One piece at a time. An abort cancels the piece; the process keeps running. */
  recognize(request: RecognizeRequest): Promise<RecognizedWords>
  readonly alive: boolean
  readonly pid: number | undefined
  stop(): void
}

export interface RecognizeRequest {
  /** 16 kHz mono, 16-bit little-endian. */
  samples: Uint8Array
  language: string | null
  /** If false, the recognizer may leave samples at the end that do not fill a batch. */
  isLast: boolean
  signal: AbortSignal
  onProgress: (seconds: number) => void
}

export interface SpeechSettings {
  python: string
  modelDir: string
  threads: number
}

const tools = fileURLToPath(new URL('../../.tools', import.meta.url))

/**
 * STT_MODEL_DIR can be any CTranslate2 Whisper folder with a manifest, which `node scripts/speech.mjs manifest
 * <folder>` writes. STT_PYTHON can be another environment than yt-dlp's.
 */
export const speechSettings = (env: NodeJS.ProcessEnv = process.env): SpeechSettings => ({
  python: absolute(env.STT_PYTHON ?? env.HAUL_PYTHON ?? join(tools, 'venv', 'bin', 'python')),
  modelDir: resolve(env.STT_MODEL_DIR ?? join(tools, 'models', 'whisper-base')),
  threads: Number(env.STT_THREADS) || availableParallelism(),
})

/** The process ended while it recognized a piece, for example because the machine ran out of memory. */
export class RecognizerDied extends Error {}

const Word = z.object({ text: z.string(), start: z.number(), end: z.number(), confidence: z.number().nullable() })
const Message = z.discriminatedUnion('event', [
  z.object({ event: z.literal('ready') }),
  z.object({ event: z.literal('broken'), reason: z.string() }),
  z.object({ event: z.literal('progress'), seconds: z.number() }),
  z.object({
    event: z.literal('words'),
    language: z.string().nullable(),
    probability: z.number(),
    words: z.array(Word),
    /** The words cover this many samples. The rest must be sent again before the next piece. */
    consumedSamples: z.number().int().nonnegative(),
  }),
  z.object({ event: z.literal('canceled') }),
  z.object({ event: z.literal('failed'), reason: z.string() }),
])
type Message = z.infer<typeof Message>
export type RecognizedWords = Extract<Message, { event: 'words' }>

/** A cancel is noticed after the current batch. A process that needs longer than this is stuck and gets killed. */
const CANCEL_TIMEOUT_MS = 120_000

const script = fileURLToPath(new URL('recognizer.py', import.meta.url))
/** The address space limit is high because large models and their threads map far more memory than they use. */
const limits = { addressSpaceBytes: 64 * 1024 ** 3, cpuSeconds: 2 ** 31, openFiles: 256 }

export const startRecognizerProcess = async (settings: SpeechSettings): Promise<RecognizerProcess> => {
  const { python, modelDir, threads } = settings
  const child = await start(python, ['-I', '-u', script, modelDir, String(threads)], {
    limits,
    reads: [...(await pythonFiles(python)), script, ...(await filesOfModel(modelDir))],
  })
  const messages = readMessages(child)
  const first = await messages.next()
  if (first.event !== 'ready') {
    killGroup(child)
    const reason = first.event === 'broken' ? first.reason : `unexpected message "${first.event}"`
    throw new EngineUnavailable(`the speech engine did not start: ${reason}`)
  }
  return {
    recognize: (request) => recognize(child, messages, request),
    get alive() {
      return messages.open
    },
    pid: child.pid,
    stop: () => killGroup(child),
  }
}

/** The folder, and the files elsewhere that links in it lead to. */
const filesOfModel = async (modelDir: string): Promise<string[]> => {
  const names = await readdir(modelDir)
  const files = await Promise.all(names.map((name) => realpath(join(modelDir, name))))
  return [modelDir, ...files.filter((file) => !file.startsWith(`${modelDir}/`))]
}

const recognize = async (
  child: ChildProcess,
  messages: MessageReader,
  { samples, language, isLast, signal, onProgress }: RecognizeRequest,
): Promise<RecognizedWords> => {
  signal.throwIfAborted()
  let killTimer: NodeJS.Timeout | undefined
  const cancel = () => {
    void write(child, `${JSON.stringify({ cancel: true })}\n`)
    killTimer = setTimeout(() => killGroup(child), CANCEL_TIMEOUT_MS)
  }
  await write(child, `${JSON.stringify({ bytes: samples.byteLength, language, last: isLast })}\n`)
  await write(child, samples)
  signal.addEventListener('abort', cancel, { once: true })
  if (signal.aborted) cancel()
  try {
    for (;;) {
      const message = await messages.next()
      if (message.event === 'progress') onProgress(message.seconds)
      else if (message.event === 'failed') throw new Error(`recognition failed: ${message.reason}`)
      else {
        signal.throwIfAborted()
        if (message.event === 'words') return message
        throw new Error(`unexpected message "${message.event}" from the speech engine`)
      }
    }
  } finally {
    clearTimeout(killTimer)
    signal.removeEventListener('abort', cancel)
  }
}

/** Resolves when the pipe has accepted the data. Write errors are ignored: a dead process is noticed by `close`. */
const write = (child: ChildProcess, data: string | Uint8Array): Promise<void> =>
  new Promise((resolve) => child.stdin?.write(data, () => resolve()))

interface MessageReader {
  next(): Promise<Message>
  readonly open: boolean
}

const readMessages = (child: ChildProcess): MessageReader => {
  const waiting: { resolve: (message: Message) => void; reject: (error: Error) => void }[] = []
  const received: Message[] = []
  const lastErrorLine = lastLineOfStderr(child)
  let ended: Error | null = null
  const end = (error: Error) => {
    ended ??= error
    for (const { reject } of waiting.splice(0)) reject(ended)
  }
  child.once('error', (error) => end(new EngineUnavailable(`the speech engine did not start: ${error.message}`)))
  child.once('close', () => end(new RecognizerDied(`the speech engine exited: ${lastErrorLine()}`)))
  const receive = (line: string) => {
    const message = parseMessage(line)
    const next = waiting.shift()
    if (next) next.resolve(message)
    else received.push(message)
  }
  if (child.stdout) eachLine(child.stdout, receive, { onOverflow: () => killGroup(child) })
  return {
    next: () =>
      new Promise((resolve, reject) => {
        const message = received.shift()
        if (message) resolve(message)
        else if (ended) reject(ended)
        else waiting.push({ resolve, reject })
      }),
    get open() {
      return ended === null
    },
  }
}

const parseMessage = (line: string): Message => {
  try {
    return Message.parse(JSON.parse(line))
  } catch {
    return { event: 'failed', reason: 'invalid message from the speech engine' }
  }
}

const lastLineOfStderr = (child: ChildProcess): (() => string) => {
  let text = ''
  child.stderr?.on('data', (chunk: Buffer) => {
    text = (text + chunk.toString('utf8')).slice(-2_000)
  })
  return () => text.trim().split('\n').at(-1) || 'no error output'
}
