import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { isolation, type Limits, wrap } from './sandbox.ts'

export { type Isolation, isolation, type Limits } from './sandbox.ts'

/**
 * Runs the programs that open strangers' bytes. A child gets an empty environment, limits of its own, a
 * process group that dies as a whole, no privilege, and (where the system allows) no network at all.
 */
export interface SandboxOptions {
  signal?: AbortSignal | undefined
  limits?: Partial<Limits>
  /** 'none' is a namespace without a way out; unix sockets in the file system still work. */
  network?: 'none' | 'host'
  /** The warm extractor keeps its capabilities inside the namespace, to make one for each of its forks. */
  capabilities?: 'dropped' | 'kept'
  cwd?: string
}

export interface RunOptions extends SandboxOptions {
  timeoutMs: number
  /** Takes the lines as they come; stdout is then not kept. */
  onStdoutLine?: (line: string) => void
  maxStdoutBytes?: number
}

export interface RunResult {
  /** null when a signal ended it, for example because it went over a limit. */
  code: number | null
  stdout: string
  /** The last part only. */
  stderr: string
}

/** The child was ended by us. An abort throws the signal's reason instead. */
export class ChildStopped extends Error {
  readonly reason: 'timeout' | 'output'
  constructor(command: string, reason: 'timeout' | 'output') {
    super(`${command}: ${reason === 'timeout' ? 'took too long' : 'said too much'}`)
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
const keptStderrBytes = 64 * 1024
const defaultStdoutBytes = 16 * 1024 * 1024

/** For children that live longer or speak over pipes. The abort signal ends the whole group. */
export const start = async (command: string, args: string[], options: SandboxOptions = {}): Promise<ChildProcess> => {
  const { signal, network = 'none', capabilities = 'dropped', cwd } = options
  signal?.throwIfAborted()
  const limits = { ...defaultLimits, ...options.limits }
  const [program, argv] = wrap(await isolation(), command, args, { limits, network, capabilities })
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
    // Grandchildren must not outlive the one that we know.
    signalGroup(child, 'SIGKILL')
  })
  // Writing to a child that has gone is seen by its exit code.
  child.stdin?.on('error', () => {})
  return child
}

/** Asks the whole group to end, then makes it. */
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
    // The group is gone already.
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
    const code = await ended(child)
    options.signal?.throwIfAborted()
    if (stopped) throw stopped
    return { code, stdout: stdout(), stderr: stderr() }
  } finally {
    clearTimeout(timer)
  }
}

const ended = (child: ChildProcess): Promise<number | null> =>
  new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })

const readStdout = (child: ChildProcess, options: RunOptions, overflow: () => void): (() => string) => {
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
    if (size > maxBytes) overflow()
    else chunks.push(chunk)
  })
  return () => Buffer.concat(chunks).toString('utf8')
}

const readTail = (child: ChildProcess): (() => string) => {
  let tail = Buffer.alloc(0)
  child.stderr?.on('data', (chunk: Buffer) => {
    tail = Buffer.concat([tail, chunk]).subarray(-keptStderrBytes)
  })
  return () => tail.toString('utf8')
}
