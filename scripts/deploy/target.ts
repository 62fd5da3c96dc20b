import { globSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { readSetting } from '../../domain/settings/setting.ts'
import { workerSettings } from '../../domain/settings/worker-settings.ts'
import { readTables, readWranglerToml, type WranglerToml } from '../wrangler-toml.ts'
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
        ...(queues.producers ?? []).flatMap(({ queue }) => queue ?? []),
        ...(queues.consumers ?? []).flatMap(({ queue, dead_letter_queue }) => [queue, dead_letter_queue ?? queue]),
      ]),
    ],
    bucket: present('r2_buckets.bucket_name', env, only('R2 bucket', env, r2_buckets).bucket_name),
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

/**
 * wrangler.toml is production. Another environment is the same with resources of its own, whose names follow from its
 * name, and with the tables of its own file, wrangler.staging.toml. `[env.staging]` would have to repeat every table.
 */
const readEnvironmentConfig = (env: string, configPath: string): WranglerToml => {
  const names = environmentNames(configPath)
  if (!names.includes(env)) throw new Error(`There is no environment "${env}". wrangler.toml has: ${names.join(', ')}.`)
  const production = readWranglerToml(configPath)
  if (production.env) throw new Error('wrangler.toml has [env]. Another environment has a file: wrangler.NAME.toml.')
  if (env === PRODUCTION) return production
  const own = readTables(fileOf(env, configPath))
  const derived = withOwnResources(production, env, names.indexOf(env))
  return { ...derived, ...own, vars: { ...derived.vars, ...own.vars } }
}

const fileOf = (env: string, configPath: string): string => join(dirname(configPath), `wrangler.${env}.toml`)

const environmentNames = (configPath: string): string[] => {
  const files = globSync(fileOf('*', configPath)).sort()
  return [PRODUCTION, ...files.flatMap((file) => /wrangler\.([^./]+)\.toml$/.exec(file)?.[1] ?? [])]
}

/** Variables with an address of production, or of its containers. */
const addresses = ['PUBLIC_URL', 'CALLBACK_URL', 'ENGINE_URLS', 'MEDIA_S3_ENDPOINT']

const withOwnResources = (production: WranglerToml, env: string, index: number): WranglerToml => {
  const { name: worker = '', routes: _, ...rest } = production
  // `haul-media` is `haul-staging-media`. What a queue is for is at the end of its name.
  const own = (name: string): string =>
    name.startsWith(worker) ? `${worker}-${env}${name.slice(worker.length)}` : `${env}-${name}`
  const names = ['database_name', 'bucket_name', 'queue', 'dead_letter_queue', 'dataset']
  const ids = ['database_id', 'id']
  const tables: WranglerToml = JSON.parse(JSON.stringify(rest), (key, value) => {
    if (ids.includes(key)) return undefined
    return names.includes(key) ? own(value) : value
  })
  return {
    name: own(worker),
    ...tables,
    vars: Object.fromEntries(Object.entries(rest.vars ?? {}).filter(([name]) => !addresses.includes(name))),
    containers: (tables.containers ?? []).map((container) => ({ ...container, name: own(container.name ?? worker) })),
    // Rate limits of one Cloudflare account are told apart by numbers.
    ratelimits: (rest.ratelimits ?? []).map((limit) => ({
      ...limit,
      namespace_id: `${Number(limit.namespace_id) + index}`,
    })),
  }
}
