import { DurableObject } from 'cloudflare:workers'
import { EngineState, Health, Sites } from '../../domain/protocol/protocol.ts'
import { type KnownSites, knownSites } from '../../domain/sites.ts'
import type { Config } from '../env.ts'
import { containerHost } from './container-host.ts'
import { type Ending, type EngineHost, type LaunchResult, processHost } from './host.ts'

/** With the last ping, 30 s. A call may not take much longer, because it fails when this object is restarted. */
const LAUNCH_TIMEOUT_MS = 25_000
/** The sites of yt-dlp were 70 kB in November 2026. */
const MAX_SITES_BYTES = 1_000_000

/** An ending is the platform's word. null: no answer in time, or a broken connection. */
export type StateAnswer = EngineState | Ending | null

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

  async state(timeoutMs: number): Promise<StateAnswer> {
    try {
      const response = await this.#host.fetch('/state', { signal: AbortSignal.timeout(timeoutMs) })
      const state = EngineState.parse(await response.json())
      // A running step receives no requests, its own do not count as activity, and idle engines are for the fleet to stop.
      await this.#host.renew()
      return state
    } catch (cause) {
      // The fleet decides whether to warn: the list of engines elsewhere may name more than there are.
      console.debug('no state', this.ctx.id.name, cause)
      return this.#host.ending()
    }
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
