import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A server of the tests, on a free port that nobody outside this machine reaches. */
export interface Loopback {
  /** Without a slash at the end. */
  url: string
  /** `127.0.0.1:<port>`, as ALLOW_PRIVATE_HOSTS wants it. */
  host: string
  port: number
  /** Waits for nobody: whoever is connected is cut off. */
  close(): Promise<void>
}

export const onLoopback = async (server: Server, wanted = 0): Promise<Loopback> => {
  server.listen(wanted, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const host = `127.0.0.1:${port}`
  const close = async () => {
    server.close()
    server.closeAllConnections()
    await once(server, 'close')
  }
  return { url: `http://${host}`, host, port, close }
}
