import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { promisify } from 'node:util'

/** A process of this machine. Zombies, which may be reaped later, are not listed. */
export interface Process {
  pid: number
  parent: number
  command: string
  args: string
}

const read = (path: string): string => {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    // It has ended.
    return ''
  }
}

export const allProcesses = (): Process[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      // The name in parentheses may contain spaces.
      const [, command = '', state = '', parent = ''] = /\((.*)\) (\S) (\d+)/.exec(read(`/proc/${name}/stat`)) ?? []
      const args = read(`/proc/${name}/cmdline`).replaceAll('\0', ' ')
      return parent && state !== 'Z' ? [{ pid: Number(name), parent: Number(parent), command, args }] : []
    })

export const childrenOf = (pid: number): Process[] => allProcesses().filter(({ parent }) => parent === pid)

/** Linux counts a process's time in hundredths of a second. */
const TICK_MS = 10

/** How long the process's first thread has computed, which is the one with the event loop. */
export const mainThreadMs = (pid: number): number => {
  // After the name in parentheses: the 12th and 13th field, of the user's and the system's time.
  const fields = read(`/proc/${pid}/task/${pid}/stat`)
    .replace(/^.*\) /s, '')
    .split(' ')
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS
}

/** The seconds of CPU time after which the kernel ends the process. */
export const cpuLimitOf = (pid: number): number =>
  Number(/^Max cpu time +(\d+)/m.exec(read(`/proc/${pid}/limits`))?.[1])

/** Runs prlimit as the user of the process, who needs no privilege for it. */
export const lowerCpuLimit = async (pid: number, seconds: number): Promise<void> => {
  const status = read(`/proc/${pid}/status`)
  const uid = Number(/^Uid:\s+(\d+)/m.exec(status)?.[1])
  const gid = Number(/^Gid:\s+(\d+)/m.exec(status)?.[1])
  await promisify(execFile)('prlimit', ['--pid', `${pid}`, `--cpu=${seconds}`], { uid, gid })
}

/** The processes may end while they are killed: one that waits for another ends with it. */
export const killAll = (processes: Process[]): void => {
  for (const { pid } of processes) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    }
  }
}

export const descendantsOf = (pid: number): Process[] => {
  const all = allProcesses()
  const below = (parent: number): Process[] =>
    all.filter((each) => each.parent === parent).flatMap((each) => [each, ...below(each.pid)])
  return below(pid)
}
