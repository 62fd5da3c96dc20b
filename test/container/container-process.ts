import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { FetchOrder } from '../../domain/protocol/protocol.ts'
import { compileCache } from '../../scripts/start/environment.ts'

/** The container in a process of its own. */
export interface ContainerProcess {
  url: string
  process: ChildProcess
  log: Record<string, unknown>[]
  /** The lines on stderr. */
  errors: string[]
  exited: Promise<unknown>
  /** Without another one, with the container's token. */
  get(path: string, authorization?: string): Promise<Response>
  post(path: string, body: unknown, authorization?: string): Promise<Response>
  /** Resolves when it has ended. */
  end(signal?: NodeJS.Signals): Promise<unknown>
}

export const token = 'engine-token'

/** What a page needs is started with the first page. */
export const startContainer = async (env: Record<string, string> & { WORK_DIR: string }): Promise<ContainerProcess> => {
  const own = { ENGINE_TOKEN: token, ENGINE_WARM_UP: 'off', ...env }
  const child = spawn(process.execPath, [join(import.meta.dirname, '../../container/main.ts')], {
    env: { ...compileCache, PATH: process.env.PATH, PORT: '0', ...own },
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
  const url = `http://127.0.0.1:${await listening.promise}`
  const bearer = `Bearer ${own.ENGINE_TOKEN}`
  return {
    ...{ url, process: child, log, errors, exited },
    get: (path, authorization = bearer) => fetch(url + path, { headers: { authorization } }),
    post: (path, body, authorization = bearer) => {
      const text = typeof body === 'string' ? body : JSON.stringify(body)
      return fetch(url + path, { method: 'POST', headers: { authorization }, body: text })
    },
    end: (signal = 'SIGKILL') => {
      child.kill(signal)
      return exited
    },
  }
}

export const fetchOrder = (jobId: string, { callback }: Pick<FetchOrder, 'callback'>, url: string): FetchOrder => ({
  ...{ step: 'fetch', jobId, attempt: 1, callback, url },
  ...{ accountId: 'acct_test', placeId: 'place', heartbeatMs: 10_000, diskBytes: 0 },
  agreed: { bytes: null, seconds: null },
  selection: { includeVideo: true, includeAudio: true, videoQuality: 'best', audioQuality: 'best' },
  limits: { maxBytes: 100_000_000, maxDiskBytes: 1_000_000_000, maxDurationSeconds: 3_600, timeoutMs: 60_000 },
})
