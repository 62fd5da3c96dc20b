import { execFile } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join, relative, resolve } from 'node:path'
import { promisify } from 'node:util'
import { unstable_getMiniflareWorkerOptions, unstable_readConfig, unstable_splitSqlQuery } from 'wrangler'
import { migrationNames } from './worker/migrations.ts'
import type { Build } from './worker/worker-build.ts'

/** Bundles the Worker once, so that the server needs neither wrangler nor the sources: `node self-host/build.ts FOLDER`. */
const root = join(import.meta.dirname, '..')
const config = join(root, 'wrangler.toml')

export const buildWorker = async (folder: string): Promise<void> => {
  await mkdir(folder, { recursive: true })
  const wrangler = join(root, 'node_modules/wrangler/wrangler-dist/cli.js')
  const args = ['deploy', '--dry-run', '--containers-rollout=none', '--config', config, '--outdir', folder]
  const env = { ...process.env, CI: 'true', WRANGLER_SEND_METRICS: 'false', WRANGLER_WRITE_LOGS: 'false' }
  await promisify(execFile)(process.execPath, ['--no-warnings', wrangler, ...args], { cwd: root, env })
  await writeFile(join(folder, 'worker.json'), `${JSON.stringify(await describeWorker(), null, 2)}\n`)
}

export const describeWorker = async (): Promise<Build> => ({ worker: workerOptions(), migrations: await migrations() })

const workerOptions = (): Build['worker'] => {
  // Workers AI only runs at Cloudflare. Without the binding, the engines transcribe. Secrets of this machine stay out of it.
  const { ai: _, secrets: __, ...read } = unstable_readConfig({ config })
  const options: Record<string, unknown> = unstable_getMiniflareWorkerOptions(read).workerOptions
  const { rootPath: ___, modulesRules: ____, assets, ...rest } = options as unknown as Build['worker']
  // Relative to the checkout, because the image has it elsewhere.
  return { ...rest, assets: { ...assets, directory: relative(root, assets.directory) } }
}

const migrations = async (): Promise<Build['migrations']> => {
  const folder = join(root, 'migrations')
  const read = async (name: string) => unstable_splitSqlQuery(await readFile(join(folder, name), 'utf8'))
  const names = await migrationNames(folder)
  return Promise.all(names.map(async (name) => ({ name, statements: await read(name) })))
}

if (import.meta.main) {
  const [folder] = process.argv.slice(2)
  if (!folder) throw new Error('Usage: node self-host/build.ts FOLDER')
  await buildWorker(resolve(folder))
}
