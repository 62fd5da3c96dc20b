import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** What `build.ts` writes: the Worker's bundle in `index.js`, and this in `worker.json`. */
export interface Build {
  worker: BuiltWorker
  migrations: Migration[]
}

/** The parts of miniflare's options that this folder reads, without the script. The others are passed on. */
export interface BuiltWorker {
  [option: string]: unknown
  bindings: Record<string, string>
  assets: { directory: string }
  r2Buckets: Record<string, { id: string }>
}

export interface Migration {
  name: string
  statements: string[]
}

const root = join(import.meta.dirname, '../..')

export const readBuild = async (folder: string): Promise<Build> => {
  const { worker, migrations }: Build = JSON.parse(await readFile(join(folder, 'worker.json'), 'utf8'))
  // Wrangler writes the guides of /docs beside the bundle, which imports them as strings.
  const texts = (await readdir(folder)).filter((name) => name.endsWith('.md') && name !== 'README.md')
  const modules = [
    { type: 'ESModule', path: join(folder, 'index.js') },
    ...texts.map((name) => ({ type: 'Text', path: join(folder, name) })),
  ]
  const assets = { ...worker.assets, directory: join(root, worker.assets.directory) }
  return { worker: { ...worker, modules, modulesRoot: folder, assets }, migrations }
}
