import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { type Isolation, launch } from './launch/launch.ts'
import { launcherPython } from './launch/launcher.ts'
import { pythonFiles } from './program-files.ts'

interface Walls {
  isolation: Isolation
  /** Empty, or what a child can do, each to be read after "child processes can". */
  missing: readonly string[]
}

let walls: Promise<Walls> | null = null
let isAccepted = false

/** SANDBOX=weak: the operator accepts the walls that are missing. */
export const acceptWeakSandbox = (): void => {
  isAccepted = true
}
export const isWeakAccepted = (): boolean => isAccepted

/** Checked once, because a system does not change while the container runs. */
export const findWalls = (): Promise<Walls> => {
  walls ??= tryWalls()
  return walls
}

/** How to start a child. Rejects if a wall is missing and the operator has not accepted it. */
export const requiredIsolation = async (): Promise<Isolation> => {
  const { isolation, missing } = await findWalls()
  if (missing.length > 0 && !isAccepted) throw new Error(`child processes can ${missing.join(', ')}`)
  return isolation
}

/** What tries the walls from inside. */
export const wallsProgram = fileURLToPath(new URL('walls.py', import.meta.url))
const CHECK_TIMEOUT_MS = 20_000
const PROCESSES = 48

/** What walls.py tries to reach. */
interface CheckTargets {
  /** Only the user of this process may read it. */
  secretFile: string
  /** On the loopback interface. */
  port: number
  /** This process is root, so its children must not be. */
  changesUser: boolean
  /** How many it tries to start: more than the limit. */
  processes: number
}

export const withCheckTargets = async <T>(processes: number, work: (targets: CheckTargets) => Promise<T>) => {
  const folder = await mkdtemp(join(tmpdir(), 'haul-walls-'))
  const server = createServer().listen(0, '127.0.0.1').unref()
  try {
    await once(server, 'listening')
    const secretFile = join(folder, 'secret')
    await writeFile(secretFile, 'secret', { mode: 0o600 })
    const { port } = server.address() as AddressInfo
    return await work({ secretFile, port, changesUser: process.getuid?.() === 0, processes })
  } finally {
    server.close()
    await rm(folder, { recursive: true, force: true })
  }
}

const tryWalls = async (): Promise<Walls> => {
  try {
    return { isolation: 'bubblewrap', missing: await withCheckTargets(PROCESSES, checkFromInside) }
  } catch (error) {
    const missing = [`do all that this container can (${reasonOf(error as Error)})`]
    return { isolation: await withoutWalls(), missing }
  }
}

const checkFromInside = async (targets: CheckTargets): Promise<string[]> => {
  const python = launcherPython()
  const child = await launch('bubblewrap', python, ['-I', '-B', wallsProgram, JSON.stringify(targets)], {
    limits: { processes: targets.processes },
    reads: [...(await pythonFiles(python)), wallsProgram],
  })
  const timer = setTimeout(() => child.kill('SIGKILL'), CHECK_TIMEOUT_MS)
  try {
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
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

const withoutWalls = async (): Promise<Isolation> => {
  const [code] = await once(await launch('limits', 'true', [], {}), 'exit').catch(() => [])
  return code === 0 ? 'limits' : 'none'
}

export type SandboxState = Awaited<ReturnType<typeof checkSandbox>>

/** For /health and the decision to accept work. Resolves when the walls around children that run once are known. */
export const checkSandbox = async (onMissing: (sentence: string) => void) => {
  const missing: string[] = []
  const describe = () => {
    const refused = 'Until this is fixed, the container does no work. To accept it, set SANDBOX=weak.'
    return `${missing.join('. ')}. ${isAccepted ? 'SANDBOX=weak accepts this.' : refused}`
  }
  const add = (who: string, walls: readonly string[]) => {
    const sentence = `${who} can ${walls.join(', ')}`
    if (walls.length === 0 || missing.includes(sentence)) return
    missing.push(sentence)
    onMissing(describe())
  }
  const { isolation, missing: ofChildren } = await findWalls()
  add('Child processes', ofChildren)
  return {
    /** False: a wall is missing, and the operator has not set SANDBOX=weak. */
    get mayWork(): boolean {
      return missing.length === 0 || isAccepted
    },
    /** true, or a sentence that names the missing walls. */
    get health(): true | string {
      return missing.length === 0 || describe()
    },
    /** Walls around yt-dlp are known when it has started. Until then its forks refuse on their own to read a page. */
    ytDlpMisses: (walls: readonly string[]): void => {
      // Without bubblewrap nothing is isolated, and yt-dlp adds nothing to the sentence.
      if (isolation === 'bubblewrap') add('yt-dlp', walls)
    },
  }
}
