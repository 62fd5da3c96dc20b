import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readdir, readFile, realpath, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import type { SpeechSettings } from '../config.ts'
import type { Child } from '../sandbox/launcher.ts'
import { eachLine, tailOf } from '../sandbox/lines.ts'
import { killGroup, start } from '../sandbox/process.ts'
import { pythonFiles } from '../sandbox/program-files.ts'

export type RecognizerProcess = Awaited<ReturnType<typeof startRecognizerProcess>>

export interface RecognizeRequest {
  /** 16 kHz mono, 16-bit little-endian. */
  samples: Uint8Array
  language: string | null
  /** Into English. */
  translate: boolean
  /** If false, the recognizer may leave samples at the end that do not fill a batch. */
  isLast: boolean
  signal: AbortSignal
  onProgress: (seconds: number) => void
}

/**
 * The speech engine or its model is missing, damaged or invalid on this machine. Another container may have it, so
 * this is not a failure of the job. `reason` names paths of this machine: it is for /health and the log, not for
 * callers.
 */
export class EngineUnavailable extends Error {
  readonly reason: string
  constructor(reason: string, options?: ErrorOptions) {
    super(`The built-in speech recognition is not available: ${reason}`, options)
    this.reason = reason
  }
}

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

/** The Python process that has the model in memory, and the Node side of its pipe protocol (see recognizer.py). */
export const startRecognizerProcess = async (settings: SpeechSettings) => {
  const { python, modelDir, threads } = settings
  await verifyModel(modelDir)
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
    /** One piece at a time. An abort cancels the piece; the process keeps running. */
    recognize: (request: RecognizeRequest) => recognize(child, messages, request),
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
  child: Child,
  messages: MessageReader,
  { samples, language, translate, isLast, signal, onProgress }: RecognizeRequest,
): Promise<RecognizedWords> => {
  signal.throwIfAborted()
  let killTimer: NodeJS.Timeout | undefined
  const cancel = () => {
    void write(child, `${JSON.stringify({ cancel: true })}\n`)
    killTimer = setTimeout(() => killGroup(child), CANCEL_TIMEOUT_MS)
  }
  await write(child, `${JSON.stringify({ bytes: samples.byteLength, language, translate, last: isLast })}\n`)
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
const write = (child: Child, data: string | Uint8Array): Promise<void> =>
  new Promise((resolve) => child.stdin?.write(data, () => resolve()))

type MessageReader = ReturnType<typeof readMessages>

const readMessages = (child: Child) => {
  const waiting: { resolve: (message: Message) => void; reject: (error: Error) => void }[] = []
  const received: Message[] = []
  const stderr = tailOf(child.stderr)
  let ended: Error | null = null
  const end = (error: Error) => {
    ended ??= error
    for (const { reject } of waiting.splice(0)) reject(ended)
  }
  child.once('error', (error) => end(new EngineUnavailable(`the speech engine did not start: ${error.message}`)))
  child.once('close', () => {
    const reason = stderr().trim().split('\n').at(-1) || 'no error output'
    end(new RecognizerDied(`the speech engine exited: ${reason}`))
  })
  const receive = (line: Buffer) => {
    const message = parseMessage(line.toString('utf8'))
    const next = waiting.shift()
    if (next) next.resolve(message)
    else received.push(message)
  }
  if (child.stdout) eachLine(child.stdout, receive, { onOverflow: () => killGroup(child) })
  return {
    next: (): Promise<Message> =>
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

/** `manifest.json` lists every file of a model folder. It is written when the model is installed. */
const Manifest = z.object({
  files: z
    .record(
      z.string().regex(/^[\w-][\w.-]*$/),
      z.object({ bytes: z.number().int().nonnegative(), sha256: z.string().regex(/^[0-9a-f]{64}$/) }),
    )
    .refine((files) => 'model.bin' in files, 'model.bin is missing'),
})

/** Compares names and sizes only, which is cheap enough for every request to /health. */
export const checkModel = async (folder: string): Promise<z.infer<typeof Manifest>['files']> => {
  const { files } = await readManifest(folder)
  const present = (await readdir(folder)).filter((name) => name !== 'manifest.json')
  const unlisted = present.find((name) => !(name in files))
  if (unlisted) throw new EngineUnavailable(`${join(folder, unlisted)} is not in the manifest of the speech model`)
  for (const [name, { bytes }] of Object.entries(files)) {
    const size = await stat(join(folder, name)).then(
      (found) => found.size,
      () => null,
    )
    if (size === null) throw new EngineUnavailable(`${join(folder, name)} is missing`)
    if (size !== bytes) throw damaged(folder, name)
  }
  return files
}

/** Compares the digests of all files. Done before the model is loaded. */
const verifyModel = async (folder: string): Promise<void> => {
  const files = await checkModel(folder)
  for (const [name, { sha256 }] of Object.entries(files)) {
    const hash = createHash('sha256')
    await pipeline(createReadStream(join(folder, name), { highWaterMark: 1024 * 1024 }), hash)
    if (hash.digest('hex') !== sha256) throw damaged(folder, name)
  }
}

const damaged = (folder: string, name: string) =>
  new EngineUnavailable(
    `${join(folder, name)} does not match the manifest. Delete ${folder} and start again to download it again`,
  )

const readManifest = async (folder: string): Promise<z.infer<typeof Manifest>> => {
  const path = join(folder, 'manifest.json')
  const text = await readFile(path, 'utf8').catch((cause) => {
    throw new EngineUnavailable(`the speech model is not set up: ${path} is missing`, { cause })
  })
  try {
    return Manifest.parse(JSON.parse(text))
  } catch (cause) {
    throw new EngineUnavailable(`${path} is not a valid manifest`, { cause })
  }
}
