import type { ChildProcess } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { killGroup, start } from '../../process.ts'
import { EngineUnavailable } from './unavailable.ts'

/** The Python process that holds the model, and its side of the pipe (see recognizer.py). */
export interface Child {
  /** One piece at a time. An abort cancels the piece; the process stays. */
  recognize(piece: SpokenPiece): Promise<Heard>
  readonly alive: boolean
  readonly pid: number | undefined
  stop(): void
}

export interface SpokenPiece {
  /** 16 kHz mono, 16-bit little-endian. */
  samples: Uint8Array
  language: string | null
  /** If not, a rest that makes no full batch may be left over. */
  isLast: boolean
  signal: AbortSignal
  onProgress: (seconds: number) => void
}

export interface ChildOptions {
  python: string
  modelDir: string
  threads: number
}

/** The process ended in the middle of a piece, for example because the machine had no memory left. */
export class ChildDied extends Error {}

const Word = z.object({ text: z.string(), start: z.number(), end: z.number() })
const Answer = z.discriminatedUnion('event', [
  z.object({ event: z.literal('ready') }),
  z.object({ event: z.literal('broken'), reason: z.string() }),
  z.object({ event: z.literal('progress'), seconds: z.number() }),
  z.object({
    event: z.literal('words'),
    language: z.string().nullable(),
    probability: z.number(),
    words: z.array(Word),
    /** How many samples these are the words of. */
    heard: z.number().int().nonnegative(),
  }),
  z.object({ event: z.literal('canceled') }),
  z.object({ event: z.literal('failed'), reason: z.string() }),
])
type Answer = z.infer<typeof Answer>
export type Heard = Extract<Answer, { event: 'words' }>

/** A batch is finished before a cancel is noticed; who takes this long for one is stuck. */
const PATIENCE_MS = 120_000

const script = fileURLToPath(new URL('recognizer.py', import.meta.url))
/** Mapped, not used: large models and their threads map far more than they touch. */
const limits = { addressSpaceBytes: 64 * 1024 ** 3, cpuSeconds: 2 ** 31, openFiles: 256 }

export const startChild = async ({ python, modelDir, threads }: ChildOptions): Promise<Child> => {
  const child = await start(python, ['-I', '-u', script, modelDir, String(threads)], { limits })
  const answers = listen(child)
  const first = await answers.next()
  if (first.event !== 'ready') {
    killGroup(child)
    throw new EngineUnavailable(
      `the speech engine did not start: ${first.event === 'broken' ? first.reason : 'no answer'}`,
    )
  }
  return {
    recognize: (piece) => recognize(child, answers, piece),
    get alive() {
      return answers.open
    },
    pid: child.pid,
    stop: () => killGroup(child),
  }
}

const recognize = async (child: ChildProcess, answers: Answers, piece: SpokenPiece): Promise<Heard> => {
  const { samples, language, isLast, signal, onProgress } = piece
  signal.throwIfAborted()
  let patience: NodeJS.Timeout | undefined
  const cancel = () => {
    child.kill('SIGUSR1')
    patience = setTimeout(() => killGroup(child), PATIENCE_MS)
  }
  await write(child, `${JSON.stringify({ bytes: samples.byteLength, language, last: isLast })}\n`)
  await write(child, samples)
  signal.addEventListener('abort', cancel, { once: true })
  if (signal.aborted) cancel()
  try {
    for (;;) {
      const answer = await answers.next()
      if (answer.event === 'progress') onProgress(answer.seconds)
      else if (answer.event === 'failed') throw new Error(`recognition failed: ${answer.reason}`)
      else {
        signal.throwIfAborted()
        if (answer.event === 'words') return answer
        throw new Error(`the speech engine said ${answer.event} in the middle of a piece`)
      }
    }
  } finally {
    clearTimeout(patience)
    signal.removeEventListener('abort', cancel)
  }
}

/** Resolves when the pipe has taken all. A child that has gone is noticed by its silence, not here. */
const write = (child: ChildProcess, data: string | Uint8Array): Promise<void> =>
  new Promise((resolve) => child.stdin?.write(data, () => resolve()))

interface Answers {
  next(): Promise<Answer>
  readonly open: boolean
}

const listen = (child: ChildProcess): Answers => {
  const waiting: { resolve: (answer: Answer) => void; reject: (error: Error) => void }[] = []
  const arrived: Answer[] = []
  const said = tail(child)
  let ended: Error | null = null
  const end = (error: Error) => {
    ended ??= error
    for (const { reject } of waiting.splice(0)) reject(ended)
  }
  child.once('error', (error) => end(new EngineUnavailable(`the speech engine did not start: ${error.message}`)))
  child.once('close', () => end(new ChildDied(`the speech engine ended: ${said()}`)))
  if (child.stdout)
    createInterface({ input: child.stdout }).on('line', (line) => {
      const answer = read(line)
      const next = waiting.shift()
      if (next) next.resolve(answer)
      else arrived.push(answer)
    })
  return {
    next: () =>
      new Promise((resolve, reject) => {
        const answer = arrived.shift()
        if (answer) resolve(answer)
        else if (ended) reject(ended)
        else waiting.push({ resolve, reject })
      }),
    get open() {
      return ended === null
    },
  }
}

const read = (line: string): Answer => {
  try {
    return Answer.parse(JSON.parse(line))
  } catch {
    return { event: 'failed', reason: 'an answer that nobody can read' }
  }
}

const tail = (child: ChildProcess): (() => string) => {
  let text = ''
  child.stderr?.on('data', (chunk: Buffer) => {
    text = (text + chunk.toString('utf8')).slice(-2_000)
  })
  return () => text.trim().split('\n').at(-1) || 'without a word'
}
