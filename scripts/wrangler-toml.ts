import { dirname, resolve } from 'node:path'
import { experimental_readRawConfig, type Unstable_RawConfig } from 'wrangler'

/** wrangler.toml as it is written. */
export type WranglerToml = Unstable_RawConfig

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

export const readTables = (path: string): WranglerToml => experimental_readRawConfig({ config: path }).rawConfig
