import { copyFile, mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { isOnPath, run } from '../../../scripts/setup/command.mjs'
import { isDone, replaceFolder, sha256OfFile, withLock } from '../../../scripts/setup/install.mjs'
import { pathWithoutPackages, toolsDir } from '../../../scripts/setup/paths.mjs'
import { ensureVenv } from '../../../scripts/setup/python.mjs'

const here = import.meta.dirname
const folder = join(toolsDir, 'generators')

/** The generators of clients, which have 400 MB. Go and Rust come with the system. */
export const ensureGenerators = (): Promise<Generators> =>
  withLock(`${folder}.lock`, console.log, async () => {
    const [modules, python, oapiCodegen] = await Promise.all([ensureNpm(), ensurePip(), ensureGo()])
    return { modules, python, oapiCodegen }
  })

export interface Generators {
  /** The folder `node_modules`. */
  modules: string
  python: string
  oapiCodegen: string
}

const ensureNpm = async (): Promise<string> => {
  const installed = join(folder, 'npm')
  const wanted = join(here, 'package.json')
  if (!(await isDone(join(installed, 'package.json.sha256'), await sha256OfFile(wanted)))) {
    await replaceFolder(installed, async (staging: string) => {
      await copyFile(wanted, join(staging, 'package.json'))
      const options = ['--no-package-lock', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error']
      await run('npm', ['install', ...options], { cwd: staging, env: { ...process.env, PATH: pathWithoutPackages } })
      await writeFile(join(staging, 'package.json.sha256'), await sha256OfFile(wanted))
    })
  }
  return join(installed, 'node_modules')
}

const ensurePip = async (): Promise<string> => {
  const options = { folder: join(folder, 'python'), requirements: join(here, 'requirements.txt') }
  return ensureVenv({ ...options, what: 'generators of clients' }, console.log)
}

/** Returns its folder of programs. A bug of Python 3.11 ends it in the middle of the larger schemas. */
export const ensureSchemathesis = async (): Promise<string> => {
  const options = {
    folder: join(toolsDir, 'schemathesis'),
    requirements: join(here, 'schemathesis.txt'),
    minimumMinor: 12,
  }
  return dirname(await ensureVenv({ ...options, what: 'schemathesis' }, console.log))
}

const OAPI_CODEGEN = 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2'

const ensureGo = async (): Promise<string> => {
  if (!(await isOnPath('go'))) throw new Error('Go is missing.')
  const bin = join(folder, 'bin')
  await mkdir(bin, { recursive: true })
  await run('go', ['install', OAPI_CODEGEN], { env: { ...process.env, GOBIN: bin } })
  return join(bin, 'oapi-codegen')
}
