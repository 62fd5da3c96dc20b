import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startChild } from '../scripts/start/child.ts'
import { basicEnv, root } from '../scripts/start/environment.ts'
import { choosePort } from '../scripts/start/ports.ts'
import { wranglerSettings } from '../scripts/start/worker.ts'

const wrangler = join(root, 'node_modules/wrangler/wrangler-dist/cli.js')
const START_TIMEOUT_MS = 60_000

/** Runs a Worker of `bench/workers` as `npm start` runs Haul's: in workerd behind wrangler, as a program of its own. */
export const startBenchWorker = async (folder: string, name: string, { persist, bindings }: BenchWorker) => {
  const config = join(folder, `${name}.json`)
  const main = join(root, `bench/workers/${name}.ts`)
  await writeFile(config, JSON.stringify({ name, main, compatibility_date: '2026-10-01', ...bindings }))
  const port = await choosePort(0, 'PORT')
  const args = [
    ...['--config', config, '--ip', '127.0.0.1', '--port', String(port), '--inspector-port', '0'],
    ...['--persist-to', persist, '--show-interactive-dev-session=false'],
  ]
  const child = startChild(process.execPath, ['--no-warnings', wrangler, 'dev', ...args], {
    cwd: root,
    env: { ...basicEnv(process.env), ...wranglerSettings },
    onLine: () => {},
  })
  const url = `http://127.0.0.1:${port}`
  const stop = async (): Promise<void> => {
    child.stop('SIGTERM')
    await child.exited
  }
  try {
    await answers(`${url}/health`)
  } catch (error) {
    await stop()
    throw error
  }
  return { url, stop }
}

/** Any status will do. */
const answers = async (url: string): Promise<void> => {
  const signal = AbortSignal.timeout(START_TIMEOUT_MS)
  for (;;) {
    const response = await fetch(url, { signal }).catch(() => null)
    await response?.body?.cancel()
    if (response) return
    await sleep(50, null, { signal })
  }
}

interface BenchWorker {
  /** The folder of its databases and buckets. */
  persist: string
  /** The bindings, in the syntax of wrangler.toml. */
  bindings: object
}
