import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { killGroup, start } from '../../process.ts'
import { Answer } from './answer.ts'

/**
 * The Python process that keeps yt-dlp imported (warm.py says what it speaks). It starts with the first
 * question or `ready`, and anew when it has died; what it was asked meanwhile fails with WarmProcessDied.
 */
export interface WarmProcess {
  ready(): Promise<void>
  ask(question: Question, signal: AbortSignal): Promise<Answer>
  close(): Promise<void>
}

export interface Question {
  url: string
  proxySocket: string
  timeoutSeconds: number
}

/** Our fault, not the source's: worth another attempt. */
export class WarmProcessDied extends Error {}

interface Running {
  child: ChildProcess
  ready: Promise<void>
  waiting: Map<number, PromiseWithResolvers<Answer>>
  ended: Promise<unknown>
}

const script = join(import.meta.dirname, 'warm.py')
const closeGraceMs = 2_000
// The forks inherit these and lower their own. A process that lives for weeks must not run out of seconds.
const limits = { addressSpaceBytes: 4 * 1024 ** 3, cpuSeconds: 1_000_000, openFiles: 1024 }

export const createWarmProcess = (python: string): WarmProcess => {
  const state: { current: Promise<Running> | null; lastId: number; closed: boolean } = {
    current: null,
    lastId: 0,
    closed: false,
  }

  const running = (): Promise<Running> => {
    if (state.closed) throw new WarmProcessDied('closed')
    state.current ??= launch(python, () => {
      state.current = null
    })
    return state.current
  }

  const ask = async (question: Question, signal: AbortSignal): Promise<Answer> => {
    signal.throwIfAborted()
    const { child, waiting } = await running()
    const id = ++state.lastId
    const answer = Promise.withResolvers<Answer>()
    const cancel = () => {
      say(child, { cancel: id })
      answer.reject(signal.reason)
    }
    waiting.set(id, answer)
    signal.addEventListener('abort', cancel, { once: true })
    if (signal.aborted) cancel()
    else say(child, { id, ...question })
    try {
      return await answer.promise
    } finally {
      signal.removeEventListener('abort', cancel)
      waiting.delete(id)
    }
  }

  const close = async () => {
    state.closed = true
    const current = await state.current?.catch(() => null)
    if (!current) return
    const { child, ended } = current
    child.stdin?.end()
    const timer = setTimeout(killGroup, closeGraceMs, child)
    await ended
    clearTimeout(timer)
  }

  return { ready: async () => (await running()).ready, ask, close }
}

const launch = async (python: string, gone: () => void): Promise<Running> => {
  // -s and -E: no packages and no settings but those of the venv. -B: the folder may be read-only.
  const child = await start(python, ['-s', '-E', '-B', script, process.execPath], {
    limits,
    capabilities: 'kept',
  }).catch((cause) => {
    gone()
    throw new WarmProcessDied('the extractor does not start', { cause })
  })
  const waiting: Running['waiting'] = new Map()
  const ready = Promise.withResolvers<void>()
  ready.promise.catch(() => {})
  const die = (cause: unknown) => {
    child.removeAllListeners('close')
    gone()
    const error = new WarmProcessDied('the extractor has died', { cause })
    ready.reject(error)
    for (const answer of waiting.values()) answer.reject(error)
  }
  let said = ''
  child.stderr?.setEncoding('utf8').on('data', (text) => {
    said = (said + text).slice(-4_000)
  })
  if (child.stdout) createInterface({ input: child.stdout }).on('line', (line) => hear(line, waiting, ready.resolve))
  const ended = Promise.race([once(child, 'close'), once(child, 'error')]).catch(() => {})
  child.once('error', die)
  child.once('close', () => die(said))
  return { child, ready: ready.promise, waiting, ended }
}

const hear = (line: string, waiting: Running['waiting'], ready: () => void) => {
  const space = line.indexOf(' ')
  const id = Number(line.slice(0, space))
  if (id === 0) return ready()
  // A canceled question is answered too; nobody waits for it.
  waiting.get(id)?.resolve(understood(line.slice(space)))
}

/** What makes no sense is an answer of a fork that lost its own, as if it had none given. */
const understood = (said: string): Answer => {
  try {
    return Answer.parse(JSON.parse(said))
  } catch {
    return { died: 'nonsense' }
  }
}

const say = (child: ChildProcess, message: object) => child.stdin?.write(`${JSON.stringify(message)}\n`)
