import { type IncomingMessage, request } from 'node:http'
import { connect, createServer as createTcpServer } from 'node:net'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import type { Egress } from '../../container/egress/egress.ts'
import { egress, listen, origin } from './way-out.ts'

describe('the proxy for child processes', () => {
  const throughProxy = (out: Egress, path: string, options: { method?: string; body?: string } = {}) =>
    new Promise<{ status: number; body: string; headers: IncomingMessage['headers'] }>((resolve, reject) => {
      const headers = { host: 'ignored.example', 'proxy-connection': 'keep-alive', 'x-own': '1' }
      const asked = request(
        { socketPath: out.proxySocket, path, method: options.method ?? 'GET', headers },
        (answer) => {
          const chunks: Buffer[] = []
          answer.on('data', (chunk) => chunks.push(chunk))
          answer.on('end', () =>
            resolve({
              status: answer.statusCode ?? 0,
              body: Buffer.concat(chunks).toString(),
              headers: answer.headers,
            }),
          )
        },
      )
      asked.on('error', reject).end(options.body)
    })

  const tunnel = (out: Egress, target: string, say: string) =>
    new Promise<string>((resolve, reject) => {
      const socket = connect(out.proxySocket)
      let heard = ''
      socket.setEncoding('utf8').on('data', (text) => {
        heard += text
        if (heard.endsWith('established\r\n\r\n')) socket.write(say)
      })
      socket.on('close', () => resolve(heard)).on('error', reject)
      socket.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n\r\n`)
    })

  test('passes plain requests on, bodies too, and counts what comes back', async () => {
    const port = await origin((incoming, answer) => {
      incoming.setEncoding('utf8').on('data', (text) => {
        answer
          .writeHead(201, { 'set-cookie': ['a=1', 'b=2'] })
          .end(`${incoming.method} ${text} ${Object.keys(incoming.headers).sort()}`)
      })
    })
    const out = await egress([`media.example:${port}`])
    const answer = await throughProxy(out, `http://media.example:${port}/`, { method: 'POST', body: 'hello' })
    expect(answer.status).toBe(201)
    expect(answer.headers['set-cookie']).toEqual(['a=1', 'b=2'])
    expect(answer.body).toContain('POST hello')
    expect(answer.body).toContain('x-own')
    expect(answer.body).not.toContain('proxy')
    expect(out.receivedBytes).toBe(answer.body.length)
  })

  test('leaves compressed bodies and redirects to the child', async () => {
    const body = gzipSync('x')
    const port = await origin((_, answer) => {
      answer.writeHead(302, { location: 'http://127.0.0.1/', 'content-encoding': 'gzip' }).end(body)
    })
    const out = await egress([`media.example:${port}`])
    const answer = await throughProxy(out, `http://media.example:${port}/`)
    expect([answer.status, answer.headers.location, answer.headers['content-encoding']]).toEqual([
      302,
      'http://127.0.0.1/',
      'gzip',
    ])
  })

  test('opens tunnels and counts what comes back', async () => {
    const port = await listen(createTcpServer((socket) => socket.on('data', (said) => socket.end(`heard ${said}`))))
    const out = await egress([`media.example:${port}`])
    expect(await tunnel(out, `media.example:${port}`, 'hello')).toBe(
      'HTTP/1.1 200 Connection established\r\n\r\nheard hello',
    )
    expect(out.receivedBytes).toBe('heard hello'.length)
  })

  test('answers 502 for all that must not or cannot be reached', async () => {
    const port = await origin((_, answer) => answer.end('inside'))
    const out = await egress([])
    for (const url of [
      `http://127.0.0.1:${port}/`,
      `http://localhost:${port}/`,
      'http://gone.example:1/',
      'https://media.example/',
      '/',
    ]) {
      expect(await throughProxy(out, url), url).toMatchObject({ status: 502, body: '' })
    }
    for (const target of [
      `127.0.0.1:${port}`,
      `[::1]:${port}`,
      `0x7f.1:${port}`,
      'gone.example:1',
      'nonsense',
      'media.example:99999',
    ]) {
      expect(await tunnel(out, target, ''), target).toMatch(/^HTTP\/1.1 (502|400) Bad/)
    }
  })

  test('closes tunnels with the step', async () => {
    const abort = new AbortController()
    const port = await listen(createTcpServer((socket) => socket.on('data', () => abort.abort())))
    const out = await egress([`media.example:${port}`], { signal: abort.signal })
    expect(await tunnel(out, `media.example:${port}`, 'hello')).toBe('HTTP/1.1 200 Connection established\r\n\r\n')
  })
})
