import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
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

let nextPort: () => Promise<number> = async () => 0

/** Sets where servers listen that were given no port. Default: any free port. */
export const takePortsFrom = (source: () => Promise<number>): void => {
  nextPort = source
}

export const listenOnLoopback = async (server: Server, requestedPort?: number): Promise<Loopback> => {
  server.listen(requestedPort ?? (await nextPort()), '127.0.0.1')
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

/** For a program that chooses no port by itself. */
export const freePort = async (): Promise<number> => {
  const { port, close } = await listenOnLoopback(createServer())
  await close()
  return port
}
