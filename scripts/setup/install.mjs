import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'

/** Each installation is done once, by one process, and completely or not at all. */

/** Whether a step was done for this digest. A step writes the digest into its stamp when it has succeeded. */
export const isDone = async (stamp, digest) => (await readFile(stamp, 'utf8').catch(() => '')) === digest

export const sha256OfFile = async (path) => {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path, { highWaterMark: 1024 * 1024 }), hash)
  return hash.digest('hex')
}

/** All files in a folder, at any depth, except Python's compiled ones. The path of a file is returned as it is. */
export const filesIn = async (path) => {
  const entries = await readdir(path, { recursive: true, withFileTypes: true }).catch(() => null)
  if (!entries) return [path]
  // Node 20 names the folder of an entry `path`.
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
  return files.filter((file) => !file.includes('__pycache__')).sort()
}

/**
 * Runs `work` with a new folder, which is removed afterwards.
 *
 * @template T
 * @param {string} parent
 * @param {(folder: string) => Promise<T>} work
 */
export const withStaging = async (parent, work) => {
  await mkdir(parent, { recursive: true })
  const staging = await mkdtemp(join(parent, '.coming-'))
  try {
    return await work(staging)
  } finally {
    await rm(staging, { recursive: true, force: true })
  }
}

/** Replaces a folder at once with what `fill` makes: a new folder, or the one in it whose path `fill` returns. */
export const replaceFolder = (target, fill) =>
  withStaging(dirname(target), async (staging) => {
    const made = (await fill(staging)) ?? staging
    await rm(target, { recursive: true, force: true })
    await rename(made, target)
  })

/** A set-up that has nothing to do holds its locks for less time than this many tries take, 200 ms each. */
const SILENT_TRIES = 10

/** Holds a lock file with our process id while `work` runs. Waits while another running process holds it. */
export const withLock = async (path, log, work) => {
  await mkdir(dirname(path), { recursive: true })
  for (let tries = 1; !(await acquire(path)); tries++) {
    if (tries === SILENT_TRIES) log(`Waiting for another set-up, which holds ${path}`)
    await sleep(200)
  }
  try {
    return await work()
  } finally {
    await rm(path, { force: true })
  }
}

const acquire = async (path) => {
  try {
    await writeFile(path, String(process.pid), { flag: 'wx' })
    return true
  } catch (error) {
    if (error.code !== 'EEXIST') throw error
  }
  const holder = Number(await readFile(path, 'utf8').catch(() => ''))
  if (holder && !isAlive(holder)) await rm(path, { force: true })
  return false
}

/** A negative number is that of a process group. */
export const isAlive = (pid) => {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error.code === 'EPERM'
  }
}
