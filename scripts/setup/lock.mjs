import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** Holds a lock file with our process id while `work` runs. Waits while another running process holds it. */
export const withLock = async (path, onWait, work) => {
  await mkdir(dirname(path), { recursive: true })
  let isWaiting = false
  while (!(await acquire(path))) {
    if (!isWaiting) onWait()
    isWaiting = true
    await sleep(200)
  }
  try {
    return await work()
  } finally {
    await rm(path, { force: true })
  }
}

const acquire = async (path) => {
  const isHeld = await writeFile(path, String(process.pid), { flag: 'wx' }).then(
    () => false,
    (error) => {
      if (error.code !== 'EEXIST') throw error
      return true
    },
  )
  if (!isHeld) return true
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
