import type { Config } from '../env.ts'
import { type EngineHost, type LaunchResult, ping, withToken } from './host.ts'

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
export const containerHost = (container: Container, config: Config): EngineHost => {
  const start = () => {
    const { engineToken, allowedHosts, sandbox, engineDiskBytes, sourceProxies } = config
    const settings = { ENGINE_TOKEN: engineToken, ALLOW_PRIVATE_HOSTS: allowedHosts, SANDBOX: sandbox }
    const disk: Record<string, string> = engineDiskBytes === null ? {} : { ENGINE_DISK_BYTES: `${engineDiskBytes}` }
    const proxies = { SOURCE_PROXY_URL: sourceProxies.url, SOURCE_PROXIES: sourceProxies.byHost }
    const env = { PORT: `${PORT}`, HOST: '0.0.0.0', ...settings, ...disk, ...proxies }
    container.start({ env, enableInternet: true })
  }
  const request: EngineHost['fetch'] = async (path, init) => {
    if (!container.running) throw new Error('the container is not running', { cause: await endOf(container) })
    return container.getTcpPort(PORT).fetch(`http://container${path}`, withToken(config, init))
  }
  const renew = () => container.setInactivityTimeout(IDLE_MS)

  const startAndWait = async (timeoutMs: number): Promise<LaunchResult> => {
    const until = Date.now() + timeoutMs
    for (let starts = 0; Date.now() < until; await sleep(POLL_MS)) {
      if (!container.running) {
        if (starts > 0) {
          if (isFull(await endOf(container))) return 'full'
          await sleep(RESTART_MS)
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

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** The platform's messages when a limit is reached (`max_instances`, or of the account), and when it has no machine. */
const isFull = (cause: unknown): boolean =>
  /maximum number of running container instances exceeded|no container instance that can be provided/i.test(`${cause}`)
