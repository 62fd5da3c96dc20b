import { type ChildProcess, spawn } from 'node:child_process'
import { createWriteStream } from 'node:fs'
import { Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { isAlive } from '../setup/install.mjs'

export interface ChildOptions {
  cwd: string
  env: NodeJS.ProcessEnv
  onLine: (line: string, from: 'stdout' | 'stderr') => void
  stopSignal?: 'SIGINT' | 'SIGTERM'
}

/** Longer than the five seconds in which the container returns its leases. */
const GRACE_MS = 6_000
const REAPED_MS = 1_000

/** The child leads a process group, so that its children end with it. If we are killed, a watchdog stops the group. */
export const startChild = (command: string, args: string[], options: ChildOptions) => {
  const { cwd, env, onLine, stopSignal = 'SIGTERM' } = options
  const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
  createInterface({ input: child.stdout }).on('line', (line) => onLine(line, 'stdout'))
  createInterface({ input: child.stderr }).on('line', (line) => onLine(line, 'stderr'))
  const watchdog = child.pid ? startWatchdog(child.pid, stopSignal) : null
  /** `reason`: `code 1` or `SIGKILL`. */
  const exited = new Promise<{ reason: string }>((resolve) => {
    child.once('error', (error) => resolve({ reason: error.message }))
    child.once('exit', (code, signal) => {
      watchdog?.kill('SIGKILL')
      killGroup(child, 'SIGKILL')
      resolve({ reason: signal ?? `code ${code}` })
    })
  })
  const closed = new Promise((resolve) => child.once('close', resolve))
  return {
    pid: child.pid,
    exited,
    /** Resolves when the child is gone. Kills its group after `GRACE_MS`, unless the signal lets it finish its work. */
    stop: async (signal: NodeJS.Signals = stopSignal): Promise<void> => {
      if (child.exitCode === null && child.signalCode === null) {
        if (signal === 'SIGKILL') killGroup(child, signal)
        else child.kill(signal)
        const isUrgent = signal === stopSignal
        const killLater = isUrgent ? setTimeout(() => killGroup(child, 'SIGKILL'), GRACE_MS) : undefined
        await exited
        clearTimeout(killLater)
        await groupGone(child)
      }
      // Its last lines may still be in the pipe, which a process outside of its group may keep open.
      await Promise.race([closed, sleep(GRACE_MS, undefined, { ref: false })])
    },
  }
}

export type Child = ReturnType<typeof startChild>

/** A killed process and its ports stay for a moment. A zombie that is never reaped would stay forever. */
const groupGone = async ({ pid }: ChildProcess): Promise<void> => {
  const until = performance.now() + REAPED_MS
  while (pid && isAlive(-pid) && performance.now() < until) await sleep(10)
}

const killGroup = ({ pid }: ChildProcess, signal: NodeJS.Signals): void => {
  try {
    if (pid) process.kill(-pid, signal)
  } catch {
    // The group has no processes left.
  }
}

/** A shell that reads from a pipe. The pipe closes when this process ends, and the shell then stops the group. */
const startWatchdog = (pid: number, stopSignal: string): ChildProcess => {
  const script = 'read -r _; kill -s "$1" -- "-$0"; sleep 5; kill -s KILL -- "-$0"'
  const watchdog = spawn('/bin/sh', ['-c', script, String(pid), stopSignal.slice(3)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  watchdog.unref()
  if (watchdog.stdin instanceof Socket) watchdog.stdin.unref()
  return watchdog
}

const TAIL_LINES = 20

/** The output of a child since its latest start, with the last lines in memory for error messages. */
export const openLog = (path: string) => {
  const stream = createWriteStream(path, { flags: 'w', mode: 0o600 })
  const last: string[] = []
  return {
    write: (line: string) => {
      if (stream.writableEnded) return
      stream.write(`${line}\n`)
      last.push(line)
      if (last.length > TAIL_LINES) last.shift()
    },
    tail: () => last.join('\n'),
    close: () => stream.end(),
  }
}

export type LogFile = ReturnType<typeof openLog>
