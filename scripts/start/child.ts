import { type ChildProcess, spawn } from 'node:child_process'
import { Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * A child with a process group of its own, so that its children end with it: wrangler's workerd, for
 * example. Should we be killed without a chance to stop it, its leash does.
 */
export interface Child {
  readonly pid: number | undefined
  readonly exited: Promise<Exit>
  /** Asks first, kills what is left of the group after `GRACE_MS`, and waits until the child is gone. */
  stop(signal?: NodeJS.Signals): Promise<void>
}

export interface Exit {
  /** `code 1` or `SIGKILL`. */
  how: string
}

export interface ChildOptions {
  cwd: string
  env: NodeJS.ProcessEnv
  onLine: (line: string, from: 'stdout' | 'stderr') => void
}

/** The container gives its steps back within five seconds. */
const GRACE_MS = 6_000
const REAPED_MS = 1_000

export const startChild = (command: string, args: string[], { cwd, env, onLine }: ChildOptions): Child => {
  const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
  createInterface({ input: child.stdout }).on('line', (line) => onLine(line, 'stdout'))
  createInterface({ input: child.stderr }).on('line', (line) => onLine(line, 'stderr'))
  const leash = child.pid ? putOnLeash(child.pid) : null
  const exited = new Promise<Exit>((resolve) => {
    child.once('error', (error) => resolve({ how: error.message }))
    child.once('exit', (code, signal) => {
      leash?.kill('SIGKILL')
      killGroup(child, 'SIGKILL')
      resolve({ how: signal ?? `code ${code}` })
    })
  })
  return {
    pid: child.pid,
    exited,
    stop: (signal = 'SIGTERM') => stop(child, exited, signal),
  }
}

const stop = async (child: ChildProcess, exited: Promise<Exit>, signal: NodeJS.Signals): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return
  if (signal === 'SIGKILL') killGroup(child, signal)
  else child.kill(signal)
  const impatience = setTimeout(() => killGroup(child, 'SIGKILL'), GRACE_MS)
  await exited
  clearTimeout(impatience)
  await groupGone(child)
}

/** A process that was killed is there for a moment longer, and so are its ports. One that nobody reaps stays. */
const groupGone = async ({ pid }: ChildProcess): Promise<void> => {
  const until = performance.now() + REAPED_MS
  while (pid && isAlive(-pid) && performance.now() < until) await sleep(10)
}

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

const killGroup = ({ pid }: ChildProcess, signal: NodeJS.Signals): void => {
  try {
    if (pid) process.kill(-pid, signal)
  } catch {
    // Nobody of the group is left.
  }
}

/** A shell that reads from a pipe whose other end only we hold: it reads the end when we are no more. */
const putOnLeash = (pid: number): ChildProcess => {
  const script = 'read -r _; kill -s TERM -- "-$0"; sleep 5; kill -s KILL -- "-$0"'
  const leash = spawn('/bin/sh', ['-c', script, String(pid)], { stdio: ['pipe', 'ignore', 'ignore'], detached: true })
  leash.unref()
  if (leash.stdin instanceof Socket) leash.stdin.unref()
  return leash
}
