import { createHash } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

/**
 * Where the proxies of one instance have their sockets: named after its work folder, so that it is found and swept
 * when the instance starts again after it was killed. Not in that folder: a socket's path has room for 107 bytes,
 * and not every file system takes sockets.
 */
export const socketFolder = (workDir: string): string =>
  join(tmpdir(), `haul-${createHash('sha256').update(resolve(workDir)).digest('hex').slice(0, 12)}`)
