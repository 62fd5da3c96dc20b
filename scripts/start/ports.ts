import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isAlive } from './child.ts'

const HOST = '127.0.0.1'

/** Below the ephemeral range, so that no outgoing connection takes the port before we listen on it. */
const FIRST_PORT = 20_000
/** Each process searches its own range, so that two processes starting at once do not find the same port. */
const RANGES = 120
const RANGE_SIZE = 100

/** Returns the port if it is free, or any free port for 0. `variable` is the setting that the error names. */
export const claimPort = async (port: number, variable: string): Promise<number> => {
  if (port === 0) return anyPort()
  if (await isFree(port)) return port
  throw new Error(`Port ${port} is in use: choose another port with ${variable}=…`)
}

let claimed = 0

const anyPort = async (): Promise<number> => {
  for (let attempt = 0; attempt < RANGE_SIZE; attempt++) {
    const port = FIRST_PORT + (process.pid % RANGES) * RANGE_SIZE + (claimed++ % RANGE_SIZE)
    if ((await isFree(port)) && (await reserve(port))) return port
  }
  throw new Error('No free port was found.')
}

/**
 * A port is free until its program listens, which takes seconds. Meanwhile another process with the same range must not
 * find it. A reservation ends with the process that made it.
 */
const reserve = async (port: number): Promise<boolean> => {
  const folder = join(tmpdir(), 'haul-ports')
  const file = join(folder, String(port))
  await mkdir(folder, { recursive: true })
  const holder = Number(await readFile(file, 'utf8').catch(() => ''))
  if (holder && holder !== process.pid && isAlive(holder)) return false
  await rm(file, { force: true })
  return writeFile(file, String(process.pid), { flag: 'wx' }).then(
    () => true,
    () => false,
  )
}

export const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(false) : reject(error),
    )
    server.listen(port, HOST, () => server.close(() => resolve(true)))
  })
