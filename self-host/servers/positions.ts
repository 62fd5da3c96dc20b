import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { HostAndPort } from '../../domain/settings/rules.ts'
import { log } from '../log.ts'

export type Resolve = (host: string) => Promise<string[]>

/** On Linux, all of 127.0.0.0/8 is this machine. Only engines' ports listen here, so the Worker reaches no other server. */
export const ENGINE_ADDRESS = '127.83.0.1'

/** New engines are rare, and may be found with this delay. */
const LOOKUP_MS = 3_000

/**
 * Looks up the engines behind the names in ENGINE_HOSTS again and again: with `docker compose up --scale engine=3`, the
 * name `engine` has three addresses. Each engine gets a port on this machine, and ENGINE_URLS of the Worker lists these
 * ports. A port without an engine closes connections, and the fleet tries it again a little later.
 */
export const openPositions = async (
  names: readonly HostAndPort[],
  options: { resolve?: Resolve; count?: number; lookupMs?: number } = {},
) => {
  const { resolve = addressesOf, count = 16, lookupMs = LOOKUP_MS } = options
  const positions = await Promise.all(Array.from({ length: count }, openPosition))
  const closing = new AbortController()
  let assigned: (string | null)[] = positions.map(() => null)
  let foundBefore: string[] = []
  let wasFull = false

  const look = async () => {
    const found = await findAll(names, resolve)
    // A name server that does not answer says nothing about the engines.
    if (!found) return
    const before = assigned
    assigned = assign(before, found, foundBefore)
    foundBefore = found
    for (const [index, position] of positions.entries()) {
      const [old, now] = [before[index], assigned[index] ?? null]
      if (old === now) continue
      if (old) log('engine removed', { engine: index, address: old })
      if (now) log('engine found', { engine: index, address: now })
      position.lead(now)
    }
    const isFull = found.length > count
    if (isFull && !wasFull) log('too many engines', { found: found.length, used: count })
    wasFull = isFull
  }
  const lookAgain = async () => {
    for (;;) {
      await sleep(lookupMs, undefined, { signal: closing.signal })
      await look()
    }
  }

  await look()
  lookAgain().catch((error) => {
    if (!closing.signal.aborted) throw error
  })
  return {
    urls: positions.map(({ url }) => url),
    stop: async () => {
      closing.abort()
      await Promise.all(positions.map((position) => position.close()))
    },
  }
}

/**
 * The Worker's list of engines is fixed at its start, so engines get positions in it. An engine keeps its position until
 * two lookups in a row lack it. A new engine gets the first free position, or none if all are taken.
 */
export const assign = (
  before: readonly (string | null)[],
  found: readonly string[],
  foundBefore: readonly string[],
): (string | null)[] => {
  const isThere = (address: string): boolean => found.includes(address) || foundBefore.includes(address)
  const after = before.map((address) => (address && isThere(address) ? address : null))
  for (const address of found) {
    const free = after.indexOf(null)
    if (!after.includes(address) && free >= 0) after[free] = address
  }
  return after
}

/** null: none of the names could be looked up. */
const findAll = async (names: readonly HostAndPort[], resolve: Resolve): Promise<string[] | null> => {
  const find = async ({ host, port }: HostAndPort) => (await resolve(host)).map((address) => addressOf(address, port))
  const answers = await Promise.all(names.map((name) => find(name).catch(() => null)))
  if (answers.every((answer) => answer === null)) return null
  return [...new Set(answers.flatMap((answer) => answer ?? []))].sort()
}

const addressOf = (host: string, port: number): string => `${host.includes(':') ? `[${host}]` : host}:${port}`

/** Uses the system's resolver, which also reads the hosts file. An unknown name has no engines. */
const addressesOf: Resolve = async (host) => {
  try {
    return (await lookup(host, { all: true })).map(({ address }) => address)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOTFOUND') return []
    throw error
  }
}

const openPosition = async () => {
  const sockets = new Set<Socket>()
  let target: URL | null = null
  const endAll = () => {
    for (const socket of sockets) socket.destroy()
  }
  const server = createServer((client) => {
    if (!target) return client.destroy()
    const engine = connect(Number(target.port), target.hostname.replace(/^\[|\]$/g, ''))
    for (const [socket, other] of [[client, engine] as const, [engine, client] as const]) {
      sockets.add(socket)
      socket.pipe(other)
      socket.once('error', () => other.destroy())
      socket.once('close', () => {
        sockets.delete(socket)
        other.destroy()
      })
    }
  })
  server.listen(0, ENGINE_ADDRESS)
  await once(server, 'listening')
  return {
    url: `http://${ENGINE_ADDRESS}:${(server.address() as AddressInfo).port}`,
    /** Sets the engine of new connections, and ends the connections to the one before. */
    lead: (address: string | null) => {
      target = address === null ? null : new URL(`http://${address}`)
      endAll()
    },
    close: async () => {
      endAll()
      await once(server.close(), 'close')
    },
  }
}
