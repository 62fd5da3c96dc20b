import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

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

const root = join(import.meta.dirname, '../..')

/** A process with the variables of its container. It listens on a free port of its own, and logs it. */
export const startProgram = async (args: string[], env: Record<string, string>): Promise<Started> => {
  const folder = await mkdtemp(join(tmpdir(), 'haul-docker-'))
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: {
      ...{ PATH: process.env.PATH, HAUL_PYTHON: join(root, '.tools/venv/bin/python'), HAUL_SPEECH: 'off' },
      ...{ ...env, HOST: '127.0.0.1', PORT: '0', WORK_DIR: join(folder, 'work') },
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
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
      child.kill(signal)
      await exited
    },
  }
}
