import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { afterAll, beforeAll, inject } from 'vitest'
import { compileCache } from '../../../../scripts/start/environment.ts'
import { choosePort } from '../../../../scripts/start/ports.ts'
import { dataFolder } from '../../../../self-host/data/data-folder.ts'
import { readSecrets } from '../../../../self-host/data/secrets.ts'
import { type ContainerProcess, startContainer } from '../../../container/container-process.ts'
import { type Origin, startOrigin } from '../../../doubles/origin/origin.ts'

const main = join(import.meta.dirname, '../../../../self-host/main.ts')

/** The server's program with one set of ports, which may be started again and with other data. */
export interface SelfHosted {
  baseUrl: string
  enginePort: number
  /** `started` holds what it logs from then on. Rejects with its last words if it ends before it listens. */
  start(dataDir: string, env?: NodeJS.ProcessEnv): Promise<Started>
  /** An engine on an address of its own: 0 is the first in ENGINE_HOSTS. */
  startEngine(index: number, dataDir: string): Promise<ContainerProcess>
}

export interface Started {
  pid: number
  /** The process id of workerd. */
  runtimePid: number
  log: Record<string, unknown>[]
  adminToken: string
  baseUrl: string
  /** The exit code, or the signal. */
  exited: Promise<number | string>
  end(signal?: NodeJS.Signals): Promise<number | string>
}

export interface Ended {
  code: number | string
  stdout: Buffer
  stderr: string
}

/** Addresses of this machine that only the engines of the tests have. */
export const engineAddress = (index: number) => `127.0.0.${2 + index}`
const ENGINES = 3

/** A folder for the tests of a file, with the Worker's bundle, an origin, and whatever is started ended at the end. */
export const selfHosting = () => {
  const ending: (() => Promise<unknown>)[] = []
  const site = { folder: '', build: '', origin: undefined as unknown as Origin }

  beforeAll(async () => {
    site.folder = await mkdtemp(join(tmpdir(), 'haul-self-host-'))
    site.build = inject('product').ownServer.build
    site.origin = await startOrigin()
  }, 60_000)

  afterAll(async () => {
    await Promise.all(ending.map((end) => end()))
    await site.origin?.close()
    await rm(site.folder, { recursive: true, force: true, maxRetries: 5 })
  })

  const run = (args: string[], env: NodeJS.ProcessEnv) =>
    spawn(process.execPath, [main, ...args], {
      env: { ...compileCache, PATH: process.env.PATH, BUILD_DIR: site.build, ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
    })

  /** A command beside the server. */
  const command = async (name: string, dataDir: string, input?: Uint8Array, ...args: string[]): Promise<Ended> => {
    const child = run([name, ...args], { DATA_DIR: dataDir })
    const ended = Promise.all([child.stdout.toArray(), child.stderr.toArray(), once(child, 'exit')])
    // A command that refuses does not read all of it.
    await pipeline(Readable.from(input ? [input] : []), child.stdin).catch(() => {})
    const [stdout, stderr, [code, signal]] = await ended
    return { code: code ?? signal, stdout: Buffer.concat(stdout), stderr: Buffer.concat(stderr).toString() }
  }

  const instance = async (own: NodeJS.ProcessEnv = {}): Promise<SelfHosted> => {
    const [port, internalPort, enginePort] = [await choosePort(0, ''), await choosePort(0, ''), await choosePort(0, '')]
    const baseUrl = `http://127.0.0.1:${port}`
    const allowed = { ALLOW_PRIVATE_HOSTS: site.origin.host }
    const serverEnv = {
      HOST: '127.0.0.1',
      PORT: `${port}`,
      PUBLIC_URL: baseUrl,
      INTERNAL_HOST: '127.0.0.1',
      INTERNAL_PORT: `${internalPort}`,
      INTERNAL_URL: `http://127.0.0.1:${internalPort}`,
      ENGINE_HOSTS: Array.from({ length: ENGINES }, (_, index) => `${engineAddress(index)}:${enginePort}`).join(),
      ...allowed,
      ...own,
    }
    return {
      baseUrl,
      enginePort,
      start: async (dataDir, env = {}) => {
        const child = run([], { ...serverEnv, DATA_DIR: dataDir, ...env })
        // Not `exit`: all that it has written has been read by then.
        const exited = once(child, 'close').then(([code, signal]) => code ?? signal)
        const end = async (signal: NodeJS.Signals = 'SIGTERM') => {
          child.kill(signal)
          return exited
        }
        ending.push(() => end('SIGKILL'))
        const log: Started['log'] = []
        const errors: string[] = []
        const listening = Promise.withResolvers<Record<string, unknown>>()
        createInterface({ input: child.stderr }).on('line', (line) => errors.push(line))
        createInterface({ input: child.stdout }).on('line', (line) => {
          if (!line.startsWith('{')) return
          const entry = JSON.parse(line)
          log.push(entry)
          if (entry.event === 'listening') listening.resolve(entry)
        })
        exited.then((code) => listening.reject(new Error(`${code}: ${errors.join('\n')}`)))
        const { runtimePid } = await listening.promise
        const { ADMIN_TOKEN: adminToken } = await readSecrets(dataFolder(dataDir).secretsFile)
        return { pid: child.pid ?? 0, runtimePid: Number(runtimePid), log, adminToken, baseUrl, exited, end }
      },
      startEngine: async (index, dataDir) => {
        const { ENGINE_TOKEN } = await readSecrets(dataFolder(dataDir).secretsFile)
        const engine = await startContainer({
          ...allowed,
          ENGINE_WARM_UP: 'off',
          ENGINE_TOKEN,
          HAUL_SPEECH: 'off',
          HOST: engineAddress(index),
          PORT: `${enginePort}`,
          WORK_DIR: join(site.folder, `work-${enginePort}-${index}`),
        })
        ending.push(async () => {
          engine.process.kill('SIGKILL')
          await engine.exited
        })
        return engine
      },
    }
  }

  const dataDir = () => mkdtemp(join(site.folder, 'data-'))
  return Object.assign(site, { command, instance, dataDir })
}
