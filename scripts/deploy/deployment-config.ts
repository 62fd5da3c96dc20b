import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { containerRegions } from '../../domain/account/regions.ts'
import type { WranglerToml } from '../wrangler-toml.ts'
import { PRODUCTION } from './options.ts'
import { readTarget, regionsOf, type Target } from './target.ts'

export interface Resolved {
  image: string
  databaseId: string
  vars: Record<string, string>
}

type Container = NonNullable<WranglerToml['containers']>[number]

export const deploymentConfig = (target: Target, { image, databaseId, vars }: Resolved): WranglerToml => {
  const { config } = target
  const regions = containerRegions(regionsOf(target))
  return {
    ...config,
    containers: (config.containers ?? []).map(({ image_build_context: _, ...container }) => ({
      // First, so that the container's own constraints override it.
      ...(regions.length > 0 && ({ constraints: { regions } } as Pick<Container, 'constraints'>)),
      ...container,
      image,
    })),
    d1_databases: (config.d1_databases ?? []).map((database) => ({ ...database, database_id: databaseId })),
    vars: { ...config.vars, ...vars },
  }
}

/** Writes a file with only this environment for wrangler. Returns its path. */
export const writeDeploymentConfig = async (target: Target, resolved?: Resolved): Promise<string> => {
  const { dev, ...config } = resolved ? deploymentConfig(target, resolved) : target.config
  const { env, label: name } = target
  const file = env === PRODUCTION ? { dev, ...config } : { name, dev, env: { [env]: config } }
  await mkdir(dirname(target.configPath), { recursive: true })
  await writeFile(target.configPath, `${JSON.stringify(file, null, 2)}\n`)
  return target.configPath
}

/** `node scripts/deploy/deployment-config.ts staging`: for `wrangler deploy --dry-run`, and to look at. */
if (import.meta.main) {
  const target = readTarget(process.argv[2] ?? PRODUCTION, join(import.meta.dirname, '../../wrangler.toml'))
  console.log(await writeDeploymentConfig(target))
}
