import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { unstable_startWorker as startWorker } from 'wrangler'
import { root } from '../scripts/start/environment.ts'

/** Runs a Worker of `bench/workers` like `npm start` runs Haul's: in workerd behind wrangler's proxy. */
export const startBenchWorker = async (folder: string, name: string, { persist, bindings }: BenchWorker) => {
  const config = join(folder, `${name}.json`)
  const main = join(root, `bench/workers/${name}.ts`)
  await writeFile(config, JSON.stringify({ name, main, compatibility_date: '2026-10-01', ...bindings }))
  const server = { hostname: '127.0.0.1', port: 0 }
  const worker = await startWorker({ config, dev: { server, persist, watch: false, inspector: false } })
  await worker.ready
  return { url: (await worker.url).origin, stop: () => worker.dispose() }
}

interface BenchWorker {
  /** The folder of its databases and buckets. */
  persist: string
  /** As in wrangler.toml. */
  bindings: object
}
