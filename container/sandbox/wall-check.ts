import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { dirname, join } from 'node:path'
import type { CheckTargets } from './check-targets.ts'

/**
 * Runs as a child process and tries what the walls must prevent. It prints the walls that are missing, as JSON.
 * walls.ts starts it once, before the container accepts work.
 */

export interface WallCheck extends CheckTargets {
  /** The limit. */
  processes: number
}

/** Named as what a child can do without it. */
export type MissingWall = (typeof wallNames)[number]

const wallNames = [
  'read files of other programs',
  'write files of other programs',
  'see other processes',
  'use the network',
  'use capabilities',
  'make dangerous system calls',
  'start any number of processes',
  'act as the user of this container',
] as const

const fails = (attempt: () => unknown): boolean => {
  try {
    attempt()
    return false
  } catch {
    return true
  }
}

const status = (): Map<string, string> =>
  new Map(
    readFileSync('/proc/self/status', 'utf8')
      .split('\n')
      .map((line) => line.split(':\t') as [string, string]),
  )

const isConnected = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('error', () => resolve(false))
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
  })

/** Whether the kernel refuses to start more processes than the limit. They end with this one. */
const cannotFork = async (processes: number): Promise<boolean> => {
  const started: ChildProcess[] = Array.from({ length: processes }, () => spawn('sleep', ['10'], { stdio: 'ignore' }))
  const outcomes = started.map(
    (child) =>
      new Promise<boolean>((resolve) => {
        child.once('error', () => resolve(true))
        child.once('spawn', () => resolve(false))
      }),
  )
  const isRefused = (await Promise.all(outcomes)).includes(true)
  for (const child of started) child.kill('SIGKILL')
  return isRefused
}

const check = async ({ secretFile, port, processes, changesUser }: WallCheck): Promise<MissingWall[]> => {
  const facts = status()
  const hasNone = (name: string) => /^0+$/.test(facts.get(name) ?? '')
  const walls: Record<MissingWall, boolean> = {
    'read files of other programs': fails(() => readFileSync(secretFile)),
    'write files of other programs': fails(() => writeFileSync(join(dirname(secretFile), 'written'), '')),
    // bwrap, this process, and nothing else.
    'see other processes': readdirSync('/proc').filter((name) => /^\d+$/.test(name)).length <= 2,
    'use the network': !(await isConnected(port)) && readFileSync('/proc/net/dev', 'utf8').match(/:/g)?.length === 1,
    'use capabilities': ['CapPrm', 'CapEff', 'CapBnd'].every(hasNone) && facts.get('NoNewPrivs') === '1',
    'make dangerous system calls':
      facts.get('Seccomp') === '2' && spawnSync('unshare', ['--user', 'true']).status !== 0,
    'start any number of processes': await cannotFork(processes),
    'act as the user of this container': !changesUser || process.getuid?.() !== 0,
  }
  return wallNames.filter((name) => !walls[name])
}

if (import.meta.main) console.log(JSON.stringify(await check(JSON.parse(process.argv[2] ?? ''))))
