import { DurableObject } from 'cloudflare:workers'
import { EngineState } from '../../domain/protocol/protocol.ts'
import type { Config } from '../env.ts'

/** `full`: the platform starts no further container now. `failed`: the engine did not answer in time. */
export type LaunchResult = 'running' | 'full' | 'failed'

/** Where an engine runs: a Cloudflare container, or a process at a URL. */
interface EngineHost {
  /** A request to the engine's process. Throws when it is not running or the connection breaks. */
  fetch(path: string, init?: RequestInit): Promise<Response>
  /** Starts the engine, unless it runs, and waits until it answers. */
  launch(timeoutMs: number): Promise<LaunchResult>
  /** Keeps an engine from being stopped as idle. */
  renew(): Promise<void>
  /** Asks the engine to finish its steps and exit. */
  shutDown(): Promise<void>
}

/** Includes the time in which the platform finds a machine and loads the image. With the last ping, 30 s. */
const LAUNCH_TIMEOUT_MS = 25_000

/**
 * One engine. The fleet decides when it starts and stops, and asks for its state every few seconds while it works.
 * Requests with a path are forwarded to the engine's process.
 */
export abstract class EngineBase extends DurableObject<Env> {
  readonly #host: EngineHost

  constructor(ctx: DurableObjectState, env: Env, config: Config) {
    super(ctx, env)
    this.#host = hostOf(ctx, config)
  }

  override async fetch(request: Request): Promise<Response> {
    const { method, headers, signal } = request
    const body = await request.text()
    return this.#host.fetch(new URL(request.url).pathname, { method, headers, body, signal })
  }

  async state(timeoutMs: number): Promise<EngineState | null> {
    try {
      const response = await this.#host.fetch('/state', { signal: AbortSignal.timeout(timeoutMs) })
      const state = EngineState.parse(await response.json())
      // A running step receives no requests, its own do not count as activity, and idle engines are for the fleet to stop.
      await this.#host.renew()
      return state
    } catch (cause) {
      // The fleet decides whether to warn: the list of engines elsewhere may name more than there are.
      console.debug('no state', this.ctx.id.name, cause)
      return null
    }
  }

  launch(timeoutMs = LAUNCH_TIMEOUT_MS): Promise<LaunchResult> {
    return this.#host.launch(timeoutMs)
  }

  shutDown(): Promise<void> {
    return this.#host.shutDown()
  }
}

/** ENGINE_URLS takes precedence, so that engines elsewhere can be used where containers are available. */
const hostOf = ({ id, container }: DurableObjectState, config: Config): EngineHost => {
  if (container && config.engineUrls.length === 0) return containerHost(container, config)
  const url = config.engineUrls[Number(id.name?.replace('engine-', ''))]
  if (!url) throw new Error(`${id.name} has no container and no URL in ENGINE_URLS`)
  return processHost(config, url)
}

const PING_TIMEOUT_MS = 5_000

/** A process that someone else starts and stops. */
const processHost = (config: Config, url: string): EngineHost => {
  const request: EngineHost['fetch'] = (path, init) => fetch(`${url}${path}`, withToken(config, init))
  return {
    fetch: request,
    launch: async () => ((await ping(request)) ? 'failed' : 'running'),
    renew: async () => {},
    shutDown: async () => {},
  }
}

const withToken = ({ engineToken }: Config, init: RequestInit = {}): RequestInit => {
  const headers = new Headers(init.headers)
  headers.set('authorization', `Bearer ${engineToken}`)
  return { ...init, headers }
}

/** Resolves with what is wrong, or with null. */
const ping = async (request: EngineHost['fetch']): Promise<unknown> => {
  try {
    const response = await request('/state', { signal: AbortSignal.timeout(PING_TIMEOUT_MS) })
    await response.body?.cancel()
    return response.ok ? null : new Error(`the engine answered ${response.status}`)
  } catch (cause) {
    return cause
  }
}

const PORT = 8788
/** Kept short: most of a container's cost is its idle time, not its work. */
const IDLE_MS = 45_000
const POLL_MS = 200
/** After a start that failed, or a process that exited at once. */
const RESTART_MS = 1_000
const SIGTERM = 15

/**
 * A Cloudflare container. `start()` returns before there is a container; a process that does not listen yet fails
 * requests, and a stuck one never answers them. So `launch` starts, takes the port and sends a request in a loop, and
 * destroys a container that has not answered at the end.
 *
 * The runtime itself notices that a container ends, and then `running` is false. A pending `monitor()` would keep the
 * object in memory, and billed, for as long as its container runs, so it is called only afterwards.
 */
const containerHost = (container: Container, config: Config): EngineHost => {
  const start = () => {
    const { engineToken, allowedHosts, sandbox, engineDiskBytes, sourceProxies, jobLogSample } = config
    const settings = { ENGINE_TOKEN: engineToken, ALLOW_PRIVATE_HOSTS: allowedHosts, SANDBOX: sandbox }
    const disk: Record<string, string> = engineDiskBytes === null ? {} : { ENGINE_DISK_BYTES: `${engineDiskBytes}` }
    const proxies = { SOURCE_PROXY_URL: sourceProxies.url, SOURCE_PROXIES: sourceProxies.byHost }
    const logs = { JOB_LOG_SAMPLE: `${jobLogSample}` }
    const env = { PORT: `${PORT}`, HOST: '0.0.0.0', ...settings, ...disk, ...proxies, ...logs }
    container.start({ env, enableInternet: true })
  }
  const request: EngineHost['fetch'] = async (path, init) => {
    if (!container.running) throw new Error('the container is not running', { cause: await endOf(container) })
    return container.getTcpPort(PORT).fetch(`http://container${path}`, withToken(config, init))
  }
  const renew = () => container.setInactivityTimeout(IDLE_MS)

  const startAndWait = async (timeoutMs: number): Promise<LaunchResult> => {
    const until = Date.now() + timeoutMs
    for (let starts = 0; Date.now() < until; await scheduler.wait(POLL_MS)) {
      if (!container.running) {
        if (starts > 0) {
          if (isFull(await endOf(container))) return 'full'
          await scheduler.wait(RESTART_MS)
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
    await container.destroy()
    return 'failed'
  }

  let launching: Promise<LaunchResult> | null = null
  return {
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
  }
}

/** Why a container that is not running ended, as far as this object knows. */
const endOf = async (container: Container): Promise<unknown> => {
  try {
    await container.monitor()
    return 'exit code 0'
  } catch (cause) {
    return cause
  }
}

/** The platform's messages when a limit is reached (`max_instances`, or of the account), and when it has no machine. */
const isFull = (cause: unknown): boolean =>
  /maximum number of running container instances exceeded|no container instance that can be provided/i.test(`${cause}`)
