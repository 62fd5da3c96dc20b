import { join } from 'node:path'
import { type Child, type LogFile, startChild } from './child.ts'
import { basicEnv, pick, root, venvPython } from './environment.ts'
import type { State } from './state.ts'
import { type Supervised, supervise } from './supervise.ts'

/** Variables that an operator may set for the container. */
const operatorEnv = [
  'ALLOW_PRIVATE_HOSTS',
  'ENGINE_NETWORK_PLACES',
  'ENGINE_CPU_PLACES',
  'ENGINE_DISK_BYTES',
  'SANDBOX',
  'STT_MODEL_DIR',
  'HAUL_SPEECH',
] as const

export interface ContainerOptions {
  port: number
  token: string
  state: State
  env: NodeJS.ProcessEnv
}

export const superviseContainer = (
  options: ContainerOptions,
  log: LogFile,
  print: (line: string) => void,
): Supervised => supervise({ name: 'container', start: () => startContainer(options, log, print), log, print })

const startContainer = (
  { port, token, state, env }: ContainerOptions,
  log: LogFile,
  print: (line: string) => void,
): Child =>
  startChild(process.execPath, ['container/main.ts'], {
    cwd: root,
    env: {
      ...basicEnv(env),
      ...pick(env, operatorEnv),
      PORT: String(port),
      HOST: '127.0.0.1',
      ENGINE_TOKEN: token,
      HAUL_PYTHON: env.HAUL_PYTHON || venvPython,
      WORK_DIR: state.workDir,
      // Both as in container/Dockerfile.
      UV_THREADPOOL_SIZE: '64',
      NODE_COMPILE_CACHE: join(root, '.tools/compile-cache'),
    },
    onLine: (line, from) => {
      log.write(line)
      if (from === 'stderr') print(`container: ${line}`)
    },
    // SIGTERM would wait for running steps.
    stopSignal: 'SIGINT',
  })
