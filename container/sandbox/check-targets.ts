import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** What a check of the walls is told to reach from inside: a private file, and a port on the loopback interface. */
export interface CheckTargets {
  /** Only the user of this process may read it. */
  secretFile: string
  port: number
  /** This process is root, so its children must not be. */
  changesUser: boolean
}

export const withCheckTargets = async <T>(work: (targets: CheckTargets) => Promise<T>): Promise<T> => {
  const folder = await mkdtemp(join(tmpdir(), 'haul-walls-'))
  const server = createServer().listen(0, '127.0.0.1').unref()
  try {
    await once(server, 'listening')
    const secretFile = join(folder, 'secret')
    await writeFile(secretFile, 'secret', { mode: 0o600 })
    const { port } = server.address() as AddressInfo
    return await work({ secretFile, port, changesUser: process.getuid?.() === 0 })
  } finally {
    server.close()
    await rm(folder, { recursive: true, force: true })
  }
}
