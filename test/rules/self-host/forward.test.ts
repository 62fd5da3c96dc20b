import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, createServer as createSocketServer, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { forward } from '../../../self-host/servers/forward.ts'
import { listenOnLoopback } from '../../support/loopback.ts'

const open = async (server: Server) => {
  const { url, port, close } = await listenOnLoopback(server)
  onTestFinished(close)
  return { url, port }
}

const forwardTo = (url: string) =>
  open(createServer((asked, response) => forward(asked, response, new URL(url + asked.url))))

/** A server in front of one that answers as the test says. */
const inFrontOf = async (answer: (request: IncomingMessage, response: ServerResponse) => void) =>
  forwardTo((await open(createServer(answer))).url)

/** In front of one of which the test says when it writes and closes. `text`: what a connection has received so far. */
const inFrontOfSockets = async (onData: (socket: Socket, text: string) => void) => {
  const server = createSocketServer((socket) => {
    let text = ''
    socket.on('error', () => {})
    socket.on('data', (data) => {
      text += data.toString('latin1')
      onData(socket, text)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return forwardTo(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
}

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'

/** The status of each answer on one connection. The next part is written when the answers before it have arrived. */
const onOneConnection = async (port: number, parts: string[]): Promise<string[]> => {
  const client = connect(port, '127.0.0.1')
  onTestFinished(() => void client.destroy())
  const statuses: string[] = []
  for (const part of parts) {
    client.write(part)
    const [data] = await once(client, 'data')
    statuses.push(...[...data.toString().matchAll(/^HTTP\/1.1 (\d+)/gm)].map(([, status]) => status))
  }
  return statuses
}

const MB = 1_000_000
/** What the sockets between two readers may hold. */
const BUFFERED = 40 * MB

/** Writes until it has to wait for a while, and counts. */
const flood = (stream: NodeJS.WritableStream & { writableNeedDrain?: boolean }) => {
  const sent = { bytes: 0 }
  const write = () => {
    while (sent.bytes < 200 * MB) {
      sent.bytes += MB
      if (!stream.write(Buffer.alloc(MB))) return void stream.once('drain', write)
    }
  }
  write()
  return sent
}

/** The number no longer grows. */
const settled = async (sent: { bytes: number }): Promise<number> => {
  let last = -1
  await expect
    .poll(
      () => {
        const same = sent.bytes === last
        last = sent.bytes
        return same
      },
      { interval: 300 },
    )
    .toBe(true)
  return last
}

test('methods, paths, headers, statuses and bodies of any size pass unchanged', async () => {
  const { url } = await inFrontOf(async (asked, response) => {
    const body = Buffer.concat(await asked.toArray())
    response.writeHead(207, 'Custom', { 'x-answer': [asked.url ?? '', asked.method ?? ''], etag: '"a"' })
    response.end(body)
  })
  const body = Buffer.alloc(5 * MB, 'haul')
  const response = await fetch(`${url}/a/b?c=%20d`, { method: 'PUT', body })
  expect([response.status, response.headers.get('x-answer'), response.headers.get('etag')]).toEqual([
    207,
    '/a/b?c=%20d, PUT',
    '"a"',
  ])
  expect(Buffer.from(await response.arrayBuffer()).equals(body)).toBe(true)
})

test('the runtime gets none of its own headers from a caller but his address, and none that are for one connection', async () => {
  const { url } = await inFrontOf((asked, response) => response.end(JSON.stringify(asked.headers)))
  const headers = {
    'mf-original-url': 'http://x/',
    'MF-CF-Blob': '{}',
    'CF-Connecting-IP': '203.0.113.7',
    te: 'trailers',
    range: 'bytes=0-1',
    host: 'haul.test',
  }
  const asked = request(url, { headers })
  asked.end()
  const [response] = await once(asked, 'response')
  const received = JSON.parse((await response.toArray()).join(''))
  const address = '127.0.0.1'
  expect(received).toEqual({ range: 'bytes=0-1', host: 'haul.test', connection: 'close', 'cf-connecting-ip': address })
})

test('a client that leaves ends the request behind', async () => {
  const left = Promise.withResolvers<void>()
  const { url } = await inFrontOf((_, response) => {
    response.write('data: first\n\n')
    response.once('close', () => left.resolve())
  })
  const leaving = new AbortController()
  const response = await fetch(url, { signal: leaving.signal })
  const { value } = (await response.body?.getReader().read()) ?? {}
  expect(Buffer.from(value ?? []).toString()).toBe('data: first\n\n')
  leaving.abort()
  await left.promise
})

test('a client that reads slowly slows down the answer', async () => {
  let sent = { bytes: 0 }
  const { port } = await inFrontOf((_, response) => {
    sent = flood(response)
  })
  const client = connect(port, '127.0.0.1')
  onTestFinished(() => void client.destroy())
  client.pause()
  client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
  await expect.poll(() => sent.bytes).toBeGreaterThan(0)
  expect(await settled(sent)).toBeLessThan(BUFFERED)
})

test('a server that reads slowly slows down the upload', async () => {
  const { url } = await inFrontOf((asked) => asked.pause())
  const asked = request(url, { method: 'PUT' })
  asked.on('error', () => {})
  onTestFinished(() => void asked.destroy())
  expect(await settled(flood(asked))).toBeLessThan(BUFFERED)
})

test('an answer that breaks off is not taken for a complete one, and no answer is a 502', async () => {
  const { url } = await inFrontOf((asked, response) => {
    if (asked.url === '/none') return void asked.socket.destroy()
    response.writeHead(200, { 'content-length': 10 })
    response.write('half')
    response.socket?.destroySoon()
  })
  expect((await fetch(`${url}/none`)).status).toBe(502)
  await expect(fetch(url).then((response) => response.text())).rejects.toThrow()
})

const get = 'GET /next HTTP/1.1\r\nHost: x\r\n\r\n'

test('a connection to the runtime that closes after an answer costs the next request nothing', async () => {
  const { port } = await inFrontOfSockets((socket, text) => {
    if (text.split(get).length > 2) socket.destroy()
    else socket.write(OK)
  })
  expect(await onOneConnection(port, [get, get, get])).toEqual(['200', '200', '200'])
})

test.each([
  [
    'is answered before its body has been read gets this answer',
    'HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n',
    '401',
  ],
  ['meets a runtime that dies is a 502', '', '502'],
])('a request that %s, and the caller goes on with his connection', async (_, answer, status) => {
  const { port } = await inFrontOfSockets((socket, text) => {
    if (text.startsWith('GET')) return void socket.write(OK)
    // What is left of the body makes the end a reset.
    socket.pause()
    socket.write(answer)
    socket.destroySoon()
  })
  const post = `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${5 * MB}\r\n\r\n${'x'.repeat(5 * MB)}`
  expect(await onOneConnection(port, [post, get, post, get])).toEqual([status, '200', status, '200'])
})
