import type { Config } from '../env.ts'
import { answers, type EngineHost, type LaunchResult, withToken } from './host.ts'

const PORT = 8788
/** Kept short: most of a container's cost is its idle time, not its work. */
const IDLE_MS = 45_000
const LAUNCH_TIMEOUT_MS = 60_000
const LAUNCH_POLL_MS = 200
const SIGTERM = 15
/** The platform's message when max_instances of wrangler.toml, or a limit of the account, is reached. */
const isFull = (cause: unknown): boolean => /maximum number of running container instances exceeded/i.test(`${cause}`)

/** A container of Cloudflare. */
export const containerHost = (container: Container, config: Config): EngineHost => {
  /** Why the latest container ended. Until it is monitored, `container.running` stays true. */
  let ended: unknown = null
  const monitor = () => {
    ended = null
    container.monitor().then(
      () => {
        ended = 'exited'
      },
      (cause) => {
        ended = cause
        if (!isFull(cause)) console.error('container ended', cause)
      },
    )
  }
  if (container.running) monitor()

  const start = () => {
    const { engineToken, allowedHosts, sandbox } = config
    const settings = { ENGINE_TOKEN: engineToken, ALLOW_PRIVATE_HOSTS: allowedHosts, SANDBOX: sandbox }
    container.start({ env: { PORT: `${PORT}`, HOST: '0.0.0.0', ...settings }, enableInternet: true })
    monitor()
  }
  const request: EngineHost['fetch'] = async (path, init) => {
    if (!container.running) throw new Error('the container is not running')
    return container.getTcpPort(PORT).fetch(`http://container${path}`, withToken(config, init))
  }
  const launch = async (): Promise<LaunchResult> => {
    const until = Date.now() + LAUNCH_TIMEOUT_MS
    ended = null
    while (Date.now() < until) {
      if (isFull(ended)) return 'full'
      if (!container.running) start()
      if (await answers(request)) return 'running'
      await new Promise((resolve) => setTimeout(resolve, LAUNCH_POLL_MS))
    }
    await container.destroy()
    return 'failed'
  }
  const renew = () => container.setInactivityTimeout(IDLE_MS)

  let launching: Promise<LaunchResult> | null = null
  return {
    fetch: request,
    launch: async () => {
      launching ??= launch().finally(() => {
        launching = null
      })
      const result = await launching
      if (result === 'running') await renew()
      return result
    },
    renew,
    shutDown: async () => {
      if (container.running) container.signal(SIGTERM)
    },
  }
}
