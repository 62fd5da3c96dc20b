import { once } from 'node:events'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { retry } from '../../../domain/retry.ts'
import { untilAborted } from '../../../domain/until-aborted.ts'
import { openDoor } from '../../sandbox/launch/door.ts'
import { takeUser, userRange } from '../../sandbox/launch/launch.ts'
import { syscallFilter } from '../../sandbox/launch/syscall-filter.ts'
import { eachLine, readAtMost, tailOf } from '../../sandbox/lines.ts'
import { killGroup, start } from '../../sandbox/process.ts'
import { certificateFile, certificates, nodeFiles, pythonFiles } from '../../sandbox/program-files.ts'
import { isWeakAccepted, requiredIsolation, wallsProgram, withCheckTargets } from '../../sandbox/walls.ts'

export interface WarmProcessSettings {
  /** The Python interpreter of a venv that contains yt-dlp. */
  python: string
  /** A folder with another version of yt-dlp. null: that of the venv. */
  packages?: string | null | undefined
  /** All proxy sockets are below this folder. */
  socketFolder: string
  /** Called after each start of yt-dlp that can do what it must not. */
  onMissingWalls?: ((missing: readonly string[]) => void) | undefined
  /** What Python runs. Default: warm.py. */
  program?: string[]
}

/** What a fork reads (forks.py), and how long it may take. */
type ForkRequest = { timeoutSeconds: number } & (
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
  /** What it knows of sites, or whether it can run the scripts of YouTube's player. */
  | { ask: 'sites' | 'scripts' }
  | { check: object }
)

/** A fault of this process and not of the source: the request can be retried. */
export class WarmProcessDied extends Error {}

/** Connects to a new fork. Rejects when the process dies. */
type Connect = (proxySocket: string) => Promise<Socket>

const script = join(import.meta.dirname, 'python/warm.py')
const closeGraceMs = 2_000
// The forks inherit these limits and lower their own. The process runs for weeks, so its CPU limit must be high.
const limits = { addressSpaceBytes: 4 * 1024 ** 3, cpuSeconds: 1_000_000, openFiles: 1024, processes: 4096 }
const CHECK_TIMEOUT_SECONDS = 20
/** More than a fork may start (confine.py). */
const TRIED_PROCESSES = 256
const MAX_ANSWER_BYTES = 16 * 1024 * 1024
/** The process may have died without that being known yet, so the second attempt may meet the same one. */
const ATTEMPTS = 3

/**
 * The Python process that keeps yt-dlp imported (warm.py). It restarts after it has died. Each request has a connection of
 * its own to a fork, so that a fork, which reads an untrusted page, cannot answer other requests.
 */
export const createWarmProcess = (settings: WarmProcessSettings) => {
  let current: ReturnType<typeof launchPython> | null = null
  let isClosed = false

  const running = async () => {
    if (isClosed) throw new WarmProcessDied('the extractor is closed')
    current ??= launchPython(settings, () => {
      current = null
    })
    return await current
  }

  return {
    /** Rejects when it cannot start, or when a wall around its forks is missing and SANDBOX is not weak. */
    ready: async () => (await running()).ready,
    /** Of yt-dlp, as it states it itself. */
    version: async () => (await running()).version,
    /** What a fork can do although it must not, each to be read after "yt-dlp can". */
    missingWalls: async () => (await running()).missingWalls,
    /** The answer as JSON (ExtractorAnswer). It comes from a fork that read an untrusted page. */
    send: (request: ForkRequest, signal: AbortSignal): Promise<Uint8Array> =>
      // Extraction changes nothing at the source, so it is safe to retry after a crash.
      retry(async () => askFork((await running()).connect, request, signal), {
        attempts: ATTEMPTS,
        isRetryable: (error) => error instanceof WarmProcessDied,
        signal,
      }),
    close: async () => {
      isClosed = true
      const { child, ended } = (await current?.catch(() => null)) ?? {}
      child?.stdin?.end()
      const timer = child && setTimeout(killGroup, closeGraceMs, child)
      await ended
      clearTimeout(timer)
    },
  }
}

/** Where we are root, each process and each fork gets its own user id. */
const userIfIsolated = async () => ((await requiredIsolation()) === 'bubblewrap' ? takeUser() : null)

const askFork = async (connect: Connect, { timeoutSeconds, ...request }: ForkRequest, signal: AbortSignal) => {
  const user = await userIfIsolated()
  const connection = connect('proxySocket' in request ? request.proxySocket : '')
  const answer = async () => {
    const fork = await connection
    // After an abort, the user id may already belong to another fork.
    signal.throwIfAborted()
    fork.write(`${JSON.stringify({ ...request, userId: user?.id ?? null })}\n`)
    const late = sleep(timeoutSeconds * 1_000, diedOf('timeout'), { ref: false })
    return await Promise.race([answerOf(fork), late])
  }
  try {
    return await untilAborted(answer(), signal)
  } finally {
    // The template then kills the fork, if it has not ended.
    connection.then((fork) => fork.destroy()).catch(() => {})
    user?.release()
  }
}

