import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Secrets, writePrivately } from '../../self-host/data/secrets.ts'
import { root } from './environment.ts'
import type { State } from './state.ts'

/**
 * Writes the configuration of this instance: wrangler.toml, and the keys of the local S3 server. They are secrets of
 * the instance like the others, because whoever knows them reads and replaces every stored file. Wrangler takes them
 * only from its configuration.
 *
 * Reading wrangler.toml loads wrangler, which takes a second, so it is done only after a change.
 */
export const writeWranglerConfig = async (state: State, secrets: Secrets): Promise<void> => {
  const source = join(root, 'wrangler.toml')
  const keys = { accessKeyId: secrets.MEDIA_S3_ACCESS_KEY_ID, secretAccessKey: secrets.MEDIA_S3_SECRET_ACCESS_KEY }
  const digest = createHash('sha256')
    .update(JSON.stringify([root, keys]))
    .update(await readFile(source))
    .update(await readFile(import.meta.filename))
    .digest('hex')
  if ((await readFile(state.wranglerConfigStamp, 'utf8').catch(() => '')) === digest) return

  const { experimental_readRawConfig } = await import('wrangler')
  const wranglerToml: WranglerToml = experimental_readRawConfig({ config: source }).rawConfig
  // `ai`: Workers AI runs only on Cloudflare, and wrangler would ask for a login. `env`: environments of Cloudflare.
  const {
    main,
    assets,
    d1_databases,
    containers,
    r2_buckets,
    secrets: declared,
    ai: _ai,
    env: _env,
    ...rest
  } = wranglerToml
  // Paths are relative to the file that they are in.
  const config = {
    ...rest,
    main: inRoot(main),
    // Wrangler passes on only those secrets of a file that are listed.
    secrets: { required: [...declared.required, 'ADMIN_TOKENS'] },
    assets: { ...assets, directory: inRoot(assets.directory) },
    d1_databases: d1_databases.map((database) => ({ ...database, migrations_dir: inRoot(database.migrations_dir) })),
    containers: containers.map((container) => ({
      ...container,
      image: inRoot(container.image),
      image_build_context: inRoot(container.image_build_context),
    })),
    r2_buckets: r2_buckets.map((bucket) => ({ ...bucket, local_dev: { experimental_s3_credentials: keys } })),
  }
  await writePrivately(state.wranglerConfig, `${JSON.stringify(config, null, 2)}\n`)
  await writePrivately(state.wranglerConfigStamp, digest)
}

const inRoot = (path: string): string => join(root, path)

/** The parts that this file changes. */
interface WranglerToml {
  main: string
  assets: { directory: string }
  d1_databases: { migrations_dir: string }[]
  containers: { image: string; image_build_context: string }[]
  r2_buckets: object[]
  secrets: { required: string[] }
  ai?: object
  env?: object
}
