import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { isAlive } from '../setup/install.mjs'

export type State = Awaited<ReturnType<typeof openState>>

/** The folder of one instance. It holds everything that survives a restart, and instances share nothing. */
export const openState = async (stateDir: string) => {
  const dir = resolve(stateDir)
  await mkdir(dir, { recursive: true })
  await hold(dir)
  return {
    dir,
    wranglerDir: join(dir, 'wrangler'),
    workerLog: join(dir, 'worker.log'),
    containers: (index: number) => {
      const suffix = index === 0 ? '' : `-${index}`
      return { workDir: join(dir, `work${suffix}`), log: join(dir, `container${suffix}.log`) }
    },
    /** Its format is that of `wrangler dev --env-file`. */
    secretsFile: join(dir, 'secrets.env'),
    devFile: join(dir, 'dev.json'),
    wranglerConfig: join(dir, 'wrangler.json'),
    consoleConfig: join(dir, 'console.json'),
    wranglerConfigStamp: join(dir, 'wrangler.json.sha256'),
  }
}

export const closeState = ({ dir }: State): Promise<void> => rm(holderFile(dir), { force: true })

const holderFile = (dir: string): string => join(dir, 'running.pid')

/** Two Workers on the same databases would corrupt them. */
const hold = async (dir: string): Promise<void> => {
  const holder = Number(await readFile(holderFile(dir), 'utf8').catch(() => ''))
  if (holder && holder !== process.pid && isAlive(holder)) {
    throw new Error(
      `Haul is already running with ${dir} (process ${holder}): stop it, or choose another folder with HAUL_STATE=…`,
    )
  }
  await writeFile(holderFile(dir), String(process.pid))
}
