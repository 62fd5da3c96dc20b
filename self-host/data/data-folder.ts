import { once } from 'node:events'
import { constants } from 'node:fs'
import { access, chmod, mkdir, readdir, rm, stat } from 'node:fs/promises'
import { createConnection } from 'node:net'
import { join, resolve } from 'node:path'

/** DATA_DIR, the volume. `state` is what a backup holds; the rest belongs to the program that runs. */
export const dataFolder = (path: string) => {
  const dir = resolve(path)
  return {
    dir,
    ...stateIn(join(dir, 'state')),
    /** Commands reach the running server here. The process that listens here owns the folder. */
    socket: join(dir, 'haul.sock'),
    /** A snapshot during a backup. On the same file system as the storage, because it has hard links to its files. */
    snapshot: join(dir, 'snapshot'),
  }
}

export type DataFolder = ReturnType<typeof dataFolder>

export const stateIn = (state: string) => ({
  state,
  /** Databases and files, as miniflare lays them out. */
  storage: join(state, 'storage'),
  secretsFile: join(state, 'secrets.env'),
  ownerFile: join(state, 'owner'),
})

/** Throws a sentence for the operator if the folder cannot be written or another server has it. */
export const openDataFolder = async (folder: DataFolder): Promise<void> => {
  await ensureWritable(folder.dir)
  if (await isRunning(folder)) throw new Error(`Haul is already running with ${folder.dir}.`)
  await rm(folder.socket, { force: true })
  // A server that was killed during a backup leaves its snapshot.
  await rm(folder.snapshot, { recursive: true, force: true })
  await mkdir(folder.storage, { recursive: true })
  await chmod(folder.state, 0o700)
}

export const ensureWritable = async (dir: string): Promise<void> => {
  const user = `user ${process.getuid?.()}`
  try {
    // Its parent exists. (Node's recursive mkdir never returns in a folder like /proc.)
    await mkdir(dir).catch((error) => {
      if (error.code !== 'EEXIST') throw error
    })
    if (!(await stat(dir)).isDirectory()) throw new Error('it is not a folder')
    await access(dir, constants.W_OK | constants.X_OK)
  } catch (error) {
    throw new Error(`The data folder ${dir} cannot be written by ${user} (${(error as Error).message}).`)
  }
}

/** Finds a server in another container too: the socket is in the volume. */
export const isRunning = async ({ socket }: Pick<DataFolder, 'socket'>): Promise<boolean> => {
  const connection = createConnection(socket)
  const isOpen = await once(connection, 'connect').then(
    () => true,
    () => false,
  )
  connection.destroy()
  return isOpen
}

export const hasState = async ({ state }: Pick<DataFolder, 'state'>): Promise<boolean> =>
  (await readdir(state).catch(() => [])).length > 0
