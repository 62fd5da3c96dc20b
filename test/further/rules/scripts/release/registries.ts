import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { run } from '../../../../../scripts/setup/command.mjs'
import { choosePort } from '../../../../../scripts/start/ports.ts'
import { responds } from '../../../../../scripts/start/ready.ts'

/** What `ensureRegistries` has installed. */
export interface RegistryPrograms {
  verdaccio: string
  pypiserver: string
  tools: string
}

export interface Registries extends AsyncDisposable {
  npm: { registry: string; token: string }
  pypi: { uploadUrl: string; indexUrl: string; token: string }
}

const START_MS = 60_000
const PYPI_TOKEN = 'pypi-token'

/** Verdaccio and pypiserver, empty. Each takes uploads with its token only. */
export const startRegistries = async (programs: RegistryPrograms): Promise<Registries> => {
  const folder = await mkdtemp(join(tmpdir(), 'haul-registries-'))
  const children: ChildProcess[] = []
  const start = async (command: string, args: string[], port: number) => {
    children.push(spawn(command, args, { cwd: folder, stdio: 'ignore' }))
    await responds(`http://127.0.0.1:${port}/`, AbortSignal.timeout(START_MS))
  }
  const end = async () => {
    for (const child of children.filter(({ exitCode }) => exitCode === null)) {
      child.kill('SIGKILL')
      await once(child, 'exit')
    }
    await rm(folder, { recursive: true, force: true })
  }
  try {
    const [npmPort, pypiPort] = [await choosePort(0, 'PORT'), await choosePort(0, 'PORT')]
    await writeFile(join(folder, 'config.yaml'), verdaccioConfig)
    const verdaccio = ['--config', join(folder, 'config.yaml'), '--listen', `127.0.0.1:${npmPort}`]
    await start(programs.verdaccio, verdaccio, npmPort)
    await mkdir(join(folder, 'pypi'))
    await writeFile(join(folder, 'users'), `__token__:${await run('openssl', ['passwd', '-apr1', PYPI_TOKEN])}\n`)
    const access = ['--passwords', join(folder, 'users'), '--authenticate', 'update', '--disable-fallback']
    const pypiserver = ['-m', 'pypiserver', 'run', '--interface', '127.0.0.1', '--port', `${pypiPort}`, ...access]
    await start(programs.pypiserver, [...pypiserver, join(folder, 'pypi')], pypiPort)
    const registry = `http://127.0.0.1:${npmPort}/`
    const pypi = `http://127.0.0.1:${pypiPort}/`
    return {
      npm: { registry, token: await npmToken(registry) },
      pypi: { uploadUrl: pypi, indexUrl: `${pypi}simple/`, token: PYPI_TOKEN },
      [Symbol.asyncDispose]: end,
    }
  } catch (error) {
    await end()
    throw error
  }
}

/** Without another registry behind it. */
const verdaccioConfig = `storage: ./npm
auth: { htpasswd: { file: ./npm-users } }
packages: { '**': { access: $all, publish: $authenticated } }
log: { type: stdout, level: fatal }
`

/** Verdaccio makes a user, and answers with a token. */
const npmToken = async (registry: string): Promise<string> => {
  const user = { name: 'haul', password: 'a-password-for-tests', type: 'user' }
  const response = await fetch(new URL('-/user/org.couchdb.user:haul', registry), {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(user),
  })
  return ((await response.json()) as { token: string }).token
}
