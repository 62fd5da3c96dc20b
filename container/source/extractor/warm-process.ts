import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { withCheckTargets } from '../../sandbox/check-targets.ts'
import type { Child } from '../../sandbox/launcher.ts'
import { eachLine, tailOf } from '../../sandbox/lines.ts'
import { killGroup, start } from '../../sandbox/process.ts'
import { certificateFile, certificates, nodeFiles, pythonFiles } from '../../sandbox/program-files.ts'
import { syscallFilter } from '../../sandbox/syscall-filter.ts'
import { takeUser, userRange } from '../../sandbox/users.ts'
import { isWeakAccepted, requiredIsolation } from '../../sandbox/walls.ts'

export interface WarmProcessSettings {
  /** The Python interpreter of a venv that contains yt-dlp. */
  python: string
  /** A folder with another version of yt-dlp. null: that of the venv. */
  packages?: string | null | undefined
  /** All proxy sockets are below this folder. */
  socketFolder: string
  onMissingWalls?: ((missing: readonly string[]) => void) | undefined
}

type ExtractorRequest = { timeoutSeconds: number } & (
  | {
      url: string
      /** To list so many items, instead of resolving the URL. */
      limit?: number
      proxySocket: string
      /** Requests look like a browser's. */
      asBrowser: boolean
      /** null: there is no token provider. */
      tokenHost: string | null
    }
  | { ask: 'sites' | 'scripts' }
)

/** A fault of this process and not of the source: the request can be retried. */
export class WarmProcessDied extends Error {}

interface Running {
  child: Child
  ready: Promise<void>
  /** Of yt-dlp. */
  version: Promise<string>
  missingWalls: Promise<readonly string[]>
  waiting: Map<number, PromiseWithResolvers<Uint8Array>>
  ended: Promise<unknown>
}

const script = join(import.meta.dirname, 'warm.py')
const closeGraceMs = 2_000
// The forks inherit these limits and lower their own. The process runs for weeks, so its CPU limit must be high.
const limits = { addressSpaceBytes: 4 * 1024 ** 3, cpuSeconds: 1_000_000, openFiles: 1024, processes: 4096 }
const CHECK_TIMEOUT_SECONDS = 20
/** More than warm.py lets an answer have. */
const MAX_ANSWER_BYTES = 32 * 1024 * 1024

/**
 * The Python process that keeps yt-dlp imported (warm.py describes the messages). It starts with the first request or
 * `ready`, and restarts after it has died. Requests that were running then fail with WarmProcessDied.
 */
