import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Dispatcher, Pool } from 'undici'
import type { Browser, BrowserNeeds } from '../../egress/egress.ts'
import { openDoor } from '../../sandbox/launch/door.ts'
import { start } from '../../sandbox/process.ts'
import { certificateFile, certificates, pythonFiles } from '../../sandbox/program-files.ts'

export const createBrowser = (python: string, needs: BrowserNeeds): Browser => {
  const started = new Set<Promise<Running>>()
  let current: Promise<Running> | null = null
  const start = (): Promise<Running> => {
    const starting = startBrowser(python, needs, () => {
      if (current === starting) current = null
    })
    started.add(starting)
    return starting
  }
  return {
    dispatcher: async () => {
      current ??= start()
      return (await current).dispatcher
    },
    close: async () => {
      await Promise.all([...started].map((each) => each.then((running) => running.close()).catch(() => {})))
    },
  }
}

type Running = Awaited<ReturnType<typeof startBrowser>>

/** Requests at the same time. A download has four for each of its files. */
const CONNECTIONS = 16
const limits = { addressSpaceBytes: 4 * 1024 ** 3, cpuSeconds: 3_600, fileSizeBytes: 0, processes: 96 }
const script = fileURLToPath(new URL('browser.py', import.meta.url))
const relay = fileURLToPath(new URL('../extractor/python/relay.py', import.meta.url))

const startBrowser = async (python: string, needs: BrowserNeeds, onEnd: () => void) => {
  const { socketFolder, timeouts } = needs
  const proxySocket = await needs.proxySocket()
  await mkdir(socketFolder, { recursive: true, mode: 0o700 })
  const folder = await mkdtemp(join(socketFolder, 'browser-'))
  const socketPath = join(folder, 'requests')
  const door = await openDoor(socketPath)
  // The process has a user of its own, and may not search the folder.
  await chmod(socketPath, 0o666)
  const args = [socketPath, proxySocket, `${CONNECTIONS}`, certificateFile() ?? '']
  const child = await start(python, ['-s', '-E', '-B', script, ...args], {
    limits,
    reads: [...(await pythonFiles(python)), ...certificates(), script, relay, socketPath, proxySocket],
  })
  child.stdout.resume()
  child.stderr.resume()
  const ended = () => {
    door.close(new Error('the browser has ended'))
    onEnd()
  }
  child.once('error', ended)
  child.once('exit', ended)
  const pool = new Pool('http://browser', {
    connect: (_, callback) =>
      void door.next().then(
        (connection) => callback(null, connection),
        (error) => callback(error, null),
      ),
    connections: CONNECTIONS,
    // Several requests on one connection would wait for each other.
    pipelining: 1,
    headersTimeout: timeouts.headersMs,
    bodyTimeout: timeouts.idleMs,
  })
  return {
    dispatcher: pool.compose(withUrlAsPath),
    close: async () => {
      child.kill('SIGKILL')
      ended()
      await pool.destroy()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** As to a proxy: the request line has the whole URL. */
const withUrlAsPath =
  (dispatch: Dispatcher['dispatch']): Dispatcher['dispatch'] =>
  (options, handler) =>
    dispatch({ ...options, origin: 'http://browser', path: `${options.origin}${options.path}` }, handler)
