import { readFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { type Connection, connectionIn } from './stored-login.ts'

/**
 * The Haul that `npm start` runs in this checkout: HAUL_STATE, or `.haul` in the working directory or a folder above.
 * A folder may come from a stranger, so only addresses of this machine count.
 */
export const runningCheckout = async (
  workingDirectory: string,
  env: NodeJS.ProcessEnv,
): Promise<Connection | undefined> => {
  const folders = env.HAUL_STATE ? [resolve(workingDirectory, env.HAUL_STATE)] : stateFoldersAbove(workingDirectory)
  for (const folder of folders) {
    const connection = await connectionIn(join(folder, 'dev.json'))
    if (connection && isLoopback(connection.baseUrl) && (await isRunning(folder))) return connection
  }
  return undefined
}

const stateFoldersAbove = (folder: string): string[] => {
  const parent = dirname(folder)
  return [join(folder, '.haul'), ...(parent === folder ? [] : stateFoldersAbove(parent))]
}

export const isLoopback = (baseUrl: string): boolean => {
  const host = URL.canParse(baseUrl) ? new URL(baseUrl).hostname : ''
  return host === 'localhost' || host === '[::1]' || /^127(\.\d+){3}$/.test(host)
}

/** `npm start` writes its process id next to dev.json, which stays there after it has ended. */
const isRunning = async (folder: string): Promise<boolean> => {
  const pid = Number(await readFile(join(folder, 'running.pid'), 'utf8').catch(() => ''))
  if (!pid) return false
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
