import { execFile, spawn } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { unstable_readConfig } from 'wrangler'
import { type DeploymentConfig, missingFor, operatorVars } from './missing-settings.ts'

/** Creates what is missing and deploys. Running it again changes nothing but the deployment. */

const root = join(import.meta.dirname, '../..')
const wrangler = join(root, 'node_modules/.bin/wrangler')
const extraArgs = process.argv.slice(2)
const config: DeploymentConfig = unstable_readConfig({ config: join(root, 'wrangler.toml') })

const outputOf = async (...args: string[]): Promise<string> => {
  const { stdout } = await promisify(execFile)(wrangler, args, { cwd: root, env: { ...process.env, CI: 'true' } })
  return stdout
}

const run = (...args: string[]): Promise<void> =>
  new Promise((resolve, reject) => {
    const child = spawn(wrangler, args, { cwd: root, stdio: 'inherit' })
    child.once('error', reject)
    child.once('exit', (code) => (code === 0 ? resolve() : reject(new Error(`wrangler ${args[0]} failed`))))
  })

/** A Worker that was never deployed has no secrets. */
const secretNames = async (): Promise<string[]> => {
  const listed = await outputOf('secret', 'list', '--format', 'json').catch(() => '[]')
  return (JSON.parse(listed) as { name: string }[]).map(({ name }) => name)
}

const ensure = async (kind: string[], name: string): Promise<void> => {
  const exists = await outputOf(...kind, 'info', name).then(
    () => true,
    () => false,
  )
  if (!exists) await run(...kind, 'create', name)
}

const queues = new Set([
  ...(config.queues.producers ?? []).map(({ queue }) => queue),
  ...(config.queues.consumers ?? []).flatMap(({ queue, dead_letter_queue }) => [queue, dead_letter_queue ?? queue]),
])
const buckets = config.r2_buckets.flatMap(({ bucket_name }) => (bucket_name ? [bucket_name] : []))

const isLoggedIn = (): Promise<boolean> =>
  outputOf('whoami', '--json').then(
    () => true,
    () => false,
  )

const missingSettings = async (): Promise<string[]> => {
  const hasSecretsFile = extraArgs.some((arg) => arg.startsWith('--secrets-file'))
  const loggedIn = await isLoggedIn()
  const secrets = hasSecretsFile || !loggedIn ? null : await secretNames()
  const login = 'You are not logged in to Cloudflare: run `npx wrangler login` or set CLOUDFLARE_API_TOKEN.'
  return [...(loggedIn ? [] : [login]), ...missingFor(config, { env: process.env, secrets })]
}

const deploy = async (): Promise<void> => {
  const missing = await missingSettings()
  if (missing.length > 0) throw new Error(`Not ready to deploy:\n${missing.map((line) => `- ${line}`).join('\n')}`)

  for (const queue of queues) await ensure(['queues'], queue)
  for (const bucket of buckets) {
    await ensure(['r2', 'bucket'], bucket)
    await run('r2', 'bucket', 'lifecycle', 'set', bucket, '--file', join(import.meta.dirname, 'lifecycle.json'), '-y')
  }
  for (const { database_name: name } of config.d1_databases) {
    if (name) await run('d1', 'migrations', 'apply', name, '--remote')
  }
  const vars = operatorVars.flatMap((name) => (process.env[name] ? ['--var', `${name}:${process.env[name]}`] : []))
  await run('deploy', ...vars, ...extraArgs)
}

try {
  await deploy()
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
