import { dirname, join } from 'node:path'
import { readSetting } from '../../domain/settings/setting.ts'
import { workerSettings } from '../../domain/settings/worker-settings.ts'
import { readTables, type WranglerToml } from '../wrangler-toml.ts'
import { readEnvironmentConfig } from './environment.ts'
import { PRODUCTION } from './options.ts'

/** Everything that a deployment to an environment may touch. Refuses an environment that does not exist. */
export const readTarget = (env: string, wranglerToml: string) => {
  const config = readEnvironmentConfig(env, wranglerToml)
  const { name, containers, d1_databases, r2_buckets, queues = {}, secrets } = config
  const vars = Object.fromEntries(Object.entries(config.vars ?? {}).map(([key, value]) => [key, String(value)]))
  const container = only('container', env, containers)
  const database = only('D1 database', env, d1_databases)
  return {
    env,
    config,
    /** The name of production's Worker, which is wrangler's label for all environments. */
    label: readTables(wranglerToml).name,
    /** Names the environment to wrangler. It is always given, so that CLOUDFLARE_ENV has no effect. */
    envArgs: [`--env=${env === PRODUCTION ? '' : env}`],
    /** Where `writeDeploymentConfig` writes it for wrangler. */
    configPath: join(dirname(wranglerToml), '.wrangler', `deploy-${env}.json`),
    /** null: the account of the login. */
    accountId: config.account_id ?? null,
    worker: present('name', env, name),
    container: {
      name: present('containers.name', env, container.name),
      dockerfile: present('containers.image', env, container.image),
      buildContext: present('containers.image_build_context', env, container.image_build_context),
    },
    queues: [
      ...new Set([
        ...(queues.producers ?? []).map(({ queue }) => queue),
        ...(queues.consumers ?? []).flatMap(({ queue, dead_letter_queue }) => [queue, dead_letter_queue ?? queue]),
      ]),
    ],
    bucket: present('r2_buckets.bucket_name', env, only('R2 bucket', env, r2_buckets).bucket_name),
    /** `id` is null if wrangler.toml has none. */
    database: {
      binding: database.binding,
      name: present('d1_databases.database_name', env, database.database_name),
      id: isPlaceholder(database.database_id) ? null : (database.database_id ?? null),
    },
    vars,
    requiredSecrets: secrets?.required ?? [],
    /** Whether the container runs built-in transcription. Otherwise Workers AI does. */
    hasSpeech: !config.ai || vars.BUILTIN_SPEECH === 'container',
    customDomain: customDomainOf(config.routes ?? []),
    hasWorkersDev: config.workers_dev ?? true,
  }
}

export type Target = ReturnType<typeof readTarget>

export const regionsOf = ({ vars }: Pick<Target, 'vars'>) =>
  readSetting('REGION', workerSettings.REGION, vars.REGION) ?? []

export const retentionDaysOf = ({ vars }: Pick<Target, 'vars'>): number =>
  readSetting('RETENTION_DAYS', workerSettings.RETENTION_DAYS, vars.RETENTION_DAYS)

const isPlaceholder = (id: string | undefined): boolean => !id || /^[0-]+$/.test(id)

const customDomainOf = (routes: NonNullable<WranglerToml['routes']>): string | null => {
  for (const route of routes) if (typeof route !== 'string' && route.custom_domain) return route.pattern
  return null
}

const only = <T>(what: string, env: string, list: T[] | undefined): T => {
  const [first, ...others] = list ?? []
  if (first === undefined || others.length > 0) throw new Error(`The environment ${env} must have one ${what}.`)
  return first
}

const present = (field: string, env: string, value: string | undefined): string => {
  if (!value) throw new Error(`The environment ${env} has no ${field} in wrangler.toml.`)
  return value
}
