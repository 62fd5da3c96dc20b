import { join } from 'node:path'
import { openCloudflare } from './cloudflare/api.ts'
import { writeDeploymentConfig } from './deployment-config.ts'
import { rollbackOptions } from './options.ts'
import { rollBack } from './rollback.ts'
import { readTarget } from './target.ts'

try {
  const { env: name, to } = rollbackOptions(process.argv.slice(2), process.env)
  const target = readTarget(name, join(import.meta.dirname, '../../wrangler.toml'))
  await writeDeploymentConfig(target)
  const api = await openCloudflare(target, process.env)
  await rollBack({ api, target, env: process.env, print: console.log }, to ?? null)
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
