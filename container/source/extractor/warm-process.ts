import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { killGroup, start } from '../../sandbox/process.ts'
import { ExtractorAnswer } from './extractor-answer.ts'

/**
 * The Python process that keeps yt-dlp imported (warm.py describes the messages). It starts with the first request or
 * `ready`, and restarts after it has died. Requests that were running then fail with WarmProcessDied.
 */
export interface WarmProcess {
  ready(): Promise<void>
  send(request: ExtractorRequest, signal: AbortSignal): Promise<ExtractorAnswer>
  close(): Promise<void>
}

export interface ExtractorRequest {
  url: string
  proxySocket: string
  timeoutSeconds: number
}

/** A fault of this process and not of the source: the request can be retried. */
export class WarmProcessDied extends Error {}

interface Running {
  child: ChildProcess
  ready: Promise<void>
  waiting: Map<number, PromiseWithResolvers<ExtractorAnswer>>
  ended: Promise<unknown>
}

const script = join(import.meta.dirname, 'warm.py')
const closeGraceMs = 2_000
// The forks inherit these limits and lower their own. The process runs for weeks, so its CPU limit must be high.
const limits = { addressSpaceBytes: 4 * 1024 ** 3, cpuSeconds: 1_000_000, openFiles: 1024 }

export const createWarmProcess = (python: string): WarmProcess => {
  const state: { current: Promise<Running> | null; lastId: number; closed: boolean } = {
    current: null,
    lastId: 0,
    closed: false,
  }

  const running = (): Promise<Running> => {
    if (state.closed) throw new WarmProcessDied('the extractor is closed')
    state.current ??= launch(python, () => {
      state.current = null
    })
    return state.current
  }

  const send = async (request: ExtractorRequest, signal: AbortSignal): Promise<ExtractorAnswer> => {
    signal.throwIfAborted()
    const { child, waiting } = await running()
    const id = ++state.lastId
    const answer = Promise.withResolvers<ExtractorAnswer>()
    const cancel = () => {
      write(child, { cancel: id })
      answer.reject(signal.reason)
    }
    waiting.set(id, answer)
    signal.addEventListener('abort', cancel, { once: true })
    if (signal.aborted) cancel()
    else write(child, { id, ...request })
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

  return { ready: async () => (await running()).ready, send, close }
}

const launch = async (python: string, onExit: () => void): Promise<Running> => {
  // -s and -E: only the packages and settings of the venv. -B: the folder may be read-only.
  const child = await start(python, ['-s', '-E', '-B', script, process.execPath], {
    limits,
    capabilities: 'kept',
  }).catch((cause) => {
    onExit()
    throw new WarmProcessDied('the extractor cannot start', { cause })
  })
  const waiting: Running['waiting'] = new Map()
  const ready = Promise.withResolvers<void>()
  ready.promise.catch(() => {})
  const die = (cause: unknown) => {
    child.removeAllListeners('close')
    onExit()
    const error = new WarmProcessDied('the extractor has died', { cause })
    ready.reject(error)
    for (const answer of waiting.values()) answer.reject(error)
  }
  let stderr = ''
  child.stderr?.setEncoding('utf8').on('data', (text) => {
    stderr = (stderr + text).slice(-4_000)
  })
  const onLine = (line: string) => handleLine(line, waiting, ready.resolve)
  if (child.stdout) createInterface({ input: child.stdout }).on('line', onLine)
  const ended = Promise.race([once(child, 'close'), once(child, 'error')]).catch(() => {})
  child.once('error', die)
  child.once('close', () => die(stderr))
  return { child, ready: ready.promise, waiting, ended }
}

const handleLine = (line: string, waiting: Running['waiting'], onReady: () => void) => {
  const space = line.indexOf(' ')
  const id = Number(line.slice(0, space))
  if (id === 0) return onReady()
  // A canceled request gets an answer too, but is no longer in the map.
  waiting.get(id)?.resolve(parsedAnswer(line.slice(space)))
}

/** An answer comes from a fork that read an untrusted page. A malformed one counts as a crash of that fork. */
const parsedAnswer = (text: string): ExtractorAnswer => {
  try {
    return ExtractorAnswer.parse(JSON.parse(text))
  } catch {
    return { died: 'malformed answer' }
  }
}

const write = (child: ChildProcess, message: object) => child.stdin?.write(`${JSON.stringify(message)}\n`)
