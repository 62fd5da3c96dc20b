import { createServer, type IncomingMessage, type RequestListener, request } from 'node:http'
import { type AddressInfo, connect, type Server } from 'node:net'
import { text } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'
import { createEgress, type Egress, type EgressOptions } from '../../../container/egress/egress.ts'
import { type Address, createGuard } from '../../../container/egress/guard.ts'

/** Whatever this module opens is closed when the test ends. */
export const listen = async (server: Server, host = '127.0.0.1'): Promise<number> => {
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

export const origin = async (listener: RequestListener, host?: string): Promise<number> => {
  const server = createServer(listener)
  onTestFinished(() => server.closeAllConnections())
  return await listen(server, host)
}

/** All names resolve to the loopback address. The guard allows only the hosts in `allow`. */
export const egress = async (allow: string[], options: Partial<EgressOptions> = {}): Promise<Egress> => {
  const lookup = async (): Promise<Address[]> => [{ address: '127.0.0.1', family: 4 }]
  const created = createEgress({ guard: createGuard({ allow: allow.join(), lookup }), ...options })
  onTestFinished(() => created.close())
  return created
}

export const unreachable = { name: 'Error', code: 'SOURCE_UNREACHABLE', message: 'SOURCE_UNREACHABLE' }

export interface Answer {
  status: number
  body: string
  headers: IncomingMessage['headers']
}

/** Requests as a child process does, through the proxy's socket. */
export const throughProxy = async (out: Egress, path: string, { method = 'GET', body = '' } = {}): Promise<Answer> => {
  const socketPath = await out.proxySocket()
  return await new Promise((resolve, reject) => {
    const headers = { host: 'ignored.example', 'proxy-connection': 'keep-alive', 'x-own': '1' }
    const sent = request({ socketPath, path, method, headers }, async (response) => {
      resolve({ status: response.statusCode ?? 0, body: await text(response), headers: response.headers })
    })
    sent.on('error', reject).end(body)
  })
}

/** What comes through a tunnel to the target, with the proxy's answer. The message is sent when the tunnel is open. */
export const tunnel = async (out: Egress, target: string, message = ''): Promise<string> => {
  const socketPath = await out.proxySocket()
  return await new Promise((resolve, reject) => {
    const socket = connect(socketPath)
    let received = ''
    socket.setEncoding('utf8').on('data', (chunk) => {
      received += chunk
      if (received.endsWith('established\r\n\r\n')) socket.write(message)
    })
    socket.on('close', () => resolve(received)).on('error', reject)
    socket.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n\r\n`)
  })
}
