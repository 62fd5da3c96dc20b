import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo, Server } from 'node:net'
import { afterEach } from 'vitest'
import type { Egress } from '../../container/egress/egress.ts'
import { type Address, createGuard } from '../../container/egress/guard.ts'
import { createEgress, type EgressOptions } from '../../container/egress/outlet.ts'

/** Origins and ways out, as many as a test of the egress wants; all are closed after it. */
const open: (() => unknown)[] = []
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close()
})

export const listen = async (server: Server, host = '127.0.0.1'): Promise<number> => {
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  open.push(() => server.close())
  return (server.address() as AddressInfo).port
}

export const origin = async (answer: RequestListener, host?: string): Promise<number> => {
  const server = createServer(answer)
  open.push(() => server.closeAllConnections())
  return await listen(server, host)
}

/** All names lead to loopback unless told otherwise; the guard lets through what is listed. */
export const egress = async (allow: string[], options: Partial<EgressOptions> = {}): Promise<Egress> => {
  const lookup = async (): Promise<Address[]> => [{ address: '127.0.0.1', family: 4 }]
  const made = await createEgress({ guard: createGuard({ allow: allow.join(), lookup }), ...options })
  open.push(() => made.close())
  return made
}

export const unreachable = { name: 'Error', code: 'SOURCE_UNREACHABLE', message: 'SOURCE_UNREACHABLE' }
