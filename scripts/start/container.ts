import { type Child, startChild } from './child.ts'
import { type Kept, keep } from './kept.ts'
import type { LogFile } from './log-file.ts'
import { basicEnv, pick, root, venvPython } from './place.ts'
import type { State } from './state.ts'

/** What an operator may set for the container. */
const passedOn = ['ALLOW_PRIVATE_HOSTS', 'ENGINE_CAPACITY', 'STT_MODEL_DIR', 'HAUL_SPEECH'] as const

export interface ContainerPlace {
  port: number
  token: string
  state: State
  env: NodeJS.ProcessEnv
}

export const keepContainer = (place: ContainerPlace, log: LogFile, say: (line: string) => void): Kept =>
  keep({ name: 'container', start: () => startContainer(place, log, say), log, say })

const startContainer = (
  { port, token, state, env }: ContainerPlace,
  log: LogFile,
  say: (line: string) => void,
): Child =>
  startChild(process.execPath, ['container/main.ts'], {
    cwd: root,
    env: {
      ...basicEnv(env),
      ...pick(env, passedOn),
      PORT: String(port),
      HOST: '127.0.0.1',
      ENGINE_TOKEN: token,
      HAUL_PYTHON: env.HAUL_PYTHON || venvPython,
      WORK_DIR: state.workDir,
    },
    onLine: (line, from) => {
      log.write(line)
      if (from === 'stderr') say(`container: ${line}`)
    },
  })
