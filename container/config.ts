import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'

const Env = z.object({
  PORT: z.coerce.number().int().min(0).max(65_535).default(8788),
  HOST: z.string().default('127.0.0.1'),
  ENGINE_TOKEN: z.string().min(1),
  /** Steps at a time. */
  ENGINE_CAPACITY: z.coerce.number().int().positive().default(4),
  ALLOW_PRIVATE_HOSTS: z.string().default(''),
  HAUL_PYTHON: z.string().default(join(import.meta.dirname, '../.tools/venv/bin/python')),
  WORK_DIR: z.string().optional(),
})

export type EngineConfig = z.infer<typeof Env> & { WORK_DIR: string }

/** One for each instance: it is emptied at the start. */
const workDir = (port: number): string => join(tmpdir(), `haul-engine-${port || `pid-${process.pid}`}`)

/** Throws a sentence that names what is missing or wrong, and shows no value. */
export const readConfig = (env: Record<string, string | undefined>): EngineConfig => {
  const read = Env.safeParse(env)
  if (read.success) return { ...read.data, WORK_DIR: read.data.WORK_DIR ?? workDir(read.data.PORT) }
  throw new Error(
    `The container's environment is incomplete: ${read.error.issues.map(({ path }) => path[0]).join(', ')}`,
  )
}
