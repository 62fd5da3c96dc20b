import { createServer } from 'node:http'
import { onLoopback } from '../loopback.ts'

/** For servers that can't say which port they were given. Whoever uses it must be ready to lose the race for it. */
export const freePort = async (): Promise<number> => {
  const { port, close } = await onLoopback(createServer())
  await close()
  return port
}
