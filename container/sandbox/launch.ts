import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { chown, writeFile } from 'node:fs/promises'
import { setPriority } from 'node:os'
import type { Writable } from 'node:stream'
import { asUser, bubblewrap, bubblewrapForForks, type FileView } from './bubblewrap.ts'
import { defaultLimits, endedFirst, type Limits, NICENESS, OOM_SCORE, withLimits, withLowPriority } from './limits.ts'
import { syscallFilter } from './syscall-filter.ts'
import { type ChildUser, takeUser } from './users.ts'

/**
 * How children are started. 'bubblewrap' is the only one with walls. The others are for systems without it, where the
 * operator has accepted that (SANDBOX=weak): with resource limits, or with none.
 */
export type Isolation = 'bubblewrap' | 'limits' | 'none'

export interface LaunchOptions extends FileView {
  limits?: Partial<Limits> | undefined
  /** For the warm extractor. It may create namespaces and choose user ids, and has no system call filter. */
  confinesForks?: boolean
}

const FILTER_DESCRIPTOR = 3
const OPTIONS_DESCRIPTOR = 4

/** Starts a child with its files, user, limits and system call filter, and without environment. */
export const launch = async (
  isolation: Isolation,
  command: string,
  args: string[],
  { reads, writes = [], limits: given, confinesForks = false }: LaunchOptions,
): Promise<ChildProcess> => {
  const limits = { ...defaultLimits, ...given }
  if (isolation !== 'bubblewrap') {
    await createFiles(writes, null)
    const prefix = isolation === 'limits' ? [...withLowPriority, ...diesWithParent, ...sharedLimits(limits)] : []
    return spawnDetached([...prefix, command, ...args])
  }
  const inside = [...withLimits(limits), command, ...args]
  if (confinesForks) return spawnDetached([...endedFirst, ...bubblewrapForForks({ reads }), ...inside])
  const filter = syscallFilter()
  if (!filter) throw new Error(`the system calls of ${process.arch} are not known`)
  const user = takeUser()
  try {
    await createFiles(writes, user)
    const userId = user?.id ?? null
    const wrapper = ['bwrap', '--args', String(OPTIONS_DESCRIPTOR), '--', ...asUser(userId)]
    const child = spawnDetached([...wrapper, ...inside], ['pipe', 'pipe'])
    // bwrap starts nothing before it has read its options, so all of its processes inherit this.
    lowerPriority(child)
    const options = bubblewrap({ reads, writes, userId, filterDescriptor: FILTER_DESCRIPTOR })
    send(Buffer.from(options.join('\0')), child.stdio[OPTIONS_DESCRIPTOR] as Writable)
    send(filter, child.stdio[FILTER_DESCRIPTOR] as Writable)
    child.once('error', () => user?.release())
    child.once('close', () => user?.release())
    return child
  } catch (error) {
    user?.release()
    throw error
  }
}

const spawnDetached = ([program = '', ...args]: string[], more: 'pipe'[] = []): ChildProcess => {
  const options: SpawnOptions = {
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe', ...more],
    env: { PATH: process.env.PATH ?? '/usr/bin:/bin', LANG: 'C.UTF-8' },
  }
  return spawn(program, args, options)
}

/** What `nice` and `choom` do, without starting them. */
const lowerPriority = (child: ChildProcess): void => {
  // The start has failed, which an event reports.
  if (child.pid === undefined) return
  try {
    setPriority(child.pid, NICENESS)
    writeFileSync(`/proc/${child.pid}/oom_score_adj`, String(OOM_SCORE))
  } catch (error) {
    child.kill('SIGKILL')
    throw error
  }
}

const diesWithParent = ['setpriv', '--pdeathsig', 'KILL', '--']

/** Without a user of its own, a child would be counted together with everything else that its user runs. */
const sharedLimits = (limits: Limits): string[] => withLimits(limits).filter((flag) => !flag.startsWith('--nproc'))

/** A child's file is owned by its user, and readable by the children that get it next. */
const createFiles = async (paths: readonly string[], user: ChildUser | null): Promise<void> => {
  for (const path of paths) {
    await writeFile(path, '', { mode: 0o644 })
    if (user) await chown(path, user.id, user.id)
  }
}

const send = (bytes: Uint8Array, stream: Writable): void => {
  // bwrap has ended without reading. Its exit code reports the cause.
  stream.on('error', () => {})
  stream.end(bytes)
}
