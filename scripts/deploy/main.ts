import { execFile, spawn } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { unstable_readConfig } from 'wrangler'
import { type Deployment, missingFor, operatorVars } from './ready.ts'

/** Everything before the last command may run again and again: what is there stays as it is. */

const root = join(import.meta.dirname, '../..')
const wrangler = join(root, 'node_modules/.bin/wrangler')
const given = process.argv.slice(2)
const config: Deployment = unstable_readConfig({ config: join(root, 'wrangler.toml') })

const ask = async (...args: string[]): Promise<string> => {
  const { stdout } = await promisify(execFile)(wrangler, args, { cwd: root, env: { ...process.env, CI: 'true' } })
  return stdout
}

const show = (...args: string[]): Promise<void> =>
  new Promise((resolve, reject) => {
    const child = spawn(wrangler, args, { cwd: root, stdio: 'inherit' })
    child.once('error', reject)
    child.once('exit', (code) => (code === 0 ? resolve() : reject(new Error(`wrangler ${args[0]} failed`))))
  })

/** A Worker that was never deployed has none. */
const secretNames = async (): Promise<string[]> => {
  const listed = await ask('secret', 'list', '--format', 'json').catch(() => '[]')
  return (JSON.parse(listed) as { name: string }[]).map(({ name }) => name)
}

const ensure = async (kind: string[], name: string): Promise<void> => {
  const exists = await ask(...kind, 'info', name).then(
    () => true,
    () => false,
  )
  if (!exists) await show(...kind, 'create', name)
}

const queues = new Set([
  ...(config.queues.producers ?? []).map(({ queue }) => queue),
  ...(config.queues.consumers ?? []).flatMap(({ queue, dead_letter_queue }) => [queue, dead_letter_queue ?? queue]),
])
const buckets = config.r2_buckets.flatMap(({ bucket_name }) => (bucket_name ? [bucket_name] : []))

const isLoggedIn = (): Promise<boolean> =>
  ask('whoami', '--json').then(
    () => true,
    () => false,
  )

const missing = async (): Promise<string[]> => {
  const bringsSecrets = given.some((arg) => arg.startsWith('--secrets-file'))
  const loggedIn = await isLoggedIn()
  const secrets = bringsSecrets || !loggedIn ? null : await secretNames()
  const login = 'Cloudflare does not know you: run `npx wrangler login` or set CLOUDFLARE_API_TOKEN.'
  return [...(loggedIn ? [] : [login]), ...missingFor(config, { env: process.env, secrets })]
}

const deploy = async (): Promise<void> => {
  const toDo = await missing()
  if (toDo.length > 0) throw new Error(`Not ready to deploy:\n${toDo.map((line) => `- ${line}`).join('\n')}`)

  for (const queue of queues) await ensure(['queues'], queue)
  for (const bucket of buckets) {
    await ensure(['r2', 'bucket'], bucket)
    await show('r2', 'bucket', 'lifecycle', 'set', bucket, '--file', join(import.meta.dirname, 'lifecycle.json'), '-y')
  }
  for (const { database_name: name } of config.d1_databases) {
    if (name) await show('d1', 'migrations', 'apply', name, '--remote')
  }
  const vars = operatorVars.flatMap((name) => (process.env[name] ? ['--var', `${name}:${process.env[name]}`] : []))
  await show('deploy', ...vars, ...given)
}

try {
  await deploy()
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
