import { join } from 'node:path'
import type { HostAndPort } from '../domain/settings/rules.ts'
import { type Environment, readEnvironment } from '../domain/settings/settings.ts'

/** The settings of the server, from its environment. Those of the Worker are in worker-variables.ts. */
export interface Settings {
  dataDir: string
  /** Where callers connect. */
  host: string
  port: number
  /** Where engines connect. */
  engineHost: string
  enginePort: number
  /** How engines reach `enginePort`. */
  internalUrl: URL
  /** `host:port` of engines. A name may have many addresses, each of which is an engine. */
  engines: HostAndPort[]
  /** The token of the engines is also written here, for them to read. */
  engineTokenFile: string | null
  /** What build.ts has written. */
  buildDir: string
}

/** Throws a sentence for the operator. The variables of the Worker are checked with them. */
export const readSettings = (env: Environment): Settings => {
  const read = readEnvironment('selfHost', env)
  return {
    dataDir: read.DATA_DIR,
    host: read.HOST,
    port: read.PORT,
    engineHost: read.INTERNAL_HOST,
    enginePort: read.INTERNAL_PORT,
    internalUrl: read.INTERNAL_URL ?? new URL(`http://haul:${read.INTERNAL_PORT}`),
    engines: read.ENGINE_HOSTS,
    engineTokenFile: read.ENGINE_TOKEN_FILE,
    buildDir: read.BUILD_DIR ?? join(import.meta.dirname, '../dist'),
  }
}
