import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { compileCache } from '../../scripts/start/environment.ts'

/** The container in a process of its own. */
export interface ContainerProcess {
  url: string
  process: ChildProcess
  log: Record<string, unknown>[]
  /** The lines on stderr. */
  errors: string[]
  exited: Promise<unknown>
}

export const token = 'engine-token'

export const startContainer = async (env: Record<string, string> & { WORK_DIR: string }): Promise<ContainerProcess> => {
  const child = spawn(process.execPath, [join(import.meta.dirname, '../../container/main.ts')], {
    env: { ...compileCache, PATH: process.env.PATH, PORT: '0', ENGINE_TOKEN: token, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const log: ContainerProcess['log'] = []
  const errors: string[] = []
  createInterface({ input: child.stderr }).on('line', (line) => errors.push(line))
  const exited = once(child, 'exit')
  const listening = Promise.withResolvers<number>()
  createInterface({ input: child.stdout }).on('line', (line) => {
    const event = JSON.parse(line)
    log.push(event)
    if (event.event === 'listening') listening.resolve(event.port)
  })
  exited.then(() => listening.reject(new Error('the container exited before it listened')))
  listening.promise.catch(() => {})
  return { url: `http://127.0.0.1:${await listening.promise}`, process: child, log, errors, exited }
}
