import { EventEmitter, on } from 'node:events'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import type { Vocabulary } from '../../domain/protocol/protocol.ts'
import type { SpeechSettings } from '../config.ts'
import type { Child } from '../sandbox/launch/launcher.ts'
import { eachLine, jsonIn, tailOf } from '../sandbox/lines.ts'
import { killGroup, start } from '../sandbox/process.ts'
import { pythonFiles } from '../sandbox/program-files.ts'
import { EngineUnavailable, filesOfModel, modelLimits, verifyModel } from './model-folder.ts'
import { type Model, speechFolder } from './models.ts'

export type RecognizerProcess = Awaited<ReturnType<typeof startRecognizerProcess>>

export interface RecognizeRequest {
  /** 16 kHz mono, 16-bit little-endian. */
  samples: Uint8Array
  language: string | null
  /** Into English. */
  translate: boolean
  /** null: nothing is known of what is said. */
  vocabulary: Vocabulary | null
  /** The samples begin with those that the recognizer left of the piece before. */
  continues: boolean
  /** If false, the recognizer may leave samples at the end: speech that may go on, or that does not fill a batch. */
  isLast: boolean
  signal: AbortSignal
  onProgress: (seconds: number) => void
}

/** The process ended while it recognized a piece: the machine ran out of memory, or it wrote what cannot be read. */
export class RecognizerDied extends Error {}

const Word = z.object({ text: z.string(), start: z.number(), end: z.number(), confidence: z.number().nullable() })
const Answer = z.discriminatedUnion('event', [
  z.object({ event: z.literal('progress'), seconds: z.number() }),
  z.object({
    event: z.literal('words'),
    language: z.string().nullable(),
    probability: z.number(),
    words: z.array(Word),
    /** The words cover this many samples. The rest must be sent again before the next piece. */
    consumedSamples: z.number().int().nonnegative(),
  }),
  z.object({ event: z.literal('language'), language: z.string().nullable(), probability: z.number() }),
  z.object({ event: z.literal('canceled') }),
  z.object({ event: z.literal('failed'), reason: z.string() }),
])
/** `id`: of the piece. */
const Message = z.union([
  z.object({ event: z.literal('ready') }),
  z.object({ event: z.literal('broken'), reason: z.string() }),
  Answer.and(z.object({ id: z.number() })),
])
type Message = z.infer<typeof Message>
type Words = Extract<z.infer<typeof Answer>, { event: 'words' }>
/** null: nobody speaks. */
export type DetectedLanguage = Pick<Extract<z.infer<typeof Answer>, { event: 'language' }>, 'language' | 'probability'>
/** `model`: the name of the weights. */
export type RecognizedWords = Words & { model: string }

/** A cancel is noticed after the current batch. A process that needs longer than this is stuck and gets killed. */
const CANCEL_TIMEOUT_MS = 120_000

const [script, ...modules] = ['recognizer.py', 'speech_windows.py', 'engines'].map((name) =>
  fileURLToPath(new URL(name, import.meta.url)),
) as [string, ...string[]]

