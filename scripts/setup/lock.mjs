import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** Holds a file with our process id in it while `work` runs; waits while another living process holds it. */
export const withLock = async (path, onWait, work) => {
  await mkdir(dirname(path), { recursive: true })
  let said = false
  while (!(await take(path))) {
    if (!said) onWait()
    said = true
    await sleep(200)
  }
  try {
    return await work()
  } finally {
    await rm(path, { force: true })
  }
}

const take = async (path) => {
  const isTaken = await writeFile(path, String(process.pid), { flag: 'wx' }).then(
    () => false,
    (error) => {
      if (error.code !== 'EEXIST') throw error
      return true
    },
  )
  if (!isTaken) return true
  const holder = Number(await readFile(path, 'utf8').catch(() => ''))
  if (holder && !isAlive(holder)) await rm(path, { force: true })
  return false
}

export const isAlive = (pid) => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}
