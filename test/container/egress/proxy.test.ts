import { createServer as createTcpServer } from 'node:net'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { egress, listen, origin, throughProxy, tunnel } from './open-egress.ts'

describe('the proxy for child processes', () => {
  test('forwards plain requests with their bodies', async () => {
    const port = await origin((incoming, outgoing) => {
      incoming.setEncoding('utf8').on('data', (text) => {
        outgoing
          .writeHead(201, { 'set-cookie': ['a=1', 'b=2'] })
          .end(`${incoming.method} ${text} ${Object.keys(incoming.headers).sort()}`)
      })
    })
    const out = await egress([`media.example:${port}`])
    const response = await throughProxy(out, `http://media.example:${port}/`, { method: 'POST', body: 'hello' })
    expect(response.status).toBe(201)
    expect(response.headers['set-cookie']).toEqual(['a=1', 'b=2'])
    expect(response.body).toContain('POST hello')
    expect(response.body).toContain('x-own')
    expect(response.body).not.toContain('proxy')
  })

  test('forwards compressed bodies and redirects unchanged', async () => {
    const body = gzipSync('x')
    const port = await origin((_, outgoing) => {
      outgoing.writeHead(302, { location: 'http://127.0.0.1/', 'content-encoding': 'gzip' }).end(body)
    })
    const out = await egress([`media.example:${port}`])
    const response = await throughProxy(out, `http://media.example:${port}/`)
    expect([response.status, response.headers.location, response.headers['content-encoding']]).toEqual([
      302,
      'http://127.0.0.1/',
      'gzip',
    ])
  })

  test('opens tunnels', async () => {
    const port = await listen(createTcpServer((socket) => socket.on('data', (data) => socket.end(`received ${data}`))))
    const out = await egress([`media.example:${port}`])
    expect(await tunnel(out, `media.example:${port}`, 'hello')).toBe(
      'HTTP/1.1 200 Connection established\r\n\r\nreceived hello',
    )
  })

  test('what comes through requests and tunnels is counted', async () => {
    const body = 'x'.repeat(100_000)
    const port = await origin((_, outgoing) => outgoing.end(body))
    const tunneled = await listen(createTcpServer((socket) => socket.on('data', () => socket.end(body))))
    const out = await egress([`media.example:${port}`, `media.example:${tunneled}`])
    await throughProxy(out, `http://media.example:${port}/`)
    expect(out.readBytes).toBeGreaterThan(100_000)
    expect(out.readBytes).toBeLessThan(101_000)
    await tunnel(out, `media.example:${tunneled}`, 'send')
    expect(out.readBytes).toBeGreaterThan(200_000)
    await out.close()
    expect(out.readBytes).toBeLessThan(201_000)
  })

  test('responds 502 for unreachable and forbidden destinations', async () => {
    const port = await origin((_, outgoing) => outgoing.end('private'))
    const out = await egress([])
    const urls = [`http://127.0.0.1:${port}/`, `http://localhost:${port}/`, 'http://gone.example:1/']
    for (const url of [...urls, 'https://media.example/', '/']) {
      expect(await throughProxy(out, url), url).toMatchObject({ status: 502, body: '' })
    }
    const targets = [`127.0.0.1:${port}`, `[::1]:${port}`, `0x7f.1:${port}`, 'gone.example:1']
    for (const target of [...targets, 'nonsense', 'media.example:99999']) {
      expect(await tunnel(out, target), target).toMatch(/^HTTP\/1.1 (502|400) Bad/)
    }
  })

  test('closes tunnels when the step is aborted', async () => {
    const abort = new AbortController()
    const port = await listen(createTcpServer((socket) => socket.on('data', () => abort.abort())))
    const out = await egress([`media.example:${port}`], { signal: abort.signal })
    expect(await tunnel(out, `media.example:${port}`, 'hello')).toBe('HTTP/1.1 200 Connection established\r\n\r\n')
  })
})
