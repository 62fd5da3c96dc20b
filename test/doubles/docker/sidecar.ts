import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect, type Socket } from 'node:net'
import { listenOnLoopback } from '../../support/loopback.ts'
import type { Started } from './started.ts'

/**
 * The container that workerd starts beside each container. It tunnels workerd's connections to the program (CONNECT),
 * and takes the settings for connections in the other direction, which no test needs.
 */
export const startSidecar = async (programPort: () => number | null): Promise<Started> => {
  const server = createServer((request, response) => {
    request.resume()
    const isKnown = `${request.method} ${request.url}` === 'PUT /egress' || request.url === '/ca'
    response.writeHead(isKnown ? 200 : 404).end()
  })
  const sockets = new Set<Socket>()
  server.on('connect', async (_request, client: Socket) => {
    const port = programPort()
    // workerd: "Container is not listening".
    if (!port) return void client.end('HTTP/1.1 400 Bad Request\r\n\r\n')
    const program = connect(port, '127.0.0.1')
    for (const socket of [client, program]) {
      sockets.add(socket)
      socket.once('close', () => sockets.delete(socket))
      socket.on('error', () => {})
    }
    client.once('close', () => program.destroy())
    program.once('close', () => client.destroy())
    try {
      await once(program, 'connect')
    } catch {
      return void client.end('HTTP/1.1 400 Bad Request\r\n\r\n')
    }
    client.write('HTTP/1.1 200 OK\r\n\r\n')
    client.pipe(program).pipe(client)
  })
  const { port, close } = await listenOnLoopback(server)
  const exited = Promise.withResolvers<number>()
  let exitCode: number | null = null
  return {
    port,
    get exitCode() {
      return exitCode
    },
    exited: exited.promise,
    kill: async () => {
      if (exitCode !== null) return
      exitCode = 137
      for (const socket of sockets) socket.destroy()
      await close()
      exited.resolve(exitCode)
    },
  }
}
