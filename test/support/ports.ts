import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { isFree } from '../../scripts/start/ports.ts'

/**
 * The ports of servers that tests start. The product refuses every private address that is not in its settings, and the
 * settings are read when it starts, so the ports are chosen before. Each is given out once in a run: what an earlier
 * test still sends to its own server never reaches another one.
 */
export interface Ports {
  numbers: number[]
  /** `127.0.0.1:<port>`, for ALLOW_PRIVATE_HOSTS. */
  hosts: string[]
  /** Has a folder for each port that was given out. Making a folder succeeds in one process only. */
  folder: string
}

/**
 * Below those of scripts/start/ports.ts, and above 10080, the last port that `fetch` refuses to connect to. Each run has a
 * range of its own, so that two runs may go on at once.
 */
const FIRST_PORT = 10_100
const RANGES = 16
const RANGE_SIZE = 600

export const findPorts = async (folder: string): Promise<Ports> => {
  await mkdir(folder)
  const first = FIRST_PORT + (process.pid % RANGES) * RANGE_SIZE
  const range = Array.from({ length: RANGE_SIZE }, (_, index) => first + index)
  const free = await Promise.all(range.map(isFree))
  const numbers = range.filter((_, index) => free[index])
  return { numbers, hosts: numbers.map((port) => `127.0.0.1:${port}`), folder }
}

export const takePort = async ({ numbers, folder }: Ports): Promise<number> => {
  for (const port of numbers) {
    const isTaken = await mkdir(join(folder, `${port}`)).then(
      () => false,
      () => true,
    )
    if (!isTaken) return port
  }
  throw new Error(`All ${numbers.length} ports have been given out.`)
}
