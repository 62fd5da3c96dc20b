import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { killGroup, start } from '../../sandbox/process.ts'

/**
 * The Python process that keeps yt-dlp imported (warm.py describes the messages). It starts with the first request or
 * `ready`, and restarts after it has died. Requests that were running then fail with WarmProcessDied.
 */
export interface WarmProcess {
  ready(): Promise<void>
  /** The answer as JSON (ExtractorAnswer). It comes from a fork that read an untrusted page. */
  send(request: ExtractorRequest, signal: AbortSignal): Promise<Uint8Array>
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
  waiting: Map<number, PromiseWithResolvers<Uint8Array>>
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

  const send = async (request: ExtractorRequest, signal: AbortSignal): Promise<Uint8Array> => {
    signal.throwIfAborted()
    const { child, waiting } = await running()
    const id = ++state.lastId
    const answer = Promise.withResolvers<Uint8Array>()
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
  const linesIn = createLineReader()
  child.stdout?.on('data', (chunk: Buffer) => {
    for (const line of linesIn(chunk)) handleLine(line, waiting, ready.resolve)
  })
  const ended = Promise.race([once(child, 'close'), once(child, 'error')]).catch(() => {})
  child.once('error', die)
  child.once('close', () => die(stderr))
  return { child, ready: ready.promise, waiting, ended }
}

const handleLine = (line: Buffer, waiting: Running['waiting'], onReady: () => void) => {
  const space = line.indexOf(' ')
  const id = Number(line.toString('latin1', 0, space))
  if (id === 0) return onReady()
  // A canceled request gets an answer too, but is no longer in the map.
  waiting.get(id)?.resolve(line.subarray(space + 1))
}

/** Collects chunks and returns the lines that they complete. */
const createLineReader = () => {
  let chunks: Buffer[] = []
  return (chunk: Buffer): Buffer[] => {
    const lines: Buffer[] = []
    let from = 0
    for (let end = chunk.indexOf('\n'); end !== -1; end = chunk.indexOf('\n', from)) {
      lines.push(Buffer.concat([...chunks, chunk.subarray(from, end)]))
      chunks = []
      from = end + 1
    }
    chunks.push(chunk.subarray(from))
    return lines
  }
}

const write = (child: ChildProcess, message: object) => child.stdin?.write(`${JSON.stringify(message)}\n`)
