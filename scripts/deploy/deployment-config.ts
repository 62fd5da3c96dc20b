import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { experimental_readRawConfig } from 'wrangler'
import { containerRegions } from '../../domain/regions.ts'
import { PRODUCTION } from './options.ts'
import { regionsOf, type Target } from './target.ts'

/** What a deployment knows and wrangler.toml does not. */
export interface Resolved {
  /** The reference of an image in Cloudflare's registry. */
  image: string
  databaseId: string
  vars: Record<string, string>
}

/** wrangler.toml as it is written: the part that this file changes. */
export interface WranglerToml extends Environment {
  main?: string
  assets?: { directory?: string }
  env?: Record<string, Environment>
}

interface Environment {
  containers?: { image?: string; image_build_context?: string; constraints?: object }[]
  d1_databases?: { migrations_dir?: string }[]
  r2_buckets?: object[]
  queues?: object
  vars?: object
}

/**
 * wrangler.toml for one environment, with what the deployment has found out. Other environments are left out: wrangler
 * cannot choose one that its file does not have.
 */
export const deploymentConfig = (raw: WranglerToml, target: Target, resolved: Resolved): object => {
  const absolute = (path = ''): string => resolve(dirname(target.configPath), path)
  const regions = containerRegions(regionsOf(target))
  const { env: environments = {}, main, assets, ...topLevel } = raw
  const complete = ({ containers = [], d1_databases = [], vars, ...rest }: Environment): Environment => ({
    ...rest,
    containers: containers.map(({ image_build_context: _, ...container }) => ({
      // Before the container's own, which the operator has written.
      ...(regions.length > 0 && { constraints: { regions } }),
      ...container,
      image: resolved.image,
    })),
    d1_databases: d1_databases.map((database) => ({
      ...database,
      database_id: resolved.databaseId,
      migrations_dir: absolute(database.migrations_dir),
    })),
    vars: { ...vars, ...resolved.vars },
  })
  const paths = { main: absolute(main), assets: { ...assets, directory: absolute(assets?.directory) } }
  if (target.env === PRODUCTION) return { ...complete(topLevel), ...paths }
  // Environments do not inherit these.
  const { containers: _c, d1_databases: _d, r2_buckets: _r, queues: _q, vars: _v, ...inherited } = topLevel
  return { ...inherited, ...paths, env: { [target.env]: complete(environments[target.env] ?? {}) } }
}

/** Returns the path of the file. */
export const writeDeploymentConfig = async (target: Target, resolved: Resolved): Promise<string> => {
  const raw: WranglerToml = experimental_readRawConfig({ config: target.configPath }).rawConfig
  const folder = join(dirname(target.configPath), '.wrangler')
  const path = join(folder, `deploy-${target.env}.json`)
  await mkdir(folder, { recursive: true })
  await writeFile(path, `${JSON.stringify(deploymentConfig(raw, target, resolved), null, 2)}\n`)
  return path
}
