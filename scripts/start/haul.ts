import { setTimeout as sleep } from 'node:timers/promises'
import { openLog } from './child.ts'
import { superviseContainer } from './container.ts'
import { type DevFile, ensureDemoAccount } from './demo-account.ts'
import { claimPort } from './ports.ts'
import { closeState, openState, readSecrets, type State } from './state.ts'
import type { Supervised } from './supervise.ts'
import { applyMigrations, superviseWorker } from './worker.ts'
import { writeWranglerConfig } from './wrangler-config.ts'

/**
 * The whole product on this machine: the Worker in workerd, the container as a plain process. `npm start`, the
 * product tests and the benchmarks all start it here.
 */
export interface Haul extends DevFile {
  readonly state: State
  /** Of the container's current process. */
  readonly containerPid: number
  /** Resolves with the reason when the Worker or the container keeps dying. */
  readonly ended: Promise<Error>
  /** Both are restarted by themselves, with the same state. Resolves when the killed process is gone. */
  killContainer(signal?: NodeJS.Signals): Promise<void>
  killWorker(signal?: NodeJS.Signals): Promise<void>
  /** Resolves when the Worker and the container answer `/health` with 200. */
  ready(): Promise<void>
  stop(signal?: NodeJS.Signals): Promise<void>
}

export interface HaulOptions {
  stateDir: string
  /** 0 or undefined: any free port. */
  port?: number | undefined
  enginePort?: number | undefined
  /** Settings, as in the environment of `npm start`: ALLOW_PRIVATE_HOSTS, LEASE_MS, OPENAI_BASE_URL… */
  env?: NodeJS.ProcessEnv
  log?: (line: string) => void
  /** Cancels the start. */
  signal?: AbortSignal
}

const START_TIMEOUT_MS = 60_000
const START_TIMED_OUT = `The Worker and the container did not both become healthy within ${START_TIMEOUT_MS / 1000} s. The end of their logs:`

export const startHaul = async (options: HaulOptions): Promise<Haul> => {
  const [port, enginePort] = [
    await claimPort(options.port ?? 0, 'PORT'),
    await claimPort(options.enginePort ?? 0, 'ENGINE_PORT'),
  ]
  const state = await openState(options.stateDir)
  try {
    return await startPrograms(state, port, enginePort, options)
  } catch (error) {
    await closeState(state)
    throw error
  }
}

const startPrograms = async (state: State, port: number, enginePort: number, options: HaulOptions): Promise<Haul> => {
  const { env = process.env, log: print = () => {} } = options
  const urls = { baseUrl: `http://127.0.0.1:${port}`, engineUrl: `http://127.0.0.1:${enginePort}` }
  const secrets = await readSecrets(state)
  const logs = { worker: openLog(state.workerLog), container: openLog(state.containerLog) }
  const signal = startSignal(options.signal)

  const containerOptions = { port: enginePort, token: secrets.ENGINE_TOKEN, state, env }
  const container = superviseContainer(containerOptions, logs.container, print)
  let runningWorker: Supervised | undefined
  const stop = async (stopSignal?: NodeJS.Signals): Promise<void> => {
    // The container stops first, because it returns its leases to the Worker.
    const containerStopped = container.stop(stopSignal)
    if (stopSignal !== 'SIGKILL') await containerStopped
    await Promise.all([containerStopped, runningWorker?.stop(stopSignal)])
    logs.worker.close()
    logs.container.close()
    await closeState(state)
  }
  const ready = (within: AbortSignal) => Promise.all([healthy(urls.baseUrl, within), healthy(urls.engineUrl, within)])

  try {
    await writeWranglerConfig(state, secrets)
    await applyMigrations({ state, env }, logs.worker, signal)
    const worker = superviseWorker({ port, engineUrl: urls.engineUrl, state, env }, logs.worker, print)
    runningWorker = worker
    const ended = Promise.race([worker.gaveUp, container.gaveUp])
    await orEnded(ready(signal), ended).catch((error) => {
      throw error.name === 'TimeoutError'
        ? new Error(`${START_TIMED_OUT}\n${logs.worker.tail()}\n${logs.container.tail()}`)
        : error
    })
    const dev = await ensureDemoAccount(state, urls, secrets.ADMIN_TOKEN)
    return {
      ...dev,
      state,
      get containerPid() {
        return container.pid ?? 0
      },
      ended,
      stop,
      killContainer: (killSignal = 'SIGKILL') => container.kill(killSignal),
      killWorker: (killSignal = 'SIGKILL') => worker.kill(killSignal),
      ready: async () => void (await ready(startSignal())),
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

const orEnded = (work: Promise<unknown>, ended: Promise<Error>): Promise<unknown> =>
  Promise.race([work, ended.then((reason) => Promise.reject(reason))])

const HEALTH_INTERVAL_MS = 50
const HEALTH_TIMEOUT_MS = 5_000

const healthy = async (url: string, signal: AbortSignal): Promise<void> => {
  while (!(await isHealthy(url, signal))) await sleep(HEALTH_INTERVAL_MS, null, { signal })
}

const isHealthy = async (url: string, signal: AbortSignal): Promise<boolean> => {
  try {
    const timeout = AbortSignal.timeout(HEALTH_TIMEOUT_MS)
    const response = await fetch(`${url}/health`, { signal: AbortSignal.any([signal, timeout]) })
    await response.body?.cancel()
    return response.ok
  } catch {
    signal.throwIfAborted()
    return false
  }
}
