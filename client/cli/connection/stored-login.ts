import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'

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
