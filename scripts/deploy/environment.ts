import { globSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { readTables, readWranglerToml, type WranglerToml } from '../wrangler-toml.ts'
import { PRODUCTION } from './options.ts'

/**
 * The configuration of an environment. wrangler.toml is production. Another environment is wrangler.toml with resources of its
 * own, whose names follow from its name, and what its own file says: wrangler.staging.toml. Not `[env.staging]`, which would
 * have to repeat every table.
 */
export const readEnvironmentConfig = (env: string, configPath: string): WranglerToml => {
  const names = environmentNames(configPath)
  if (!names.includes(env)) {
    throw new Error(`There is no environment "${env}". wrangler.toml has: ${names.join(', ')}.`)
  }
  const production = readWranglerToml(configPath)
  if (production.env) throw new Error('wrangler.toml has [env]. Another environment has a file: wrangler.NAME.toml.')
  if (env === PRODUCTION) return production
  const own = readTables(fileOf(env, configPath))
  const derived = withOwnResources(production, env, names.indexOf(env))
  return { ...derived, ...own, vars: { ...derived.vars, ...own.vars } }
}

const fileOf = (env: string, configPath: string): string => join(dirname(configPath), `wrangler.${env}.toml`)

/** Sorted, after production. */
const environmentNames = (configPath: string): string[] => {
  const files = globSync(fileOf('*', configPath)).sort()
  return [PRODUCTION, ...files.flatMap((file) => /wrangler\.([^./]+)\.toml$/.exec(file)?.[1] ?? [])]
}

/** Variables with an address of production, or of its containers. */
const addresses = ['PUBLIC_URL', 'CALLBACK_URL', 'ENGINE_URLS', 'MEDIA_S3_ENDPOINT']

/** The same tables, with names of their own and without the ids and addresses of production's resources. */
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
    // Limits of an account have numbers.
    ratelimits: (rest.ratelimits ?? []).map((limit) => ({
      ...limit,
      namespace_id: `${Number(limit.namespace_id) + index}`,
    })),
  }
}
