import { once } from 'node:events'
import { constants } from 'node:os'
import { type LaunchOptions, launch } from './launch/launch.ts'
import type { Child } from './launch/launcher.ts'
import { eachLine, type LineLimits, tailOf } from './lines.ts'
import { requiredIsolation } from './walls.ts'

/**
 * Runs the programs that process untrusted files. A child sees the system's programs, the files that are named for it
 * and its own processes; it has an empty environment, limits, no network and no capabilities. It is killed together
 * with the processes that it has started.
 */
export interface SandboxOptions extends LaunchOptions {
  signal?: AbortSignal | undefined
}

export interface RunOptions extends SandboxOptions, Pick<LineLimits, 'maxLineBytes'> {
  /** null: only the signal limits its time. */
  timeoutMs: number | null
  /** Receives each line of stdout. The result's `stdout` is then empty. */
  onStdoutLine?: (line: string) => void
  /** By default 16 MiB, or 256 MiB of lines. */
  maxStdoutBytes?: number
}

export type RunResult = Awaited<ReturnType<typeof run>>

/** The child was killed after a timeout or too much output. An abort throws the signal's reason instead. */
export class ChildStopped extends Error {
  readonly reason: 'timeout' | 'output'
  constructor(command: string, reason: 'timeout' | 'output') {
    super(`${command}: ${reason === 'timeout' ? 'timed out' : 'wrote too much output'}`)
    this.reason = reason
  }
}

const graceMs = 2_000

/** Starts a child that runs longer or communicates over pipes. The abort signal kills the whole process group. */
export const start = async (command: string, args: string[], options: SandboxOptions = {}): Promise<Child> => {
  const { signal } = options
  signal?.throwIfAborted()
  const isolation = await requiredIsolation()
  signal?.throwIfAborted()
  const child = await launch(isolation, command, args, options)
  const stop = () => killGroup(child)
  signal?.addEventListener('abort', stop, { once: true })
  if (signal?.aborted) stop()
  child.once('error', () => signal?.removeEventListener('abort', stop))
  child.once('exit', () => {
    signal?.removeEventListener('abort', stop)
    // Grandchildren must not outlive the child.
    signalGroup(child, 'SIGKILL')
  })
  // EPIPE after the child has exited; the exit code reports the cause.
  child.stdin.on('error', () => {})
  return child
}

export const killGroup = (child: Child): void => {
  if (child.exitCode !== null || child.signalCode !== null) return
  signalGroup(child, 'SIGTERM')
  const timer = setTimeout(() => signalGroup(child, 'SIGKILL'), graceMs)
  child.once('exit', () => clearTimeout(timer))
}

const signalGroup = (child: Child, name: NodeJS.Signals): void => {
  if (child.pid === undefined) return
  try {
    process.kill(-child.pid, name)
  } catch {
    // The group has already exited.
  }
}

/** `code` is as in a shell: 128 plus the number of the signal that ended the child. `stderr` is its last 64 KiB. */
export const run = async (command: string, args: string[], options: RunOptions) => {
  const child = await start(command, args, options)
  child.stdin.end()
  let stopped: ChildStopped | null = null
  const stop = (reason: ChildStopped['reason']) => {
    if (!stopped) killGroup(child)
    stopped ??= new ChildStopped(command, reason)
  }
  const timer = options.timeoutMs === null ? undefined : setTimeout(stop, options.timeoutMs, 'timeout')
  const stdout = readStdout(child, options, () => stop('output'))
  const stderr = tailOf(child.stderr)
  try {
    const [status, killedBy] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null]
    options.signal?.throwIfAborted()
    if (stopped) throw stopped
    const code = status ?? (killedBy && 128 + constants.signals[killedBy])
    return { code, stdout: stdout(), stderr: stderr() }
  } finally {
    clearTimeout(timer)
  }
}

const readStdout = (child: Child, options: RunOptions, onOverflow: () => void): (() => string) => {
  const { onStdoutLine, maxLineBytes } = options
  const { maxStdoutBytes: maxBytes = (onStdoutLine ? 256 : 16) * 1024 * 1024 } = options
  if (onStdoutLine) {
    eachLine(child.stdout, (line) => onStdoutLine(line.toString('utf8')), { maxLineBytes, maxBytes, onOverflow })
    return () => ''
  }
  const chunks: Buffer[] = []
  let size = 0
  child.stdout.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (size > maxBytes) onOverflow()
    else chunks.push(chunk)
  })
  return () => Buffer.concat(chunks).toString('utf8')
}
