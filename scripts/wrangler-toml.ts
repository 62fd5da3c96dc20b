import { dirname, resolve } from 'node:path'
import { experimental_readRawConfig } from 'wrangler'

/** wrangler.toml as it is written: the part that scripts read or change. */
export interface WranglerToml {
  name?: string
  account_id?: string
  main?: string
  workers_dev?: boolean
  routes?: (string | { pattern: string; custom_domain?: boolean })[]
  vars?: Record<string, unknown>
  env?: object
  dev?: object
  secrets?: { required?: string[] }
  ai?: object
  assets?: { directory?: string }
  containers?: { name?: string; image?: string; image_build_context?: string; constraints?: object }[]
  d1_databases?: { binding: string; database_name?: string; database_id?: string; migrations_dir?: string }[]
  r2_buckets?: { bucket_name?: string }[]
  ratelimits?: { name: string; namespace_id: string }[]
  queues?: {
    producers?: { binding: string; queue: string }[]
    consumers?: { queue: string; dead_letter_queue?: string }[]
  }
}

/** With absolute paths, so that a file in another folder may have it. */
export const readWranglerToml = (path: string): WranglerToml => {
  const config = readTables(path)
  const absolute = (relative = ''): string => resolve(dirname(path), relative)
  const { main, assets, containers = [], d1_databases = [] } = config
  return {
    ...config,
    main: absolute(main),
    assets: { ...assets, directory: absolute(assets?.directory) },
    containers: containers.map((container) => ({
      ...container,
      image: absolute(container.image),
      image_build_context: absolute(container.image_build_context),
    })),
    d1_databases: d1_databases.map((database) => ({
      ...database,
      migrations_dir: absolute(database.migrations_dir),
    })),
  }
}

export const readTables = (path: string): WranglerToml =>
  experimental_readRawConfig({ config: path }).rawConfig as WranglerToml
