import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { isolation, type Limits, wrap } from './isolation.ts'

export { type Isolation, isolation, type Limits } from './isolation.ts'

/**
 * Runs the programs that process untrusted files. A child gets an empty environment, its own limits, a process group
 * that is killed as a whole, no capabilities, and no network where the system allows it.
 */
export interface SandboxOptions {
  signal?: AbortSignal | undefined
  limits?: Partial<Limits>
  /** The warm extractor keeps its capabilities, because it creates a network namespace for each of its forks. */
  capabilities?: 'dropped' | 'kept'
  cwd?: string
}

export interface RunOptions extends SandboxOptions {
  timeoutMs: number
  /** Receives each line of stdout; RunResult.stdout is then empty. */
  onStdoutLine?: (line: string) => void
  maxStdoutBytes?: number
}

export interface RunResult {
  /** null when a signal ended the child, for example because it exceeded a limit. */
  code: number | null
  stdout: string
  /** Only the last 64 KiB. */
  stderr: string
}

/** The child was killed after a timeout or too much output. An abort throws the signal's reason instead. */
export class ChildStopped extends Error {
  readonly reason: 'timeout' | 'output'
  constructor(command: string, reason: 'timeout' | 'output') {
    super(`${command}: ${reason === 'timeout' ? 'timed out' : 'wrote too much output'}`)
    this.reason = reason
  }
}

const defaultLimits: Limits = {
  addressSpaceBytes: 2 * 1024 ** 3,
  cpuSeconds: 600,
  fileSizeBytes: 64 * 1024 ** 3,
  openFiles: 256,
}
const graceMs = 2_000
const maxStderrBytes = 64 * 1024
const defaultStdoutBytes = 16 * 1024 * 1024

/** Starts a child that runs longer or communicates over pipes. The abort signal kills the whole process group. */
export const start = async (command: string, args: string[], options: SandboxOptions = {}): Promise<ChildProcess> => {
  const { signal, capabilities = 'dropped', cwd } = options
  signal?.throwIfAborted()
  const limits = { ...defaultLimits, ...options.limits }
  const [program, argv] = wrap(await isolation(), command, args, { limits, capabilities })
  signal?.throwIfAborted()
  const child = spawn(program, argv, {
    cwd,
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH ?? '/usr/bin:/bin', LANG: 'C.UTF-8' },
  })
  const stop = () => killGroup(child)
  signal?.addEventListener('abort', stop, { once: true })
  child.once('error', () => signal?.removeEventListener('abort', stop))
  child.once('exit', () => {
    signal?.removeEventListener('abort', stop)
    // Grandchildren must not outlive the child.
    signalGroup(child, 'SIGKILL')
  })
  // EPIPE after the child has exited; the exit code reports the cause.
  child.stdin?.on('error', () => {})
  return child
}

/** Sends SIGTERM to the whole process group, then SIGKILL after two seconds. */
export const killGroup = (child: ChildProcess): void => {
  if (child.exitCode !== null || child.signalCode !== null) return
  signalGroup(child, 'SIGTERM')
  const timer = setTimeout(() => signalGroup(child, 'SIGKILL'), graceMs)
  child.once('exit', () => clearTimeout(timer))
}

const signalGroup = (child: ChildProcess, name: NodeJS.Signals): void => {
  if (child.pid === undefined) return
  try {
    process.kill(-child.pid, name)
  } catch {
    // The group has already exited.
  }
}

export const run = async (command: string, args: string[], options: RunOptions): Promise<RunResult> => {
  const child = await start(command, args, options)
  child.stdin?.end()
  let stopped: ChildStopped | null = null
  const stop = (reason: ChildStopped['reason']) => {
    stopped ??= new ChildStopped(command, reason)
    killGroup(child)
  }
  const timer = setTimeout(stop, options.timeoutMs, 'timeout')
  const stdout = readStdout(child, options, () => stop('output'))
  const stderr = readTail(child)
  try {
    const code = await exited(child)
    options.signal?.throwIfAborted()
    if (stopped) throw stopped
    return { code, stdout: stdout(), stderr: stderr() }
  } finally {
    clearTimeout(timer)
  }
}

const exited = (child: ChildProcess): Promise<number | null> =>
  new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })

const readStdout = (child: ChildProcess, options: RunOptions, onOverflow: () => void): (() => string) => {
  if (!child.stdout) return () => ''
  if (options.onStdoutLine) {
    createInterface({ input: child.stdout }).on('line', options.onStdoutLine)
    return () => ''
  }
  const maxBytes = options.maxStdoutBytes ?? defaultStdoutBytes
  const chunks: Buffer[] = []
  let size = 0
  child.stdout.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (size > maxBytes) onOverflow()
    else chunks.push(chunk)
  })
  return () => Buffer.concat(chunks).toString('utf8')
}

const readTail = (child: ChildProcess): (() => string) => {
  let tail = Buffer.alloc(0)
  child.stderr?.on('data', (chunk: Buffer) => {
    tail = Buffer.concat([tail, chunk]).subarray(-maxStderrBytes)
  })
  return () => tail.toString('utf8')
}
