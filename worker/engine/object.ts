import { DurableObject } from 'cloudflare:workers'
import type { Config } from '../env.ts'

const PORT = 8788
/** Kept short: most of a container's cost is its idle time, not its work. */
const IDLE_MS = 45_000
/** A step continues after its response. While one runs, the inactivity timeout is reset at this interval. */
const RENEW_MS = 20_000
const START_TIMEOUT_MS = 20_000
const START_POLL_MS = 200

/**
 * Forwards requests to one container. On Cloudflare it starts the container at the first request and lets it stop
 * when idle. Without a container runtime (development, tests) it forwards them to a plain process.
 */
export abstract class EngineBase extends DurableObject<Env> {
  readonly #config: Config

  constructor(ctx: DurableObjectState, env: Env, config: Config) {
    super(ctx, env)
    this.#config = config
  }

  override async fetch(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url)
    const init = { method: request.method, headers: this.#headers(request), body: request.body, signal: request.signal }
    if (!this.ctx.container) return fetch(`${this.#config.engineUrls[0]}${pathname}`, init)
    const port = await this.#startedPort(this.ctx.container)
    await this.ctx.storage.setAlarm(Date.now() + RENEW_MS)
    return port.fetch(`http://container${pathname}`, init)
  }

  /** A running step receives no requests, so without this alarm its container would count as idle. */
  override async alarm(): Promise<void> {
    const { container } = this.ctx
    if (!container?.running) return
    const response = await container.getTcpPort(PORT).fetch('http://container/health')
    const { running } = await response.json<{ running: number }>()
    if (running === 0) return
    await container.setInactivityTimeout(IDLE_MS)
    await this.ctx.storage.setAlarm(Date.now() + RENEW_MS)
  }

  #headers(request: Request): Headers {
    const headers = new Headers(request.headers)
    headers.set('authorization', `Bearer ${this.#config.engineToken}`)
    return headers
  }

  async #startedPort(container: Container): Promise<Fetcher> {
    const port = container.getTcpPort(PORT)
    if (!container.running) {
      const { engineToken, allowedHosts, sandbox } = this.#config
      const settings = { ENGINE_TOKEN: engineToken, ALLOW_PRIVATE_HOSTS: allowedHosts, SANDBOX: sandbox }
      container.start({ env: { PORT: `${PORT}`, HOST: '0.0.0.0', ...settings }, enableInternet: true })
    }
    await container.setInactivityTimeout(IDLE_MS)
    await waitUntilListening(port)
    return port
  }
}

/** `container.start()` returns before the process listens. */
const waitUntilListening = async (port: Fetcher): Promise<void> => {
  const until = Date.now() + START_TIMEOUT_MS
  for (;;) {
    try {
      const response = await port.fetch('http://container/health')
      await response.body?.cancel()
      return
    } catch (cause) {
      if (Date.now() > until) throw new Error('the container did not start', { cause })
    }
    await new Promise((resolve) => setTimeout(resolve, START_POLL_MS))
  }
}
