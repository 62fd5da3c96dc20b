import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { createServer as createTcpServer } from 'node:net'
import { expect, test } from 'vitest'
import { type Address, createGuard } from '../../../container/egress/guard.ts'
import { scratch } from '../audio/recordings.ts'
import { egress, listen, origin, unreachable } from './open-egress.ts'

test('a body is received', async () => {
  const port = await origin((_, outgoing) => outgoing.end('x'.repeat(100_000)))
  const out = await egress([`media.example:${port}`])
  const response = await out.fetch(`http://media.example:${port}/a`)
  expect(await response.text()).toHaveLength(100_000)
  expect(response.url).toBe(`http://media.example:${port}/a`)
})

test('unreachable and forbidden destinations fail in the same way', async () => {
  let requests = 0
  const port = await origin((_, outgoing) => outgoing.end(String(++requests)))
  const out = await egress([])
  const refused = [
    `http://127.0.0.1:${port}/`,
    `http://localhost:${port}/`,
    `http://[::1]:${port}/`,
    `http://[::ffff:7f00:1]:${port}/`,
    `http://2130706433:${port}/`,
    `http://user:pass@media.example:${port}/`,
    'http://169.254.169.254/latest/meta-data/',
    'http://nothing-listens.example:1/',
    'ftp://media.example/',
    'not a url',
  ]
  for (const url of refused) await expect(out.fetch(url), url).rejects.toMatchObject(unreachable)
  expect(requests).toBe(0)
})

test('a name with a private address among public ones is forbidden', async () => {
  let requests = 0
  const port = await origin((_, outgoing) => outgoing.end(String(++requests)))
  const lookup = async (): Promise<Address[]> => [
    { address: '127.0.0.1', family: 4 },
    { address: '93.184.216.34', family: 4 },
  ]
  const out = await egress([], { guard: createGuard({ lookup }) })
  await expect(out.fetch(`http://mixed.example:${port}/`)).rejects.toMatchObject(unreachable)
  expect(requests).toBe(0)
})

test('a name that resolves to another address after the check is connected at the checked address', async () => {
  const port = await origin((_, outgoing) => outgoing.end('as checked'))
  let lookups = 0
  const lookup = async (): Promise<Address[]> => [{ address: ++lookups === 1 ? '127.0.0.1' : '127.0.0.99', family: 4 }]
  const out = await egress([], { guard: createGuard({ allow: `rebinding.example:${port}`, lookup }) })
  expect(await (await out.fetch(`http://rebinding.example:${port}/`)).text()).toBe('as checked')
  expect(lookups).toBe(1)
})

test('the next address is tried when the first one refuses the connection', async () => {
  const port = await origin((_, outgoing) => outgoing.end('second'))
  const lookup = async (): Promise<Address[]> => [
    { address: '127.0.0.77', family: 4 },
    { address: '127.0.0.1', family: 4 },
  ]
  const out = await egress([], { guard: createGuard({ allow: `two.example:${port}`, lookup }) })
  expect(await (await out.fetch(`http://two.example:${port}/`)).text()).toBe('second')
})

test('an allowed IPv6 literal is reachable', async () => {
  const port = await origin((_, outgoing) => outgoing.end('six'), '::1')
  const out = await egress([`[::1]:${port}`])
  expect(await (await out.fetch(`http://[::1]:${port}/`)).text()).toBe('six')
})

test('an abort rejects a waiting request with its reason', async () => {
  const port = await origin(() => {})
  const out = await egress([`media.example:${port}`])
  const abort = new AbortController()
  const waiting = out.fetch(`http://media.example:${port}/`, { signal: abort.signal })
  abort.abort(new Error('canceled'))
  await expect(waiting).rejects.toThrow('canceled')
})

test('an origin that does not respond or stalls causes a timeout', async () => {
  const port = await origin((incoming, outgoing) => {
    if (incoming.url === '/stalls') outgoing.write('begin')
  })
  const withShortTimeout = await egress([`media.example:${port}`], { timeouts: { headersMs: 200 } })
  await expect(withShortTimeout.fetch(`http://media.example:${port}/silent`)).rejects.toMatchObject(unreachable)
  const out = await egress([`media.example:${port}`], { timeouts: { idleMs: 200 } })
  const stalling = await out.fetch(`http://media.example:${port}/stalls`)
  await expect(stalling.text()).rejects.toThrow()
})

test('a name server that does not answer causes a timeout', async () => {
  const lookup = () => new Promise<never>(() => {})
  const out = await egress(['media.example:80'], {
    guard: createGuard({ allow: '', lookup }),
    timeouts: { connectMs: 100 },
  })
  await expect(out.fetch('http://media.example/')).rejects.toMatchObject(unreachable)
})

test('a response that is not HTTP is an unreachable source', async () => {
  const port = await listen(createTcpServer((socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n')))
  const out = await egress([`media.example:${port}`])
  await expect(out.fetch(`http://media.example:${port}/`)).rejects.toMatchObject(unreachable)
})

test('close deletes the socket and ends all fetches', async () => {
  const port = await origin((_, outgoing) => outgoing.end())
  const out = await egress([`media.example:${port}`])
  const socket = await out.proxySocket()
  expect(existsSync(socket)).toBe(true)
  await out.close()
  expect(existsSync(socket)).toBe(false)
  await expect(out.proxySocket()).rejects.toThrow('closed')
  await expect(out.fetch(`http://media.example:${port}/`)).rejects.toMatchObject(unreachable)
})

test('a download that starts no child process has no socket', async () => {
  const socketFolder = scratch()
  const port = await origin((_, outgoing) => outgoing.end('media'))
  const out = await egress([`media.example:${port}`], { socketFolder })
  expect(await (await out.fetch(`http://media.example:${port}/`)).text()).toBe('media')
  expect(await readdir(socketFolder)).toEqual([])
})

test('an egress that closes while its proxy starts leaves no socket', async () => {
  const socketFolder = scratch()
  const out = await egress([], { socketFolder })
  const starting = out.proxySocket()
  await out.close()
  expect(existsSync(await starting)).toBe(false)
  expect(await readdir(socketFolder)).toEqual([])
})
