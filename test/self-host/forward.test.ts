import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { forward } from '../../self-host/forward.ts'
import { listenOnLoopback } from '../loopback.ts'

const open = async (server: Server) => {
  const { url, port, close } = await listenOnLoopback(server)
  onTestFinished(close)
  return { url, port }
}

/** A server in front of one that answers as the test says. */
const inFrontOf = async (answer: (request: IncomingMessage, response: ServerResponse) => void) => {
  const { url } = await open(createServer(answer))
  return open(createServer((asked, response) => forward(asked, response, new URL(url + asked.url))))
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

test('the runtime gets none of its own headers from a caller, and none that are for one connection', async () => {
  const { url } = await inFrontOf((asked, response) => response.end(JSON.stringify(asked.headers)))
  const headers = {
    'mf-original-url': 'http://x/',
    'MF-CF-Blob': '{}',
    te: 'trailers',
    range: 'bytes=0-1',
    host: 'haul.test',
  }
  const asked = request(url, { headers })
  asked.end()
  const [response] = await once(asked, 'response')
  const received = JSON.parse((await response.toArray()).join(''))
  expect(received).toEqual({ range: 'bytes=0-1', host: 'haul.test', connection: 'keep-alive' })
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
