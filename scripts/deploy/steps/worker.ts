import { resolve } from 'node:path'
import { run } from '../../setup/command.mjs'
import type { CloudflareApi } from '../cloudflare/api.ts'
import { deployedVersions, messageWithImage } from '../cloudflare/versions.ts'
import type { DeployOptions } from '../options.ts'
import type { Target } from '../target.ts'
import type { EngineImage } from './image.ts'

/** Restores the database as it is now. D1 keeps what that needs for 30 days. */
export const restoreCommand = async (api: CloudflareApi, name: string, databaseId: string): Promise<string> => {
  const current = await api.get<{ bookmark: string }>(`/d1/database/${databaseId}/time_travel/bookmark`)
  if (!current) throw new Error(`Cloudflare knows no bookmark of the database ${name}.`)
  return `npx wrangler d1 time-travel restore ${name} --bookmark=${current.bookmark}`
}

export const applyMigrations = (api: CloudflareApi, target: Target, configPath: string): Promise<void> =>
  api.wrangler([
    ...['d1', 'migrations', 'apply', target.database.binding, '--remote'],
    ...['--config', configPath, ...target.envArgs],
  ])

export const deployWorker = async (
  api: CloudflareApi,
  target: Target,
  { configPath, image, options }: { configPath: string; image: EngineImage; options: DeployOptions },
): Promise<string> => {
  const commit = await currentCommit()
  await api.wrangler([
    ...['deploy', '--config', configPath, ...target.envArgs, '--message', messageWithImage(image.reference)],
    ...(commit ? ['--tag', commit] : []),
    ...(options.secretsFile ? ['--secrets-file', resolve(options.secretsFile)] : []),
  ])
  const [current] = await deployedVersions(api, target.worker)
  if (!current) throw new Error(`Cloudflare lists no deployment of ${target.worker}.`)
  return current.versionId
}

const currentCommit = (): Promise<string | null> =>
  run('git', ['describe', '--always', '--dirty', '--exclude=*'], { cwd: import.meta.dirname }).catch(() => null)
