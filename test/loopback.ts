import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A test server on 127.0.0.1. */
export interface Loopback {
  /** Without a slash at the end. */
  url: string
  /** `127.0.0.1:<port>`, for ALLOW_PRIVATE_HOSTS. */
  host: string
  port: number
  /** Closes open connections too. */
  close(): Promise<void>
}

/** Port 0: any free port. */
export const listenOnLoopback = async (server: Server, requestedPort = 0): Promise<Loopback> => {
  server.listen(requestedPort, '127.0.0.1')
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
