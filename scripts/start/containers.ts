import { availableParallelism } from 'node:os'
import { usableBytes } from '../../container/config.ts'
import { passedOn } from '../../domain/settings/settings.ts'
import { runImage } from '../image/podman.ts'
import { openLog, startChild } from './child.ts'
import { basicEnv, root } from './environment.ts'
import type { State } from './state.ts'
import { supervise } from './supervise.ts'

export const superviseContainers = async (
  { ports, token, state, env }: { ports: number[]; token: string; state: State; env: NodeJS.ProcessEnv },
  print: (line: string) => void,
) => {
  const shares = await sharesOf(ports.length, state)
  const containers = ports.map((port, index) => {
    const log = openLog(state.containers(index).log)
    const name = ports.length === 1 ? 'container' : `container ${index}`
    const containerEnv = {
      ...shares,
      ...basicEnv(env),
      ...passedOn('start', 'container', env),
      PORT: String(port),
      HOST: '127.0.0.1',
      ENGINE_TOKEN: token,
      WORK_DIR: state.containers(index).workDir,
      // container/Dockerfile sets it too.
      UV_THREADPOOL_SIZE: '64',
    }
    const { command, args } = env.ENGINE_IMAGE
      ? runImage(env.ENGINE_IMAGE, containerEnv, `haul-${port}`)
      : { command: process.execPath, args: programArgs }
    const onLine = (line: string, from: 'stdout' | 'stderr') => {
      log.write(line)
      if (from === 'stderr') print(`${name}: ${line}`)
    }
    // SIGTERM would wait for running steps.
    const start = () => startChild(command, args, { cwd: root, env: containerEnv, onLine, stopSignal: 'SIGINT' })
    return { log, supervised: supervise({ name, start, log, print }) }
  })
  return {
    /** The process id of the first container. It changes when the container restarts. */
    get pid() {
      return containers[0]?.supervised.pid ?? 0
    },
    gaveUp: Promise.race(containers.map(({ supervised }) => supervised.gaveUp)),
    kill: async (signal: NodeJS.Signals, index: number) => containers[index]?.supervised.kill(signal),
    stop: async (signal?: NodeJS.Signals) => {
      await Promise.all(containers.map(({ supervised }) => supervised.stop(signal)))
      for (const { log } of containers) log.close()
    },
    tail: () => containers.map(({ log }) => log.tail()).join('\n'),
  }
}

/** Containers do not know of each other, so several share the cores and the disk by their settings. */
const sharesOf = async (count: number, { dir }: State): Promise<NodeJS.ProcessEnv> => {
  if (count <= 1) return {}
  return {
    STT_THREADS: String(Math.max(1, Math.floor(availableParallelism() / count))),
    ENGINE_DISK_BYTES: String(Math.floor((await usableBytes(dir)) / count)),
  }
}

/** container/Dockerfile has the same options. */
const programArgs = ['--max-semi-space-size=4', '--initial-old-space-size=96', 'container/main.ts']
