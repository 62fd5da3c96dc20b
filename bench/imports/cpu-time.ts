import { existsSync } from 'node:fs'
import { mkdir, readFile, rmdir, writeFile } from 'node:fs/promises'
import { childrenOf, descendantsOf } from './memory.ts'

/** CPU seconds of `npm start` and of everything that it has started, by what spent them. */
export interface CpuSeconds {
  /** The container's own process. */
  container: number
  /** The process that starts its children. */
  launcher: number
  /** bwrap, ffprobe, ffmpeg. */
  programs: number
  /** The processes that parse untrusted text. */
  readers: number
  /** The warm yt-dlp and its forks. */
  extractor: number
  /** The runtime that runs the Worker. */
  workerd: number
  /** Wrangler, and the runtime of its proxy in front of the Worker. */
  wrangler: number
  /** `npm start` itself: the server in front of wrangler. */
  start: number
}

type Owner = keyof CpuSeconds

export interface CpuMeter {
  read(): Promise<CpuSeconds>
  close(): Promise<void>
}

/**
 * `pid`: that of `npm start`. Needs root: bwrap does not wait for the processes in its namespace, so only a control group
 * knows what they spent.
 */
export const createCpuMeter = async (pid: number): Promise<CpuMeter> => {
  const group = await createGroup(await containerOf(pid))
  return {
    read: async () => {
      const spent = await timesByOwner(pid)
      const { container, launcher, readers, extractor } = spent
      return { ...spent, programs: (await group.seconds()) - container - launcher - readers - extractor }
    },
    close: group.remove,
  }
}

/** A control group (version 1 or 2) with the container and all that it has started and will start. */
const createGroup = async (pid: number) => {
  const isFirstVersion = existsSync('/sys/fs/cgroup/cpuacct')
  const folder = `/sys/fs/cgroup/${isFirstVersion ? 'cpuacct/' : ''}haul-bench-${pid}`
  await mkdir(folder)
  const move = async (to: string) => {
    for (const each of [pid, ...(await descendantsOf(pid))])
      await writeFile(`${to}/cgroup.procs`, String(each)).catch(() => {})
  }
  await move(folder)
  return {
    seconds: async (): Promise<number> => {
      if (isFirstVersion) return Number(await readFile(`${folder}/cpuacct.usage`, 'utf8')) / 1e9
      const [, microseconds] = /usage_usec (\d+)/.exec(await readFile(`${folder}/cpu.stat`, 'utf8')) ?? []
      return Number(microseconds) / 1e6
    },
    /** A group can be removed once its processes have ended or left. */
    remove: async (): Promise<void> => {
      await move(`${folder}/..`)
      await rmdir(folder).catch(() => {})
    },
  }
}

const timesByOwner = async (pid: number): Promise<CpuSeconds> => {
  const spent: CpuSeconds = {
    container: 0,
    launcher: 0,
    programs: 0,
    readers: 0,
    extractor: 0,
    workerd: 0,
    wrangler: 0,
    start: 0,
  }
  const ownerOf = async (pid: number, parent: Owner): Promise<Owner> => {
    const command = await commandOf(pid)
    if (parent === 'start' && isContainer(command)) return 'container'
    if (parent === 'start' && command.includes('wrangler-dist')) return 'wrangler'
    if (parent === 'container') return command.includes('warm.py') ? 'extractor' : 'launcher'
    if (parent === 'launcher') return command.includes('reader-process.ts') ? 'readers' : 'programs'
    if (parent !== 'wrangler' || !command.includes('workerd')) return parent
    // Of the two runtimes, only the proxy has a port that wrangler was given.
    return command.includes('entry=127.0.0.1:0\0') ? 'workerd' : 'wrangler'
  }
  const add = async (pid: number, owner: Owner): Promise<void> => {
    const { own, ended } = await timesOf(pid)
    spent[owner] += own
    // Those of the container and its launcher are programs, which the group counts.
    if (owner !== 'container' && owner !== 'launcher') spent[owner] += ended
    for (const child of await childrenOf(pid)) await add(child, await ownerOf(child, owner))
  }
  await add(pid, 'start')
  return spent
}

const containerOf = async (pid: number): Promise<number> => {
  for (const each of await descendantsOf(pid)) if (isContainer(await commandOf(each))) return each
  throw new Error(`process ${pid} has no container`)
}

const isContainer = (command: string): boolean => command.includes('container/main.ts')

const commandOf = (pid: number): Promise<string> => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')

/** The fields utime, stime, cutime and cstime of /proc/<pid>/stat, in ticks of 10 ms on every Linux. */
const timesOf = async (pid: number): Promise<{ own: number; ended: number }> => {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  const fields = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number)
  const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11, 15)
  return { own: (user + system) / 100, ended: (endedUser + endedSystem) / 100 }
}
