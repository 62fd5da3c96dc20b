import { spawn } from 'node:child_process'
import { chown, writeFile } from 'node:fs/promises'
import { asUser, bubblewrap, bubblewrapForForks, type FileView } from './bubblewrap.ts'
import { type Child, launchSmall } from './launcher.ts'
import { defaultLimits, endedFirst, kernelLimits, type Limits, withLimits, withLowPriority } from './limits.ts'
import { syscallFilter } from './syscall-filter.ts'

/** Only 'bubblewrap' has walls. The others are for systems without it, where the operator accepts that (SANDBOX=weak). */
export type Isolation = 'bubblewrap' | 'limits' | 'none'

export interface LaunchOptions extends FileView {
  limits?: Partial<Limits> | undefined
  /** True for the warm extractor, which may create namespaces and choose user ids, and has no system call filter. */
  confinesForks?: boolean
}

/** In the order in which the child gets them. */
const FILTER_DESCRIPTOR = 3
const OPTIONS_DESCRIPTOR = 4

export const launch = async (
  isolation: Isolation,
  command: string,
  args: string[],
  { reads, writes = [], limits: given, confinesForks = false }: LaunchOptions,
): Promise<Child> => {
  const limits = kernelLimits({ ...defaultLimits, ...given })
  const { NPROC, ...ofEachProcess } = limits
  if (isolation !== 'bubblewrap') {
    await createFiles(writes, null)
    // The number of processes is not limited: everything else that the user runs would count too.
    const prefix = isolation === 'limits' ? [...withLowPriority, ...diesWithParent, ...withLimits(ofEachProcess)] : []
    return spawnDetached([...prefix, command, ...args])
  }
  if (confinesForks) {
    const inside = [...withLimits(limits), command, ...args]
    return spawnDetached([...endedFirst, ...bubblewrapForForks({ reads }), ...inside])
  }
  const filter = syscallFilter()
  if (!filter) throw new Error(`the system calls of ${process.arch} are not known`)
  const user = takeUser()
  try {
    await createFiles(writes, user)
    const userId = user?.id ?? null
    const options = bubblewrap({ reads, writes }, userId, FILTER_DESCRIPTOR)
    // Without its own user, a child gets the limit of processes inside its user namespace, where only its own count.
    const [atStart, inside] = userId === null ? [ofEachProcess, withLimits({ NPROC })] : [limits, asUser(userId)]
    const child = await launchSmall({
      argv: ['bwrap', '--args', String(OPTIONS_DESCRIPTOR), '--', ...inside, command, ...args],
      env: environment(),
      limits: atStart,
      inputs: [filter, Buffer.from(options.join('\0'))],
    })
    child.once('error', () => user?.release())
    child.once('close', () => user?.release())
    return child
  } catch (error) {
    user?.release()
    throw error
  }
}

const spawnDetached = ([program = '', ...args]: string[]): Child =>
  spawn(program, args, { detached: true, env: environment() })

const environment = (): NodeJS.ProcessEnv => ({ PATH: process.env.PATH ?? '/usr/bin:/bin', LANG: 'C.UTF-8' })

const diesWithParent = ['setpriv', '--pdeathsig', 'KILL', '--']

/** A child's file is owned by its user, and readable by the children that get it next. */
const createFiles = async (paths: readonly string[], user: ReturnType<typeof takeUser>): Promise<void> => {
  for (const path of paths) {
    await writeFile(path, '', { mode: 0o644 })
    if (user) await chown(path, user.id, user.id)
  }
}

/** Ids from here on belong to nobody, and need no entry in /etc/passwd. */
const FIRST_ID = 200_000
/** Far more than there are places. */
const IDS_OF_A_PROCESS = 512

/** Two containers on one machine have different process ids, so they use different user ids. */
const firstId = FIRST_ID + process.pid * IDS_OF_A_PROCESS
/** For a user namespace that has them all. */
export const userRange = { first: firstId, end: firstId + IDS_OF_A_PROCESS } as const

const taken = new Set<number>()
let last = -1

/** null: we are not root. With its own id, a child cannot signal others or open their files, and has its own process count. */
export const takeUser = () => {
  if (process.getuid?.() !== 0) return null
  if (taken.size === IDS_OF_A_PROCESS) throw new Error('all user ids for child processes are taken')
  // The next id and not the lowest, so that an id is not used again right after its child.
  do last = (last + 1) % IDS_OF_A_PROCESS
  while (taken.has(last))
  const offset = last
  taken.add(offset)
  /** `release` is called when all processes of the child have ended. */
  return { id: firstId + offset, release: () => taken.delete(offset) }
}
