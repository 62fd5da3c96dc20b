import { join } from 'node:path'
import { startChild } from '../../scripts/start/child.ts'
import { basicEnv, root } from '../../scripts/start/environment.ts'
import { claimPort } from '../../scripts/start/ports.ts'
import { supervise } from '../../scripts/start/supervise.ts'
import type { StartWorker } from '../../scripts/start/worker.ts'

/**
 * Runs the Worker in the server for one's own machine (self-host/main.ts), from a bundle that exists already. It starts
 * with a fifth of the CPU time of `wrangler dev`. `build`: the folder that self-host/build.ts has written.
 */
export const startInOwnServer =
  (build: string): StartWorker =>
  async ({ port, engineUrls, state, secrets, env, log, print }) => {
    const internalPort = await claimPort(0, 'INTERNAL_PORT')
    const settings = {
      ...env,
      ...basicEnv(env),
      ...secrets,
      NODE_COMPILE_CACHE: join(root, '.tools/compile-cache'),
      BUILD_DIR: build,
      DATA_DIR: join(state.dir, 'server'),
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
