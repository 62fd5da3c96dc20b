import { DurableObject } from 'cloudflare:workers'
import type { Config } from '../env.ts'

const PORT = 8788
/** The idle tail is what a container costs, not its work. */
const IDLE_MS = 45_000
/** A step answers at once and works on: while any runs, the idle time is begun anew this often. */
const RENEW_MS = 20_000
const START_TIMEOUT_MS = 20_000
const START_POLL_MS = 200

/**
 * Stands in front of one container. On Cloudflare it starts the container at the first call and lets it
 * stop when idle; where there is no container runtime the same calls go to a plain process.
 */
export abstract class EngineBase extends DurableObject<Env> {
  readonly #config: Config

  constructor(ctx: DurableObjectState, env: Env, config: Config) {
    super(ctx, env)
    this.#config = config
  }

  override async fetch(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url)
    const init = { method: request.method, headers: this.#headers(request), body: request.body }
    if (!this.ctx.container) return fetch(`${this.#config.engineUrl}${pathname}`, init)
    const port = await this.#started(this.ctx.container)
    await this.ctx.storage.setAlarm(Date.now() + RENEW_MS)
    return port.fetch(`http://container${pathname}`, init)
  }

  /** Nothing comes in while a step works, so its container would pass for idle. */
  override async alarm(): Promise<void> {
    const { container } = this.ctx
    if (!container?.running) return
    const answer = await container.getTcpPort(PORT).fetch('http://container/health')
    const { running } = await answer.json<{ running: number }>()
    if (running === 0) return
    await container.setInactivityTimeout(IDLE_MS)
    await this.ctx.storage.setAlarm(Date.now() + RENEW_MS)
  }

  #headers(request: Request): Headers {
    const headers = new Headers(request.headers)
    headers.set('authorization', `Bearer ${this.#config.engineToken}`)
    return headers
  }

  async #started(container: Container): Promise<Fetcher> {
    const port = container.getTcpPort(PORT)
    if (!container.running) {
      const { engineToken, allowedHosts } = this.#config
      const env = { PORT: `${PORT}`, HOST: '0.0.0.0', ENGINE_TOKEN: engineToken, ALLOW_PRIVATE_HOSTS: allowedHosts }
      container.start({ env, enableInternet: true })
    }
    await container.setInactivityTimeout(IDLE_MS)
    await healthy(port)
    return port
  }
}

/** start() does not wait for the process to listen. */
const healthy = async (port: Fetcher): Promise<void> => {
  const until = Date.now() + START_TIMEOUT_MS
  for (;;) {
    try {
      const answer = await port.fetch('http://container/health')
      await answer.body?.cancel()
      return
    } catch (cause) {
      if (Date.now() > until) throw new Error('the container did not start', { cause })
    }
    await new Promise((resolve) => setTimeout(resolve, START_POLL_MS))
  }
}
