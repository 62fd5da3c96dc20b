import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { UsageError } from './exit-codes.ts'

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

export interface Connection {
  baseUrl: string
  apiKey: string
}

/** $XDG_CONFIG_HOME/haul or ~/.config/haul; %APPDATA%\haul on Windows. */
export const loginFile = (env: NodeJS.ProcessEnv = process.env, platform: string = process.platform): string => {
  const folder =
    platform === 'win32'
      ? env.APPDATA || join(homedir(), 'AppData', 'Roaming')
      : env.XDG_CONFIG_HOME || join(env.HOME || homedir(), '.config')
  return join(folder, 'haul', 'login.json')
}

export const writeLogin = async (file: string, connection: Connection): Promise<void> => {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const draft = `${file}.${process.pid}.new`
  try {
    await writeFile(draft, `${JSON.stringify(connection, null, 2)}\n`, { mode: 0o600 })
    await chmod(draft, 0o600)
    await rename(draft, file)
  } finally {
    await rm(draft, { force: true })
  }
}

/** The address and the key in a JSON file. undefined: there is no such file, or it is damaged. */
export const connectionIn = async (file: string): Promise<Connection | undefined> => {
  const content: Partial<Connection> | null = await readFile(file, 'utf8')
    .then(JSON.parse)
    .catch(() => null)
  const { baseUrl, apiKey } = content ?? {}
  return typeof baseUrl === 'string' && typeof apiKey === 'string' ? { baseUrl, apiKey } : undefined
}
