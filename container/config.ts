import { existsSync, readFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { z } from 'zod'
import { readSourceProxies, type SourceProxies } from '../domain/source-proxies.ts'

/** Child processes have another working directory. A program's name without a folder stays one. */
export const absolute = (path: string): string => (path.includes('/') ? resolve(path) : path)

const Env = z.object({
  PORT: z.coerce.number().int().min(0).max(65_535).default(8788),
  HOST: z.string().default('127.0.0.1'),
  ENGINE_TOKEN: z.string().min(1),
  /** The places that the fleet gives to steps and probes: those that need the network, and those that need a core. */
  ENGINE_NETWORK_PLACES: z.coerce.number().int().positive().default(8),
  ENGINE_CPU_PLACES: z.coerce.number().int().positive().default(availableParallelism()),
  /** What all steps together may use of the disk. Default: nine tenths of what is free when the container starts. */
  ENGINE_DISK_BYTES: z.coerce.number().int().positive().optional(),
  /** How long running steps may take after SIGTERM. The default is what Cloudflare allows, less a minute. */
  DRAIN_MS: z.coerce
    .number()
    .int()
    .nonnegative()
    .default(14 * 60_000),
  ALLOW_PRIVATE_HOSTS: z.string().default(''),
  HAUL_PYTHON: z
    .string()
    .transform(absolute)
    .default(join(import.meta.dirname, '../.tools/venv/bin/python')),
  WORK_DIR: z
    .string()
    .transform((path) => resolve(path))
    .optional(),
  /** "weak": the container works although children are not, or not fully, isolated on this system. */
  SANDBOX: z.enum(['strict', 'weak']).default('strict'),
})

export interface ContainerConfig extends z.infer<typeof Env> {
  WORK_DIR: string
  /** SOURCE_PROXY_URL and SOURCE_PROXIES. */
  sourceProxies: SourceProxies
}

/** Each instance needs its own, because the folder is deleted at start. */
const defaultWorkDir = (port: number): string => join(tmpdir(), `haul-engine-${port || `pid-${process.pid}`}`)

/** A token that the Worker's program has written for its engines, on a volume that both have. */
const tokenIn = (file: string | undefined): string | undefined =>
  file !== undefined && existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined

/** Throws an error that names the missing or invalid variables without their values, which may be secrets. */
export const readConfig = (env: Record<string, string | undefined>): ContainerConfig => {
  const read = Env.safeParse({ ...env, ENGINE_TOKEN: env.ENGINE_TOKEN ?? tokenIn(env.ENGINE_TOKEN_FILE) })
  if (!read.success) {
    throw new Error(
      `Missing or invalid environment variables: ${read.error.issues.map(({ path }) => path[0]).join(', ')}`,
    )
  }
  return {
    ...read.data,
    WORK_DIR: read.data.WORK_DIR ?? defaultWorkDir(read.data.PORT),
    sourceProxies: readSourceProxies({ url: env.SOURCE_PROXY_URL, byHost: env.SOURCE_PROXIES }),
  }
}
