import { join } from 'node:path'

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
  engines: EngineName[]
  /** The token of the engines is also written here, for them to read. */
  engineTokenFile: string | null
  /** What build.ts has written. */
  buildDir: string
}

export interface EngineName {
  host: string
  port: number
}

type Env = Record<string, string | undefined>

/** Throws a sentence for the operator. */
export const readSettings = (env: Env): Settings => {
  const enginePort = portIn(env, 'INTERNAL_PORT', 8789)
  return {
    dataDir: env.DATA_DIR || '/data',
    host: env.HOST || '0.0.0.0',
    port: portIn(env, 'PORT', 8787),
    engineHost: env.INTERNAL_HOST || '0.0.0.0',
    enginePort,
    internalUrl: urlIn(env, 'INTERNAL_URL', `http://haul:${enginePort}`),
    engines: (env.ENGINE_HOSTS || 'engine:8788').split(',').map((entry) => engineName(entry.trim())),
    engineTokenFile: env.ENGINE_TOKEN_FILE || null,
    buildDir: env.BUILD_DIR || join(import.meta.dirname, '../dist'),
  }
}

const portIn = (env: Env, name: string, fallback: number): number => {
  const port = Number(env[name] || fallback)
  if (Number.isInteger(port) && port > 0 && port < 65_536) return port
  throw new Error(`${name} must be a port number, not "${env[name]}".`)
}

const urlIn = (env: Env, name: string, fallback: string): URL => {
  const url = env[name] || fallback
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return new URL(url)
  throw new Error(`${name} must be a URL like ${fallback}, not "${url}".`)
}

const engineName = (entry: string): EngineName => {
  const url = `http://${entry}`
  if (URL.canParse(url) && new URL(url).port !== '') {
    const { hostname, port } = new URL(url)
    return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) }
  }
  throw new Error(`ENGINE_HOSTS must be names with ports like engine:8788, separated by commas, not "${entry}".`)
}
