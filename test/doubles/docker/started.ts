import { execFile, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { runImage } from '../../../scripts/image/podman.ts'
import { compileCache } from '../../../scripts/start/environment.ts'

/** What runs in a container. */
export interface Started {
  /** Of the server in it, on 127.0.0.1. null: it does not listen yet, or no more. */
  readonly port: number | null
  /** null while it runs. */
  readonly exitCode: number | null
  exited: Promise<number>
  /** Resolves when it has exited. */
  kill(signal: NodeJS.Signals): Promise<void>
}

const root = join(import.meta.dirname, '../../..')

export const engineProgram = ['container/main.ts']

/**
 * A process with the variables of its container. It listens on a free port of its own, and logs it. With ENGINE_IMAGE,
 * the engine's program runs in that image.
 */
export const startProgram = async (args: string[], given: Record<string, string>): Promise<Started> => {
  const folder = await mkdtemp(join(tmpdir(), 'haul-docker-'))
  const env = {
    ...compileCache,
    PATH: process.env.PATH,
    HAUL_PYTHON: join(root, '.tools/venv/bin/python'),
    HAUL_SPEECH: 'off',
    ENGINE_WARM_UP: 'off',
    ...given,
    HOST: '127.0.0.1',
    PORT: '0',
    WORK_DIR: join(folder, 'work'),
  }
  const { ENGINE_IMAGE } = process.env
  const image = ENGINE_IMAGE && args === engineProgram ? runImage(ENGINE_IMAGE, env) : null
  const child = spawn(image?.command ?? process.execPath, image?.args ?? args, {
    ...{ cwd: root, env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  child.stderr.on('data', (text) => console.error(`${text}`))
  let port: number | null = null
  let exitCode: number | null = null
  createInterface({ input: child.stdout }).on('line', (line) => {
    const { event, port: listening } = JSON.parse(line)
    if (event === 'listening') port = listening
  })
  const exited = new Promise<number>((resolve) => {
    child.once('exit', async (code, signal) => {
      port = null
      // As Docker does: 128 and the number of the signal.
      exitCode = code ?? (signal === 'SIGKILL' ? 137 : 143)
      await rm(folder, { recursive: true, force: true })
      resolve(exitCode)
    })
  })
  return {
    get port() {
      return port
    },
    get exitCode() {
      return exitCode
    },
    exited,
    kill: async (signal) => {
      if (image) execFile(image.command, image.signalArgs(signal))
      else child.kill(signal)
      await exited
    },
  }
}
