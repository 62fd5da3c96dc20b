import { join, resolve } from 'node:path'
import { connectionIn } from '../../client/cli/connection/stored-login.ts'
import { Haul, HaulConnectionError } from '../../client/src/index.ts'
import { root } from '../start/environment.ts'

/** The environment variables that every example reads. */
export interface Connection {
  HAUL_URL: string
  HAUL_API_KEY: string
  HAUL_WEBHOOK_SECRET: string
}

/** HAUL_URL and HAUL_API_KEY of the environment, else those of the running `npm start`. Throws if Haul does not answer. */
export const connect = async (env: NodeJS.ProcessEnv): Promise<Connection> => {
  const { HAUL_URL, HAUL_API_KEY } = env.HAUL_URL && env.HAUL_API_KEY ? env : await localHaul(env)
  if (!HAUL_URL || !HAUL_API_KEY) throw new Error(NOT_RUNNING)
  const haul = new Haul({ baseUrl: HAUL_URL, apiKey: HAUL_API_KEY, maxRetries: 0 })
  const { secret } = await haul.webhooks.secret().catch((cause) => {
    throw cause instanceof HaulConnectionError
      ? new Error(`Haul does not answer at ${HAUL_URL}. ${NOT_RUNNING}`, { cause })
      : cause
  })
  return { HAUL_URL, HAUL_API_KEY, HAUL_WEBHOOK_SECRET: secret }
}

const NOT_RUNNING = 'Start Haul with `npm start`, or set HAUL_URL and HAUL_API_KEY.'

const localHaul = async (env: NodeJS.ProcessEnv): Promise<Partial<Connection>> => {
  const dev = await connectionIn(join(resolve(env.HAUL_STATE || join(root, '.haul')), 'dev.json'))
  return dev ? { HAUL_URL: dev.baseUrl, HAUL_API_KEY: dev.apiKey } : {}
}
