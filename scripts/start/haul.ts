import { readFile } from 'node:fs/promises'
import { Haul as Client, HaulApiError } from '../../client/src/index.ts'
import { speechSettings } from '../../container/config.ts'
import { checkMountedModels } from '../../container/speech/models.ts'
import { parseAdminTokens } from '../../domain/secrets/admin-tokens.ts'
import { passedOn, readEnvironment } from '../../domain/settings/settings.ts'
import { readSecrets, writePrivately } from '../../self-host/data/secrets.ts'
import { pick } from '../../self-host/settings.ts'
import { openLog } from './child.ts'
import { superviseContainers } from './containers.ts'
import { chooseEngines, choosePort } from './ports.ts'
import { responds } from './ready.ts'
import { closeState, openState, type State } from './state.ts'
import type { Supervised } from './supervise.ts'
import { type StartWorker, startUnderWrangler } from './worker.ts'

export interface HaulOptions {
  stateDir: string
  /** 0 or undefined: any free port. */
  port?: number | undefined
  enginePort?: number | undefined
  /** Containers to start, unless ENGINE_URLS in `env` names some that run elsewhere. */
  engines?: number | undefined
  /** Settings, as in the environment of `npm start`: ALLOW_PRIVATE_HOSTS, LEASE_MS, OPENAI_BASE_URL… */
  env?: NodeJS.ProcessEnv
  startWorker?: StartWorker
  log?: (line: string) => void
  signal?: AbortSignal
}

const START_TIMEOUT_MS = 180_000
const START_TIMED_OUT = `The Worker and the containers did not all respond within ${START_TIMEOUT_MS / 1000} s. The end of their logs:`

/** The whole product on this machine, for `npm start`, the product tests and the benchmarks. */
export const startHaul = async (options: HaulOptions) => {
  const { env = process.env } = options
  const { ENGINE_URLS, ENGINE_TOKEN } = readEnvironment('start', env)
  const port = await choosePort(options.port ?? 0, 'PORT')
  const engines = await chooseEngines(ENGINE_URLS, options.engines, options.enginePort)
  // An image has folders of its own.
  if (engines.ports.length > 0 && !env.ENGINE_IMAGE)
    await checkMountedModels(speechSettings(passedOn('start', 'container', env)))
  if (ENGINE_URLS && !ENGINE_TOKEN) throw new Error('ENGINE_URLS needs the ENGINE_TOKEN of these containers.')
  const state = await openState(options.stateDir)
  try {
    return await startPrograms(state, port, engines, { ...options, env })
  } catch (error) {
    await closeState(state)
    throw error
  }
}

const startPrograms = async (
  state: State,
  port: number,
  engines: Awaited<ReturnType<typeof chooseEngines>>,
  options: HaulOptions & { env: NodeJS.ProcessEnv },
) => {
  const { env, log: print = () => {}, signal: given, startWorker = startUnderWrangler } = options
  const baseUrl = `http://127.0.0.1:${port}`
  const urls = { baseUrl, engineUrl: engines.urls[0] as string, engineUrls: engines.urls }
  const shared = engines.ports.length === 0 ? pick(env, ['ENGINE_TOKEN']) : {}
  // They have neither spaces nor line ends, because each secret has one line of the file.
  const adminTokens = parseAdminTokens(env.ADMIN_TOKENS ?? '').map(({ name, token }) => `${name}:${token}`)
  const secrets = await readSecrets(state.secretsFile, { ADMIN_TOKENS: adminTokens.join(), ...shared })
  const token = secrets.ENGINE_TOKEN
  const workerLog = openLog(state.workerLog)
  const signal = startSignal(given)

  const containers = await superviseContainers({ ports: engines.ports, token, state, env }, print)
  let runningWorker: Supervised | undefined
  const stop = async (stopSignal?: NodeJS.Signals): Promise<void> => {
    // The containers stop first, because they return their leases to the Worker.
    const containersStopped = containers.stop(stopSignal)
    if (stopSignal !== 'SIGKILL') await containersStopped
    await Promise.all([containersStopped, runningWorker?.stop(stopSignal)])
    workerLog.close()
    await closeState(state)
  }
  const ready = (within: AbortSignal) =>
    Promise.all([
      responds(`${baseUrl}/health`, within),
      ...engines.urls.map((url) => responds(`${url}/state`, within, { authorization: `Bearer ${token}` })),
    ])

  try {
    const worker = await startWorker({
      port,
      engineUrls: engines.urls,
      state,
      secrets,
      env,
      log: workerLog,
      print,
      signal,
    })
    runningWorker = worker
    const ended = Promise.race([worker.gaveUp, containers.gaveUp])
    const failed = ended.then((reason) => Promise.reject(reason))
    await Promise.race([ready(signal), failed]).catch((error) => {
      throw error.name === 'TimeoutError'
        ? new Error(`${START_TIMED_OUT}\n${workerLog.tail()}\n${containers.tail()}`)
        : error
    })
    const dev = await ensureDemoAccount(state, urls, secrets.ADMIN_TOKEN)
    return {
      ...dev,
      state,
      get containerPid() {
        return containers.pid
      },
      ended,
      stop,
      /** Both are restarted by themselves, with the same state. Resolves when the killed process is gone. */
      killContainer: (killSignal: NodeJS.Signals = 'SIGKILL', index = 0) => containers.kill(killSignal, index),
      killWorker: (killSignal: NodeJS.Signals = 'SIGKILL') => worker.kill(killSignal),
      ready: async (): Promise<void> => void (await ready(startSignal())),
    }
  } catch (error) {
    await stop()
    throw error
  }
}

const startSignal = (given?: AbortSignal): AbortSignal => {
  const timeout = AbortSignal.timeout(START_TIMEOUT_MS)
  return given ? AbortSignal.any([given, timeout]) : timeout
}

export type Haul = Awaited<ReturnType<typeof startHaul>>

/** `dev.json`: what tests, benchmarks and a developer's scripts need to call this instance. */
export type DevFile = Awaited<ReturnType<typeof ensureDemoAccount>>

type Account = Record<'apiKey' | 'accountId', string>

/** Creates the demo account once per state folder, and again when its key is no longer accepted. */
const ensureDemoAccount = async (
  state: State,
  urls: { baseUrl: string; engineUrl: string; engineUrls: string[] },
  adminToken: string,
) => {
  const { apiKey, accountId } =
    (await knownAccount(state, urls.baseUrl)) ?? (await createAccount(urls.baseUrl, adminToken))
  const dev = { ...urls, apiKey, adminToken, accountId }
  await writePrivately(state.devFile, `${JSON.stringify(dev, null, 2)}\n`)
  return dev
}

const knownAccount = async ({ devFile }: State, baseUrl: string): Promise<Account | undefined> => {
  const saved: Account | undefined = await readFile(devFile, 'utf8').then(JSON.parse, () => undefined)
  if (!saved) return undefined
  const refused = await new Client({ baseUrl, apiKey: saved.apiKey }).account().catch((error) => error)
  return refused instanceof HaulApiError && refused.status === 401 ? undefined : saved
}

const createAccount = (baseUrl: string, adminToken: string): Promise<Account> => {
  const operator = new Client({ baseUrl, apiKey: adminToken })
  return operator.request('POST', '/admin/accounts', { body: { name: 'demo', creditDollars: 10 } })
}
