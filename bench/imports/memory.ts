import { readdir, readFile } from 'node:fs/promises'

/** Resident memory of a process and its descendants, from /proc. 0 after it has exited. */
export const residentBytes = async (pid: number): Promise<number> => {
  const own = await residentOf(pid)
  const children = await childrenOf(pid)
  const theirs = await Promise.all(children.map(residentBytes))
  return theirs.reduce((sum, bytes) => sum + bytes, own)
}

const residentOf = async (pid: number): Promise<number> => {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) * 1024
}

/** All below a process, not only its children. */
export const descendantsOf = async (pid: number): Promise<number[]> => {
  const children = await childrenOf(pid)
  return [...children, ...(await Promise.all(children.map(descendantsOf))).flat()]
}

export const childrenOf = async (pid: number): Promise<number[]> => {
  const tasks = await readdir(`/proc/${pid}/task`).catch(() => [])
  const lists = await Promise.all(
    tasks.map((task) => readFile(`/proc/${pid}/task/${task}/children`, 'utf8').catch(() => '')),
  )
  return lists.flatMap((list) => list.split(' ').filter(Boolean).map(Number))
}
