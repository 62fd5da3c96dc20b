import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { withCheckTargets } from './check-targets.ts'
import { type Isolation, launch } from './launch.ts'
import { containerFiles } from './program-files.ts'
import type { WallCheck } from './wall-check.ts'

/** How children are isolated on this system. */
export interface Walls {
  isolation: Isolation
  /** Empty, or what a child can do, each to be read after "child processes can". */
  missing: readonly string[]
}

/** A step that needed a child process on a system without walls. */
export class WallsMissing extends Error {}

const found: { walls?: Promise<Walls>; isWeakAccepted: boolean } = { isWeakAccepted: false }

/** SANDBOX=weak: the operator accepts the walls that are missing. */
export const acceptWeakSandbox = (): void => {
  found.isWeakAccepted = true
}

export const isWeakAccepted = (): boolean => found.isWeakAccepted

/** Checked once, because a system does not change while the container runs. */
export const findWalls = (): Promise<Walls> => {
  found.walls ??= tryWalls()
  return found.walls
}

/** How to start a child. Rejects if a wall is missing and the operator has not accepted it. */
export const requiredIsolation = async (): Promise<Isolation> => {
  const { isolation, missing } = await findWalls()
  if (missing.length > 0 && !found.isWeakAccepted) throw new WallsMissing(`child processes can ${missing.join(', ')}`)
  return isolation
}

const script = fileURLToPath(new URL('wall-check.ts', import.meta.url))
const CHECK_TIMEOUT_MS = 20_000
/** Enough for Node's own threads. */
const PROCESSES = 48

/** Starts a child that tries to get out. */
const tryWalls = async (): Promise<Walls> => {
  try {
    const missing = await withCheckTargets((targets) => checkFromInside({ ...targets, processes: PROCESSES }))
    return { isolation: 'bubblewrap', missing }
  } catch (error) {
    return {
      isolation: await withoutWalls(),
      missing: [`do all that this container can (${reasonOf(error as Error)})`],
    }
  }
}

const checkFromInside = async (check: WallCheck): Promise<string[]> => {
  const limits = { processes: check.processes, addressSpaceBytes: 4 * 1024 ** 3 }
  const child = await launch('bubblewrap', process.execPath, [script, JSON.stringify(check)], {
    limits,
    reads: containerFiles,
  })
  const timer = setTimeout(() => child.kill('SIGKILL'), CHECK_TIMEOUT_MS)
  try {
    const ended = once(child, 'close')
    ended.catch(() => {})
    const [stdout, stderr] = await Promise.all([textOf(child.stdout), textOf(child.stderr), ended])
    if (child.exitCode !== 0) throw new Error(stderr.trim().split('\n').at(-1) || `bubblewrap: ${child.exitCode}`)
    return JSON.parse(stdout)
  } finally {
    clearTimeout(timer)
  }
}

const reasonOf = ({ message }: Error): string => {
  if (process.platform !== 'linux') return 'bubblewrap needs Linux'
  return message === 'spawn bwrap ENOENT' ? 'bubblewrap is not installed' : message
}

const textOf = (stream: NodeJS.ReadableStream | null): Promise<string> => (stream ? text(stream) : Promise.resolve(''))

const withoutWalls = async (): Promise<Isolation> => {
  const child = await launch('limits', 'true', [], {})
  return new Promise((resolve) => {
    child.once('error', () => resolve('none'))
    child.once('exit', (code) => resolve(code === 0 ? 'limits' : 'none'))
  })
}
