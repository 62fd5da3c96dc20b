import { once } from 'node:events'
import { createServer, type Server } from 'node:net'

const HOST = '127.0.0.1'

/** Below the ephemeral range, so that no outgoing connection takes the port before we listen on it. */
const FIRST_PORT = 20_000
const RANGES = 120
const RANGE_SIZE = 100

/** Returns the port if it is free, or any free port for 0. `variable` is the setting that the error names. */
export const choosePort = async (port: number, variable: string): Promise<number> => {
  if (port === 0) return anyPort()
  if (await isFree(port)) return port
  throw new Error(`Port ${port} is in use: choose another port with ${variable}=…`)
}

let range: Promise<number> | null = null
let chosen = 0

/** A port stays free for seconds, until its program listens. So each process searches its own range. */
const anyPort = async (): Promise<number> => {
  range ??= holdRange()
  const first = await range
  for (let attempt = 1; attempt < RANGE_SIZE; attempt++) {
    const port = first + 1 + (chosen++ % (RANGE_SIZE - 1))
    if (await isFree(port)) return port
  }
  throw new Error('No free port was found.')
}

/** Only one process can listen on the first port of a range. It has the range until it ends, however it ends. */
const holdRange = async (): Promise<number> => {
  for (let attempt = 0; attempt < RANGES; attempt++) {
    const first = FIRST_PORT + ((process.pid + attempt) % RANGES) * RANGE_SIZE
    const server = createServer((socket) => socket.destroy())
    if (!(await listens(server, first))) continue
    server.unref()
    return first
  }
  throw new Error('No free port was found.')
}

export const isFree = async (port: number): Promise<boolean> => {
  const server = createServer()
  if (!(await listens(server, port))) return false
  await once(server.close(), 'close')
  return true
}

const listens = async (server: Server, port: number): Promise<boolean> => {
  server.listen(port, HOST)
  const problem = await once(server, 'listening').catch((error: NodeJS.ErrnoException) => error)
  if (problem instanceof Error && problem.code !== 'EADDRINUSE') throw problem
  return !(problem instanceof Error)
}

/** `urls`: containers elsewhere. Otherwise `count` ports here: `firstPort` and the next ones, or any free ones for 0. */
export const chooseEngines = async (urls: string[] | null, count = 1, firstPort = 0) => {
  const ports: number[] = []
  if (urls) return { urls, ports }
  for (let index = 0; index < count; index++)
    ports.push(await choosePort(firstPort && firstPort + index, 'ENGINE_PORT'))
  return { urls: ports.map((port) => `http://127.0.0.1:${port}`), ports }
}
