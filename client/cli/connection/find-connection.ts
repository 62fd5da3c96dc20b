import { readFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { UsageError } from '../problems.ts'
import { type Connection, connectionIn, loginFile } from './stored-login.ts'

/**
 * Where the API is and with which key: HAUL_API_KEY and HAUL_URL, else a Haul that runs in this checkout, else what
 * `haul login` stored. A stored key is never sent to another address than the one it was stored with.
 */
export const findConnection = async (
  env: NodeJS.ProcessEnv = process.env,
  workingDirectory: string = process.cwd(),
): Promise<Connection> => {
  const { HAUL_API_KEY: apiKey, HAUL_URL: baseUrl } = env
  if (apiKey && baseUrl) return { apiKey, baseUrl }
  const known = [await runningCheckout(workingDirectory, env), await connectionIn(loginFile(env))]
  if (apiKey) {
    const address = known.find((each) => each !== undefined)
    if (!address) throw new UsageError('HAUL_API_KEY is set, and HAUL_URL is missing: the address of Haul.')
    return { baseUrl: address.baseUrl, apiKey }
  }
  const found = known.find((each) => each && (!baseUrl || originOf(baseUrl) === originOf(each.baseUrl)))
  if (found) return found
  throw new UsageError(
    `There is no API key${baseUrl ? ` for ${baseUrl}` : ''}: run \`haul login\` or set HAUL_API_KEY and HAUL_URL, with a key from the operator of your Haul, or run \`npm start\` in a checkout of Haul, which makes one.`,
  )
}

const originOf = (url: string): string | null => (URL.canParse(url) ? new URL(url).origin : null)

/**
 * The Haul that `npm start` runs in this checkout: HAUL_STATE, or `.haul` in the working directory or a folder above.
 * A folder may come from a stranger, so only addresses of this machine count.
 */
const runningCheckout = async (workingDirectory: string, env: NodeJS.ProcessEnv): Promise<Connection | undefined> => {
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
