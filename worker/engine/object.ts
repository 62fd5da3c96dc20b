import { DurableObject } from 'cloudflare:workers'
import { EngineState } from '../../domain/protocol/protocol.ts'
import type { Config } from '../env.ts'
import { containerHost } from './container-host.ts'
import { type EngineHost, type LaunchResult, processHost } from './host.ts'

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
      // Whether that is worth a warning, the fleet knows: of engines elsewhere, the list may name more than there are.
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
