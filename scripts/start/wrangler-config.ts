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

  const { readWranglerToml } = await import('../wrangler-toml.ts')
  // Workers AI runs only on Cloudflare, and wrangler would ask for a login.
  const { ai: _, ...wranglerToml } = readWranglerToml(source)
  const config = {
    ...wranglerToml,
    // Wrangler passes on only those secrets of a file that are listed.
    secrets: { required: [...(wranglerToml.secrets?.required ?? []), 'ADMIN_TOKENS'] },
    r2_buckets: wranglerToml.r2_buckets?.map((bucket) => ({
      ...bucket,
      local_dev: { experimental_s3_credentials: keys },
    })),
  }
  await writePrivately(state.wranglerConfig, `${JSON.stringify(config, null, 2)}\n`)
  await writePrivately(state.wranglerConfigStamp, digest)
}
