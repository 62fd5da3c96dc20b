import { setTimeout as sleep } from 'node:timers/promises'
import { type Child, startChild } from './child.ts'
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

export interface Container {
  /** Of the one that runs now, for whoever measures it. */
  readonly pid: number | undefined
  /** Ends only when the container can't be kept alive, with the reason. */
  readonly gaveUp: Promise<Error>
  /** Another one follows by itself. Resolves when this one is gone. */
  kill(signal: NodeJS.Signals): Promise<void>
  stop(signal?: NodeJS.Signals): Promise<void>
}

const FIRST_WAIT_MS = 250
const LONGEST_WAIT_MS = 5_000
/** One that dies sooner has not started: a wrong setting, a broken installation. */
const STARTED_AFTER_MS = 10_000
const MAX_FAILED_STARTS = 8

export const keepContainer = (place: ContainerPlace, log: LogFile, say: (line: string) => void): Container => {
  const stopping = new AbortController()
  const gaveUp = Promise.withResolvers<Error>()
  let child = startContainer(place, log, say)
  const keepAlive = async (): Promise<void> => {
    for (let failedStarts = 0; failedStarts < MAX_FAILED_STARTS; ) {
      const since = performance.now()
      const { how } = await child.exited
      stopping.signal.throwIfAborted()
      say(`The container died (${how}); starting it again`)
      await sleep(Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** failedStarts), null, { signal: stopping.signal })
      failedStarts = performance.now() - since < STARTED_AFTER_MS ? failedStarts + 1 : 0
      child = startContainer(place, log, say)
    }
    gaveUp.resolve(new Error(`The container does not stay alive. Its last words:\n${log.tail()}`))
  }
  keepAlive().catch(() => {
    // Stopped.
  })
  return {
    get pid() {
      return child.pid
    },
    gaveUp: gaveUp.promise,
    kill: (signal) => child.stop(signal),
    stop: (signal) => {
      stopping.abort()
      return child.stop(signal)
    },
  }
}

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
