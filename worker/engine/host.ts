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
