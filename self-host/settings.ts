import { join } from 'node:path'
import { type Environment, readEnvironment } from '../domain/settings/settings.ts'

/**
 * The settings of the server, from its environment. Those of the Worker are in worker-variables.ts, and are checked with
 * them. Throws a sentence for the operator.
 */
export const readSettings = (env: Environment) => {
  const read = readEnvironment('selfHost', env)
  return {
    dataDir: read.DATA_DIR,
    /** Where callers connect. */
    host: read.HOST,
    port: read.PORT,
    /** Where engines connect. */
    engineHost: read.INTERNAL_HOST,
    enginePort: read.INTERNAL_PORT,
    /** How engines reach `enginePort`. */
    internalUrl: new URL(read.INTERNAL_URL ?? `http://haul:${read.INTERNAL_PORT}`),
    /** `host:port` of engines. A name may have many addresses, each of which is an engine. */
    engines: read.ENGINE_HOSTS,
    /** The token of the engines is also written here, for them to read. */
    engineTokenFile: read.ENGINE_TOKEN_FILE,
    /** What build.ts has written. */
    buildDir: read.BUILD_DIR ?? join(import.meta.dirname, '../dist'),
  }
}

export type Settings = ReturnType<typeof readSettings>
