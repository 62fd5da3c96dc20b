import { cp, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { startChild } from '../../../scripts/start/child.ts'
import { basicEnv, root } from '../../../scripts/start/environment.ts'
import { choosePort } from '../../../scripts/start/ports.ts'
import { supervise } from '../../../scripts/start/supervise.ts'
import type { StartWorker } from '../../../scripts/start/worker.ts'
import { buildWorker } from '../../../self-host/build.ts'
import { dataFolder } from '../../../self-host/data/data-folder.ts'
import { migrate } from '../../../self-host/worker/runtime.ts'
import { readBuild } from '../../../self-host/worker/worker-build.ts'

/** What every start of the own server has in common, made once a run. */
export interface Prepared {
  /** What self-host/build.ts has written. */
  build: string
  /** The storage of a server that has done nothing but apply the migrations. */
  storage: string
}

export const prepareOwnServer = async (folder: string): Promise<Prepared> => {
  const prepared = { build: join(folder, 'build'), storage: join(folder, 'storage') }
  await buildWorker(prepared.build)
  await mkdir(prepared.storage)
  await migrate({ build: await readBuild(prepared.build), storage: prepared.storage })
  return prepared
}

/** Runs the Worker in the server for one's own machine: a quarter of the CPU time that `wrangler dev` needs to start. */
export const startInOwnServer =
  ({ build, storage }: Prepared): StartWorker =>
  async ({ port, engineUrls, state, secrets, env, log, print }) => {
    const dataDir = join(state.dir, 'server')
    // Not over the data of an earlier start.
    await cp(storage, dataFolder(dataDir).storage, { recursive: true, force: false })
    const internalPort = await choosePort(0, 'INTERNAL_PORT')
    const settings = {
      // As `npm start` has them.
      PRICES: '{}',
      ...env,
      ...basicEnv(env),
      ...secrets,
      BUILD_DIR: build,
      DATA_DIR: dataDir,
      HOST: '127.0.0.1',
      PORT: `${port}`,
      PUBLIC_URL: `http://127.0.0.1:${port}`,
      INTERNAL_HOST: '127.0.0.1',
      INTERNAL_PORT: `${internalPort}`,
      INTERNAL_URL: `http://127.0.0.1:${internalPort}`,
      ENGINE_HOSTS: engineUrls.map((url) => new URL(url).host).join(),
    }
    const start = () =>
      startChild(process.execPath, ['self-host/main.ts'], {
        cwd: root,
        env: settings,
        onLine: (line, from) => {
          log.write(line)
          if (from === 'stderr') print(`worker: ${line}`)
        },
      })
    return supervise({ name: 'Worker', start, log, print })
  }