/** What a fork has written until its end. The template has added a line with the reason why it has ended. */
const answerOf = async (fork: Socket): Promise<Uint8Array> => {
  const received = await readAtMost(fork, MAX_ANSWER_BYTES).catch((cause) => {
    throw new WarmProcessDied('the connection to a fork broke', { cause })
  })
  if (!received) return diedOf('answer too long')
  const end = received.lastIndexOf('\n')
  if (end === -1) throw new WarmProcessDied('the template has died')
  const reason = received.toString('latin1', end + 1)
  return end > 0 && reason === 'done' ? received.subarray(0, end) : diedOf(reason)
}

const diedOf = (reason: string): Uint8Array => Buffer.from(JSON.stringify({ died: reason }))

const launchPython = async (settings: WarmProcessSettings, onExit: () => void) => {
  await mkdir(settings.socketFolder, { recursive: true, mode: 0o700 })
  const folder = await mkdtemp(join(settings.socketFolder, 'yt-dlp-'))
  const door = await openDoor(join(folder, 'requests'))
  const version = Promise.withResolvers<string>()
  // Nobody may wait for it yet.
  version.promise.catch(() => {})
  const end = async (message: string, cause: unknown): Promise<WarmProcessDied> => {
    onExit()
    const error = new WarmProcessDied(message, { cause })
    version.reject(error)
    door.close(error)
    await rm(folder, { recursive: true, force: true })
    return error
  }
  const child = await startPython(settings, join(folder, 'requests')).catch(async (cause) => {
    throw await end('the extractor cannot start', cause)
  })
  const stderr = tailOf(child.stderr)
  const ended = Promise.race([once(child, 'close').then(stderr), once(child, 'error')])
    .catch((error) => error)
    .then((cause) => end('the extractor has died', cause))
  const receive = (line: Buffer) => version.resolve(line.toString('utf8'))
  eachLine(child.stdout, receive, { onOverflow: () => killGroup(child) })
  const connect: Connect = (proxySocket) => {
    const connection = door.next()
    child.stdin.write(`${proxySocket}\n`)
    return connection
  }
  const missingWalls = version.promise.then(() => wallsMissingAround(connect))
  const ready = missingWalls.then((missing) => {
    if (missing.length > 0) settings.onMissingWalls?.(missing)
    if (missing.length > 0 && !isWeakAccepted()) throw new Error(`yt-dlp can ${missing.join('; ')}`)
  })
  ready.catch(() => {})
  return { child, connect, ready, version: version.promise, missingWalls, ended }
}

const startPython = async (
  { python, packages = null, socketFolder, program = [script] }: WarmProcessSettings,
  requests: string,
) => {
  const user = await userIfIsolated()
  const settings = {
    node: process.execPath,
    filter: base64(syscallFilter()),
    templateFilter: base64(syscallFilter({ confinesForks: true })),
    userIds: user && { template: user.id, range: [userRange.first, userRange.end] },
    packages,
    certificates: certificateFile(),
    socketFolder,
    requests,
    isWeak: isWeakAccepted(),
  }
  const reads = [
    ...(await pythonFiles(python)),
    ...nodeFiles,
    ...certificates(),
    ...[dirname(script), wallsProgram, socketFolder],
    ...(packages ? [packages] : []),
  ]
  // -s and -E: only the packages and settings of the venv. -B: the folder may be read-only.
  const args = ['-s', '-E', '-B', ...program, JSON.stringify(settings)]
  const child = await start(python, args, { limits, confinesForks: true, reads }).catch((error) => {
    user?.release()
    throw error
  })
  for (const event of ['error', 'close']) child.once(event, () => user?.release())
  return child
}

const base64 = (bytes: Uint8Array | null): string => Buffer.from(bytes ?? []).toString('base64')

/** The forks have walls of their own, which are checked separately. */
const wallsMissingAround = async (connect: Connect): Promise<readonly string[]> => {
  const never = new AbortController().signal
  const answer = await withCheckTargets(TRIED_PROCESSES, (check) =>
    askFork(connect, { check, timeoutSeconds: CHECK_TIMEOUT_SECONDS }, never),
  )
  const { missing } = JSON.parse(new TextDecoder().decode(answer))
  return missing ?? ['not be confined on this system']
}
