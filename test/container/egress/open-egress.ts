import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo, Server } from 'node:net'
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
