import { keepContainer } from './container.ts'
import { type DevFile, introduce } from './demo.ts'
import { healthy } from './health.ts'
import type { Kept } from './kept.ts'
import { openLog } from './log-file.ts'
import { claimPort } from './ports.ts'
import { closeState, openState, readSecrets, type State } from './state.ts'
import { keepWorker, migrate } from './worker.ts'

/**
 * The whole product on this machine: the Worker in workerd, the container as a plain process. What
 * `npm start` shows, tests drive and benchmarks measure.
 */
export interface Haul extends DevFile {
  readonly state: State
  /** Of the container's process as it runs now. */
  readonly containerPid: number
  /** Ends when Haul can't go on, with the reason. */
  readonly ended: Promise<Error>
  /** They come back by themselves, over the same state; resolves when the one that was is gone. */
  killContainer(signal?: NodeJS.Signals): Promise<void>
  killWorker(signal?: NodeJS.Signals): Promise<void>
  /** Resolves when Worker and container answer. */
  ready(): Promise<void>
  stop(signal?: NodeJS.Signals): Promise<void>
}

export interface HaulOptions {
  stateDir: string
  /** 0, or nothing, is any free port. */
  port?: number | undefined
  enginePort?: number | undefined
  /** What `npm start` reads from its environment: ALLOW_PRIVATE_HOSTS, LEASE_MS, OPENAI_BASE_URL… */
  env?: NodeJS.ProcessEnv
  log?: (line: string) => void
  /** Gives up the start. */
  signal?: AbortSignal
}

const START_TIMEOUT_MS = 60_000
const TOO_LATE = `Worker and container did not both answer within ${START_TIMEOUT_MS / 1000} s. Their last words:`

export const startHaul = async (options: HaulOptions): Promise<Haul> => {
  const [port, enginePort] = [
    await claimPort(options.port ?? 0, 'PORT'),
    await claimPort(options.enginePort ?? 0, 'ENGINE_PORT'),
  ]
  const state = await openState(options.stateDir)
  try {
    return await startParts(state, port, enginePort, options)
  } catch (error) {
    await closeState(state)
    throw error
  }
}

const startParts = async (state: State, port: number, enginePort: number, options: HaulOptions): Promise<Haul> => {
  const { env = process.env, log: say = () => {} } = options
  const urls = { baseUrl: `http://127.0.0.1:${port}`, engineUrl: `http://127.0.0.1:${enginePort}` }
  const secrets = await readSecrets(state)
  const logs = { worker: openLog(state.workerLog), container: openLog(state.containerLog) }
  const signal = startSignal(options.signal)

  const container = keepContainer({ port: enginePort, token: secrets.ENGINE_TOKEN, state, env }, logs.container, say)
  let worker: Kept | undefined
  const stop = async (how?: NodeJS.Signals): Promise<void> => {
    // The container first: it gives its steps back to the Worker.
    const containerStopped = container.stop(how)
    if (how !== 'SIGKILL') await containerStopped
    await Promise.all([containerStopped, worker?.stop(how)])
    logs.worker.close()
    logs.container.close()
    await closeState(state)
  }
  const ready = (within: AbortSignal) => Promise.all([healthy(urls.baseUrl, within), healthy(urls.engineUrl, within)])

  try {
    await migrate({ state, env }, logs.worker, signal)
    const kept = keepWorker({ port, engineUrl: urls.engineUrl, state, env }, logs.worker, say)
    worker = kept
    const ended = Promise.race([kept.gaveUp, container.gaveUp])
    await orEnd(ready(signal), ended).catch((error) => {
      throw error.name === 'TimeoutError'
        ? new Error(`${TOO_LATE}\n${logs.worker.tail()}\n${logs.container.tail()}`)
        : error
    })
    const dev = await introduce(state, urls, secrets.ADMIN_TOKEN)
    return {
      ...dev,
      state,
      get containerPid() {
        return container.pid ?? 0
      },
      ended,
      stop,
      killContainer: (how = 'SIGKILL') => container.kill(how),
      killWorker: (how = 'SIGKILL') => kept.kill(how),
      ready: async () => void (await ready(startSignal())),
    }
  } catch (error) {
    await stop()
    throw error
  }
}

const startSignal = (given?: AbortSignal): AbortSignal => {
  const patience = AbortSignal.timeout(START_TIMEOUT_MS)
  return given ? AbortSignal.any([given, patience]) : patience
}

const orEnd = (work: Promise<unknown>, ended: Promise<Error>): Promise<unknown> =>
  Promise.race([work, ended.then((reason) => Promise.reject(reason))])