/** The Python process that has the model in memory, and the Node side of its pipe protocol (see recognizer.py). */
export const startRecognizerProcess = async ({ python, threads }: SpeechSettings, { type, folder }: Model) => {
  const model = speechFolder(folder)
  await verifyModel(model)
  const args = [type.kind, folder, String(threads), ...(type.kind === 'onnx' ? [type.name] : [])]
  const child = await start(python, ['-I', '-u', script, ...args], {
    limits: modelLimits,
    reads: [...(await pythonFiles(python)), script, ...modules, ...(await filesOfModel(model))],
  })
  const ended = new Promise<void>((resolve) => child.once('close', resolve))
  const messages = readMessages(child)
  let pieces = 0
  const first = await messages.next()
  if (first.event !== 'ready') {
    killGroup(child)
    const reason = first.event === 'broken' ? first.reason : `unexpected message "${first.event}"`
    throw new EngineUnavailable(`the speech engine did not start: ${reason}`)
  }
  return {
    /** One piece at a time. An abort cancels the piece; the process keeps running. */
    recognize: async ({ continues, isLast, ...request }: RecognizeRequest): Promise<Words> => {
      const { language, translate, vocabulary } = request
      const asked = { language, translate, vocabulary, continues, last: isLast }
      const answer = await ask(++pieces, child, messages, asked, request)
      return answer.event === 'words' ? answer : unexpected(answer)
    },
    /** Of the first speech in the samples. */
    detect: async (samples: Uint8Array, signal: AbortSignal): Promise<DetectedLanguage> => {
      const answer = await ask(++pieces, child, messages, { detect: true }, { samples, signal, onProgress: () => {} })
      return answer.event === 'language' ? answer : unexpected(answer)
    },
    get alive() {
      return messages.open
    },
    pid: child.pid,
    /** Resolves when it has given its memory back. */
    stop: async (): Promise<void> => {
      killGroup(child)
      await ended
    },
  }
}

const unexpected = ({ event }: Message): never => {
  throw new Error(`unexpected message "${event}" from the speech engine`)
}

/** Resolves to the message that ends the piece. */
const ask = async (
  id: number,
  child: Child,
  messages: ReturnType<typeof readMessages>,
  asked: object,
  { samples, signal, onProgress }: Pick<RecognizeRequest, 'samples' | 'signal' | 'onProgress'>,
): Promise<Message> => {
  signal.throwIfAborted()
  let killTimer: NodeJS.Timeout | undefined
  const cancel = () => {
    void write(child, `${JSON.stringify({ cancel: true })}\n`)
    killTimer = setTimeout(() => killGroup(child), CANCEL_TIMEOUT_MS)
  }
  await write(child, `${JSON.stringify({ id, bytes: samples.byteLength, ...asked })}\n`)
  await write(child, samples)
  signal.addEventListener('abort', cancel, { once: true })
  if (signal.aborted) cancel()
  try {
    for (;;) {
      const message = await messages.next()
      // An earlier piece may have ended here before the process was done with it.
      if ('id' in message && message.id !== id) continue
      if (message.event === 'progress') onProgress(message.seconds)
      else if (message.event === 'failed') throw new Error(`recognition failed: ${message.reason}`)
      else {
        signal.throwIfAborted()
        return message
      }
    }
  } finally {
    clearTimeout(killTimer)
    signal.removeEventListener('abort', cancel)
  }
}

/** Resolves when the pipe has accepted the data. Write errors are ignored: a dead process is noticed by `close`. */
const write = (child: Child, data: string | Uint8Array): Promise<void> =>
  new Promise((resolve) => child.stdin.write(data, () => resolve()))

const readMessages = (child: Child) => {
  const received = new EventEmitter()
  const messages = on(received, 'message')
  const stderr = tailOf(child.stderr)
  let ended: Error | null = null
  const end = (error: Error) => {
    // `next` rejects with it after it has returned the messages that came before.
    if (!ended) received.emit('error', error)
    ended ??= error
  }
  child.once('error', (error) => end(new EngineUnavailable(`the speech engine did not start: ${error.message}`)))
  child.once('close', () => {
    const reason = stderr().trim().split('\n').at(-1) || 'no error output'
    end(new RecognizerDied(`the speech engine exited: ${reason}`))
  })
  const receive = (line: Buffer) => {
    if (ended) return
    const message = Message.safeParse(jsonIn(line)).data
    if (!message) {
      end(new RecognizerDied('the speech engine wrote a line that cannot be read'))
      return killGroup(child)
    }
    received.emit('message', message)
  }
  eachLine(child.stdout, receive, { onOverflow: () => killGroup(child) })
  return {
    next: async (): Promise<Message> => {
      const { value, done } = await messages.next()
      if (done) throw ended
      return value[0]
    },
    get open() {
      return ended === null
    },
  }
}