export const createWarmProcess = (settings: WarmProcessSettings) => {
  const state: { current: Promise<Running> | null; closed: boolean } = { current: null, closed: false }

  const running = (): Promise<Running> => {
    if (state.closed) throw new WarmProcessDied('the extractor is closed')
    state.current ??= launch(settings, () => {
      state.current = null
    })
    return state.current
  }

  const send = async (request: ExtractorRequest, signal: AbortSignal): Promise<Uint8Array> => {
    signal.throwIfAborted()
    return await ask(await running(), { ...request }, signal)
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

  return {
    /** Rejects when it cannot start, or when a wall around its forks is missing and SANDBOX is not weak. */
    ready: async () => (await running()).ready,
    /** Of yt-dlp, as it states it itself. */
    version: async () => (await running()).version,
    /** What a fork can do although it must not, each to be read after "yt-dlp can". */
    missingWalls: async () => (await running()).missingWalls,
    /** The answer as JSON (ExtractorAnswer). It comes from a fork that read an untrusted page. */
    send,
    close,
  }
}

const ids = { last: 0 }

/** Each request gets a user id of its own, where we are root. */
const ask = async ({ child, waiting }: Pick<Running, 'child' | 'waiting'>, request: object, signal?: AbortSignal) => {
  const id = ++ids.last
  const user = (await requiredIsolation()) === 'bubblewrap' ? takeUser() : null
  const answer = Promise.withResolvers<Uint8Array>()
  const cancel = () => {
    write(child, { cancel: id })
    answer.reject(signal?.reason)
  }
  waiting.set(id, answer)
  signal?.addEventListener('abort', cancel, { once: true })
  if (signal?.aborted) cancel()
  else write(child, { id, userId: user?.id ?? null, ...request })
  try {
    return await answer.promise
  } finally {
    signal?.removeEventListener('abort', cancel)
    waiting.delete(id)
    user?.release()
  }
}

const launch = async (settings: WarmProcessSettings, onExit: () => void): Promise<Running> => {
  const child = await startPython(settings).catch((cause) => {
    onExit()
    throw new WarmProcessDied('the extractor cannot start', { cause })
  })
  const waiting: Running['waiting'] = new Map()
  const started = Promise.withResolvers<string>()
  const die = (cause: unknown) => {
    child.removeAllListeners('close')
    onExit()
    const error = new WarmProcessDied('the extractor has died', { cause })
    started.reject(error)
    for (const answer of waiting.values()) answer.reject(error)
  }
  const stderr = tailOf(child.stderr)
  const receive = (line: Buffer) => handleLine(line, waiting, started.resolve)
  if (child.stdout) {
    eachLine(child.stdout, receive, { maxLineBytes: MAX_ANSWER_BYTES, onOverflow: () => killGroup(child) })
  }
  const ended = Promise.race([once(child, 'close'), once(child, 'error')]).catch(() => {})
  child.once('error', die)
  child.once('close', () => die(stderr()))
  const missingWalls = started.promise.then(() => tryWalls({ child, waiting }))
  const ready = missingWalls.then((missing) => {
    if (missing.length > 0) settings.onMissingWalls?.(missing)
    if (missing.length > 0 && !isWeakAccepted()) throw new Error(`yt-dlp can ${missing.join('; ')}`)
  })
  ready.catch(() => {})
  return { child, ready, version: started.promise, missingWalls, waiting, ended }
}

/** Starts warm.py. `program`: what Python runs. */
export const startPython = async (
  { python, packages = null, socketFolder }: WarmProcessSettings,
  program: string[] = [script],
): Promise<Child> => {
  await mkdir(socketFolder, { recursive: true, mode: 0o700 })
  const user = (await requiredIsolation()) === 'bubblewrap' ? takeUser() : null
  const settings = {
    node: process.execPath,
    filter: base64(syscallFilter()),
    templateFilter: base64(syscallFilter({ confinesForks: true })),
    userIds: user && { template: user.id, range: [userRange.first, userRange.end] },
    packages,
    certificates: certificateFile(),
    socketFolder,
    isWeak: isWeakAccepted(),
  }
  // -s and -E: only the packages and settings of the venv. -B: the folder may be read-only.
  const child = await start(python, ['-s', '-E', '-B', ...program, JSON.stringify(settings)], {
    limits,
    confinesForks: true,
    reads: [
      ...(await pythonFiles(python)),
      ...nodeFiles,
      ...certificates(),
      dirname(script),
      socketFolder,
      ...(packages ? [packages] : []),
    ],
  }).catch((error) => {
    user?.release()
    throw error
  })
  for (const event of ['error', 'close']) child.once(event, () => user?.release())
  return child
}

const base64 = (bytes: Uint8Array | null): string => Buffer.from(bytes ?? []).toString('base64')

/** The forks have walls of their own, which are checked separately. */
const tryWalls = async (running: Pick<Running, 'child' | 'waiting'>): Promise<readonly string[]> => {
  const answer = await withCheckTargets((check) => ask(running, { check, timeoutSeconds: CHECK_TIMEOUT_SECONDS }))
  const { missing } = JSON.parse(new TextDecoder().decode(answer))
  return missing ?? ['not be confined on this system']
}

const handleLine = (line: Buffer, waiting: Running['waiting'], onReady: (version: string) => void) => {
  const space = line.indexOf(' ')
  const id = Number(line.toString('latin1', 0, space))
  if (id === 0) return onReady(String(JSON.parse(line.toString('utf8', space + 1)).version))
  // A canceled request gets an answer too, but is no longer in the map.
  waiting.get(id)?.resolve(line.subarray(space + 1))
}

const write = (child: Child, message: object) => child.stdin?.write(`${JSON.stringify(message)}\n`)
