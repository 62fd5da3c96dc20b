import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, symlink, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { compileCache } from '../../scripts/start/environment.ts'
import { builtName, type Client } from './clients.ts'
import { clientsDir, pythonOf } from './ensure-clients.mjs'

/** What a program gets. The addresses and keys in its text are replaced, and those of compiled ones are in its environment. */
export interface Given {
  url: string
  apiKey: string
  /** A page whose media has captions. */
  page: string
  /** An empty folder, with the files that it reads. */
  cwd: string
  env?: Record<string, string>
  stdin?: string
}

export interface Ended {
  code: number | null
  output: string
  errors: string
}

/** Runs the program of a client to its end. */
export const runClient = async (client: Client, given: Given): Promise<Ended> => {
  const [command, ...args] = await commandOf(client, given)
  const path = [join(clientsDir, 'node/node_modules/.bin'), dirname(process.execPath), process.env.PATH].join(':')
  const { url, apiKey, cwd } = given
  const env = {
    ...compileCache,
    PATH: path,
    HOME: cwd,
    NO_COLOR: '1',
    HAUL_URL: url,
    HAUL_API_KEY: apiKey,
    ...given.env,
  }
  const child = spawn(command, args, { cwd, env, stdio: 'pipe', detached: true })
  // A program may end before it has read all.
  child.stdin.on('error', () => {}).end(given.stdin ?? '')
  try {
    const [output, errors, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
    return { code, output, errors }
  } finally {
    endGroup(child.pid)
  }
}

/** What a program has started, such as a proxy, ends with it. */
const endGroup = (pid: number | undefined) => {
  try {
    if (pid) process.kill(-pid, 'SIGKILL')
  } catch {
    // All of it has ended.
  }
}

const commandOf = async (client: Client, { url, apiKey, page, cwd }: Given): Promise<[string, ...string[]]> => {
  const { from, program } = client
  if (from === 'go.mod' || from === 'Cargo.toml') return [join(clientsDir, 'bin', builtName(client)), page]
  const source = await readFile(join(import.meta.dirname, program), 'utf8')
  const file = join(cwd, `program-${basename(program)}`)
  await writeFile(file, withAddress(source, { url, apiKey, page }))
  if (from.startsWith('requirements/')) return [pythonOf(from), file]
  if (file.endsWith('.sh')) return ['bash', '-eu', '-o', 'pipefail', file]
  // Node looks for packages beside the program.
  await symlink(join(clientsDir, 'node/node_modules'), join(cwd, 'node_modules')).catch(() => {})
  return [process.execPath, file]
}

/** The text of a program with the address of the product and a key. */
export const withAddress = (source: string, { url, apiKey, page }: Pick<Given, 'url' | 'apiKey' | 'page'>): string =>
  source
    .replaceAll('https://haul.example.com', url)
    .replaceAll('haul_…', apiKey)
    .replaceAll('https://example.com/talk', page)
