import { DurableObject } from 'cloudflare:workers'
import { EngineState, Health, Sites } from '../../domain/protocol/protocol.ts'
import { type Backoff, backoffMs } from '../../domain/retry.ts'
import { type KnownSites, knownSites } from '../../domain/sites.ts'
import type { Config } from '../env.ts'

/**
 * `starting`: the engine does not answer yet, and can be asked again. `full`: the platform starts no further container
 * now. `failed`: nothing runs that could answer later.
 */
export type LaunchResult = 'running' | 'starting' | 'full' | 'failed'

/** Nothing runs. `drained`: the process has exited by itself, without an error. It does so only when it was told to stop. */
export type Ending = 'drained' | 'stopped'

/** Where an engine runs: a Cloudflare container, or a process at a URL. */
interface EngineHost {
  /** null: it runs, or nobody knows. */
  ending(): Promise<Ending | null>
  /** A request to the engine's process. Throws when it is not running or the connection breaks. */
  fetch(path: string, init?: RequestInit): Promise<Response>
  /** Starts the engine, unless it runs, and waits until it answers. */
  launch(timeoutMs: number): Promise<LaunchResult>
  /** Keeps an engine from being stopped as idle. */
  renew(): Promise<void>
  /** Asks the engine to finish its steps and exit. */
  shutDown(): Promise<void>
  /** Ends an engine that does not come up. */
  destroy(): Promise<void>
}

/** With the last ping, 30 s. A call may not take much longer, because it fails when this object is restarted. */
const LAUNCH_TIMEOUT_MS = 25_000
/** The sites of yt-dlp were 70 kB in November 2026. */
const MAX_SITES_BYTES = 1_000_000

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

  /** null: no answer in time, a broken connection, or not running. */
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

  ending(): Promise<Ending | null> {
    return this.#host.ending()
  }

  /** Throws when there is no answer in time. */
  async health(timeoutMs: number): Promise<Health> {
    const response = await this.#host.fetch('/health', { signal: AbortSignal.timeout(timeoutMs) })
    return Health.parse(await response.json())
  }

  /** null: it says none that can be shown. Throws when there is no answer in time, or while yt-dlp is starting. */
  async sites(timeoutMs: number): Promise<KnownSites | null> {
    const response = await this.#host.fetch('/sites', { signal: AbortSignal.timeout(timeoutMs) })
    // The text comes from yt-dlp, and an engine says how long it is.
    const isReadable = response.ok && Number(response.headers.get('content-length') ?? Number.NaN) <= MAX_SITES_BYTES
    if (isReadable) return knownSites(Sites.parse(await response.json()))
    await response.body?.cancel()
    throw new Error(`the engine answered ${response.status} to /sites`)
  }

  launch(timeoutMs = LAUNCH_TIMEOUT_MS): Promise<LaunchResult> {
    return this.#host.launch(timeoutMs)
  }

  shutDown(): Promise<void> {
    return this.#host.shutDown()
  }

  destroy(): Promise<void> {
    return this.#host.destroy()
  }
}

/** ENGINE_URLS takes precedence, so that engines elsewhere can be used where containers are available. */
const hostOf = (ctx: DurableObjectState, config: Config): EngineHost => {
  if (ctx.container && config.engineUrls.length === 0) {
    return containerHost(ctx.container, config, () => ctx.abort('the connection to the container is dead'))
  }
  const url = config.engineUrls[Number(ctx.id.name?.replace('engine-', ''))]
  if (!url) throw new Error(`${ctx.id.name} has no container and no URL in ENGINE_URLS`)
  return processHost(config, url)
}

const PING_TIMEOUT_MS = 5_000

/** A process that someone else starts and stops. */
const processHost = (config: Config, url: string): EngineHost => {
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
/**
 * The fleet stops idle engines itself, and only its requests for states count as activity. So this stops engines that no
 * fleet knows any more, and is longer than a fleet may be silent: its object can be moved, overloaded or without its alarm.
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
const containerHost = (container: Container, config: Config, abort: () => void): EngineHost => {
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
 * The object's connection to the service that runs its container. It can be dead although the container is well, and then
 * stays so for as long as the object is in memory. A new object connects again. When a process dies, many requests lose
 * their connection at once and then `running` is false, so the failures must go on for some seconds.
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

/** Why a container that is not running ended, as far as this object knows. */
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
