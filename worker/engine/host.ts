import { type Backoff, backoffMs } from '../../domain/retry.ts'
import type { Config } from '../env.ts'

/** `starting`: it can be asked again. `full`: the platform starts no further container now. `failed`: nothing runs. */
export type LaunchResult = 'running' | 'starting' | 'full' | 'failed'

/** Nothing runs. `drained`: the process has exited by itself, without an error. It does so only when it was told to stop. */
export type Ending = 'drained' | 'stopped'

export interface EngineHost {
  /** null: it runs, or nobody knows. */
  ending(): Promise<Ending | null>
  /** A request to the engine's process. Throws when it is not running or the connection breaks. */
  fetch(path: string, init?: RequestInit): Promise<Response>
  launch(timeoutMs: number): Promise<LaunchResult>
  /** Keeps an engine from being stopped as idle. */
  renew(): Promise<void>
  shutDown(): Promise<void>
  /** Ends an engine that does not come up. */
  destroy(): Promise<void>
}

const PING_TIMEOUT_MS = 5_000

export const processHost = (config: Config, url: string): EngineHost => {
  const request: EngineHost['fetch'] = (path, init) => fetch(`${url}${path}`, withToken(config, init))
  return {
    ending: async () => null,
    fetch: request,
    launch: async () => ((await ping(request)) ? 'failed' : 'running'),
    renew: async () => {},
    shutDown: async () => {},
    destroy: async () => {},
  }
}

export const withToken = ({ engineToken }: Config, init: RequestInit = {}): RequestInit => {
  const headers = new Headers(init.headers)
  headers.set('authorization', `Bearer ${engineToken}`)
  return { ...init, headers }
}

export const ping = async (request: EngineHost['fetch']): Promise<unknown> => {
  try {
    const response = await request('/state', { signal: AbortSignal.timeout(PING_TIMEOUT_MS) })
    await response.body?.cancel()
    return response.ok ? null : new Error(`the engine answered ${response.status}`)
  } catch (cause) {
    return cause
  }
}

const PORT = 8788
/**
 * Only requests for states count as activity. So this stops engines that no fleet knows any more. It is longer than a
 * fleet may be silent: its object can be moved, overloaded or without its alarm.
 */
const INACTIVITY_MS = 15 * 60_000
const POLL_MS = 200
/** After a start that failed, or a process that exited at once. The platform limits starts. */
const RESTART: Backoff = { firstMs: 1_000, longestMs: 8_000 }
const SIGTERM = 15

/**
 * A Cloudflare container. `start()` returns before there is a container; a process that does not listen yet fails
 * requests, and a stuck one never answers them. So `launch` starts, takes the port and sends a request in a loop. It
 * cannot tell a stuck container from one whose image is still being fetched, and leaves that to the fleet.
 *
 * The runtime itself notices that a container ends, and then `running` is false. A pending `monitor()` would keep the
 * object in memory, and billed, for as long as its container runs, so it is called only afterwards.
 */
export const containerHost = (container: Container, config: Config, abort: () => void): EngineHost => {
  const link = linkOf(abort)
  const start = () => {
    link.works()
    const env = { ...config.containerEnv, PORT: `${PORT}`, HOST: '0.0.0.0' }
    container.start({ env, enableInternet: true })
  }
  const request: EngineHost['fetch'] = async (path, init) => {
    if (!container.running) throw new Error('the container is not running', { cause: await endOf(container) })
    try {
      const response = await container.getTcpPort(PORT).fetch(`http://container${path}`, withToken(config, init))
      link.works()
      return response
    } catch (cause) {
      link.failed(cause)
      throw cause
    }
  }
  const renew = () => container.setInactivityTimeout(INACTIVITY_MS)

  const startAndWait = async (timeoutMs: number): Promise<LaunchResult> => {
    const until = Date.now() + timeoutMs
    for (let starts = 0; Date.now() < until; await scheduler.wait(POLL_MS)) {
      if (!container.running) {
        if (starts > 0) {
          if (isFull(await endOf(container))) return 'full'
          await scheduler.wait(backoffMs(starts, RESTART))
        }
        start()
        starts += 1
        // If this object ends before the container answers, the platform stops the container. A refused start has no timeout.
        renew().catch((cause) => console.debug('no inactivity timeout', `${cause}`))
      }
      const problem = await ping(request)
      if (!problem) {
        await renew()
        return 'running'
      }
      if (isFull(problem)) return 'full'
    }
    return container.running ? 'starting' : 'failed'
  }

  let launching: Promise<LaunchResult> | null = null
  return {
    ending: async () => {
      if (container.running) return null
      return (await endOf(container)) === EXITED ? 'drained' : 'stopped'
    },
    fetch: request,
    launch: (timeoutMs) => {
      launching ??= startAndWait(timeoutMs).finally(() => {
        launching = null
      })
      return launching
    },
    renew,
    shutDown: async () => {
      if (container.running) container.signal(SIGTERM)
    },
    destroy: async () => {
      if (container.running) await container.destroy()
    },
  }
}

const DEAD_LINK = { failures: 3, ms: 5_000 }

/**
 * The object's connection to the service of its container can be dead although the container is well, until the object
 * ends. When a process dies, many requests fail at once and then `running` is false, so the failures must go on for
 * some seconds.
 */
const linkOf = (abort: () => void) => {
  let failures = 0
  let since = 0
  return {
    works: () => {
      failures = 0
    },
    failed: (cause: unknown) => {
      if (!`${cause}`.includes('Network connection lost')) return
      if (failures === 0) since = Date.now()
      failures += 1
      if (failures >= DEAD_LINK.failures && Date.now() - since >= DEAD_LINK.ms) abort()
    },
  }
}

const EXITED = 'exit code 0'

const endOf = async (container: Container): Promise<unknown> => {
  try {
    await container.monitor()
    return EXITED
  } catch (cause) {
    return cause
  }
}

/** The platform's messages when a limit is reached (`max_instances`, or of the account), and when it has no machine. */
const FULL = [
  'maximum number of running container instances exceeded',
  'no container instance that can be provided',
  'requesting too many containers per second',
]

const isFull = (cause: unknown): boolean => FULL.some((message) => `${cause}`.toLowerCase().includes(message))
