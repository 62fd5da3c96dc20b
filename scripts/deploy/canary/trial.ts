import type { Haul } from '../../../client/src/index.ts'
import type { CloudflareApi } from '../cloudflare/api.ts'
import type { Target } from '../target.ts'
import type { Access } from './access.ts'
import type { Sizes } from './sizes.ts'

/** One thing that `--canary full` tries, because it can only be found out on Cloudflare. */
export interface Trial {
  title: string
  /** Resolves with a sentence. It begins with NOT TESTED where something is missing. Throws what is wrong, and what to do. */
  run(canary: FullCanary): Promise<string>
}

export interface FullCanary extends Access {
  env: NodeJS.ProcessEnv
  secretsFile: Record<string, string> | null
  /** With the key, and without retries: each failure counts. */
  haul: Haul
  api: Pick<CloudflareApi, 'get'>
  target: Pick<Target, 'vars'>
  sizes: Sizes
  /** Builds another image. The function that it resolves with deploys it, with the Worker, and resolves with the version. */
  prepareDeploy(): Promise<() => Promise<string>>
  /** A public URL of a large file, once there is one. */
  large: { url: string; sizeBytes: number } | null
  /** Called in the end, the last one first. */
  cleanUps: (() => Promise<unknown>)[]
}
