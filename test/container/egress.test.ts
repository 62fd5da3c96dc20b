import { existsSync } from 'node:fs'
import { createServer, type IncomingMessage, type RequestListener, request } from 'node:http'
import { type AddressInfo, connect, createServer as createTcpServer, type Server as TcpServer } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, test } from 'vitest'
import type { Egress } from '../../container/egress/egress.ts'
import { type Address, createGuard } from '../../container/egress/guard.ts'
import { createEgress, type EgressOptions } from '../../container/egress/outlet.ts'

const open: (() => unknown)[] = []
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close()
})

const listen = async (server: TcpServer, host = '127.0.0.1'): Promise<number> => {
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  open.push(() => server.close())
  return (server.address() as AddressInfo).port
}

const origin = async (answer: RequestListener, host?: string): Promise<number> => {
  const server = createServer(answer)
  open.push(() => server.closeAllConnections())
  return await listen(server, host)
}

/** All names lead to loopback unless told otherwise; the guard lets through what is listed. */
const egress = async (allow: string[], options: Partial<EgressOptions> = {}): Promise<Egress> => {
  const lookup = async (): Promise<Address[]> => [{ address: '127.0.0.1', family: 4 }]
  const made = await createEgress({ guard: createGuard({ allow: allow.join(), lookup }), ...options })
  open.push(() => made.close())
  return made
}

const unreachable = { name: 'Error', code: 'SOURCE_UNREACHABLE', message: 'SOURCE_UNREACHABLE' }

test('a body arrives and is counted', async () => {
  const port = await origin((_, answer) => answer.end('x'.repeat(100_000)))
  const out = await egress([`media.example:${port}`])
  const response = await out.fetch(`http://media.example:${port}/a`)
  expect(await response.text()).toHaveLength(100_000)
  expect(response.url).toBe(`http://media.example:${port}/a`)
  expect(out.receivedBytes).toBe(100_000)
})

test('whatever cannot or must not be reached looks the same', async () => {
  const port = await origin((_, answer) => answer.end('inside'))
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
  expect(out.receivedBytes).toBe(0)
})

test('a name with one private address among public ones is not connected to', async () => {
  let visits = 0
  const port = await origin((_, answer) => answer.end(String(++visits)))
  const lookup = async (): Promise<Address[]> => [
    { address: '127.0.0.1', family: 4 },
    { address: '93.184.216.34', family: 4 },
  ]
  const out = await egress([], { guard: createGuard({ lookup }) })
  await expect(out.fetch(`http://mixed.example:${port}/`)).rejects.toMatchObject(unreachable)
  expect(visits).toBe(0)
})

test('a name that changes its address after the check is connected to where it was checked', async () => {
  const port = await origin((_, answer) => answer.end('as checked'))
  let lookups = 0
  const lookup = async (): Promise<Address[]> => [{ address: ++lookups === 1 ? '127.0.0.1' : '127.0.0.99', family: 4 }]
  const out = await egress([], { guard: createGuard({ allow: `rebinding.example:${port}`, lookup }) })
  expect(await (await out.fetch(`http://rebinding.example:${port}/`)).text()).toBe('as checked')
  expect(lookups).toBe(1)
})

test('of several addresses the next is tried when the first does not answer', async () => {
  const port = await origin((_, answer) => answer.end('second'))
  const lookup = async (): Promise<Address[]> => [
    { address: '127.0.0.77', family: 4 },
    { address: '127.0.0.1', family: 4 },
  ]
  const out = await egress([], { guard: createGuard({ allow: `two.example:${port}`, lookup }) })
  expect(await (await out.fetch(`http://two.example:${port}/`)).text()).toBe('second')
})

test('an IPv6 literal that is allowed is reached', async () => {
  const port = await origin((_, answer) => answer.end('six'), '::1')
  const out = await egress([`[::1]:${port}`])
  expect(await (await out.fetch(`http://[::1]:${port}/`)).text()).toBe('six')
})

test('an abort ends a waiting request with its own reason', async () => {
  const port = await origin(() => {})
  const out = await egress([`media.example:${port}`])
  const abort = new AbortController()
  const waiting = out.fetch(`http://media.example:${port}/`, { signal: abort.signal })
  abort.abort(new Error('canceled'))
  await expect(waiting).rejects.toThrow('canceled')
})

test('an origin that never answers and one that stalls are given up', async () => {
  const port = await origin((incoming, answer) => {
    if (incoming.url === '/stalls') answer.write('begin')
  })
  const out = await egress([`media.example:${port}`], { timeouts: { headersMs: 200, idleMs: 200 } })
  await expect(out.fetch(`http://media.example:${port}/silent`)).rejects.toMatchObject(unreachable)
  const stalling = await out.fetch(`http://media.example:${port}/stalls`)
  await expect(stalling.text()).rejects.toThrow()
})

test('an answer that is not HTTP is an unreachable source', async () => {
  const port = await listen(createTcpServer((socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n')))
  const out = await egress([`media.example:${port}`])
  await expect(out.fetch(`http://media.example:${port}/`)).rejects.toMatchObject(unreachable)
})

test('after the end nothing is left: no socket in the file system and no way out', async () => {
  const port = await origin((_, answer) => answer.end())
  const out = await egress([`media.example:${port}`])
  expect(existsSync(out.proxySocket)).toBe(true)
  await out.close()
  expect(existsSync(out.proxySocket)).toBe(false)
  await expect(out.fetch(`http://media.example:${port}/`)).rejects.toMatchObject(unreachable)
})

describe('redirects', () => {
  test('five are followed, a sixth is not', async () => {
    const port = await origin((incoming, answer) => {
      const left = Number(incoming.url?.slice(1))
      if (left === 0) answer.end('there')
      else answer.writeHead(302, { location: `/${left - 1}` }).end()
    })
    const out = await egress([`media.example:${port}`])
    const response = await out.fetch(`http://media.example:${port}/5`)
    expect([await response.text(), response.url]).toEqual(['there', `http://media.example:${port}/0`])
    await expect(out.fetch(`http://media.example:${port}/6`)).rejects.toMatchObject(unreachable)
  })

  test('each target is checked anew: an allowed origin does not lead to another port, inside, or another scheme', async () => {
    let visits = 0
    const inside = await origin((_, answer) => answer.end(String(++visits)))
    const port = await origin((incoming, answer) => {
      answer.writeHead(302, { location: decodeURIComponent(incoming.url?.slice(1) ?? '') }).end()
    })
    const out = await egress([`127.0.0.1:${port}`])
    for (const target of [
      `http://127.0.0.1:${inside}/`,
      `http://[::1]:${inside}/`,
      'file:///etc/passwd',
      'http://a:b@127.0.0.1/',
    ]) {
      const redirected = out.fetch(`http://127.0.0.1:${port}/${encodeURIComponent(target)}`)
      await expect(redirected, target).rejects.toMatchObject(unreachable)
    }
    expect(visits).toBe(0)
  })

  test('cookies and credentials stay with the origin that they were meant for', async () => {
    const seen: IncomingMessage['headers'][] = []
    const other = await origin((incoming, answer) => {
      seen.push(incoming.headers)
      answer.end()
    })
    const port = await origin((_, answer) =>
      answer.writeHead(307, { location: `http://other.example:${other}/` }).end(),
    )
    const out = await egress([`media.example:${port}`, `other.example:${other}`])
    const headers = { Cookie: 'a=b', Authorization: 'Bearer c', Referer: 'http://page.example/', Range: 'bytes=0-1' }
    await out.fetch(`http://media.example:${port}/`, { headers })
    expect(seen[0]).toMatchObject({ referer: 'http://page.example/', range: 'bytes=0-1' })
    expect(seen[0]).not.toHaveProperty('cookie')
    expect(seen[0]).not.toHaveProperty('authorization')
  })
})

describe('compression', () => {
  const text = 'all of it '.repeat(1_000)

  test('is not asked for', async () => {
    const port = await origin((incoming, answer) => answer.end(incoming.headers['accept-encoding']))
    const out = await egress([`media.example:${port}`])
    expect(await (await out.fetch(`http://media.example:${port}/`)).text()).toBe('identity')
  })

  test('is undone where an origin insists, and the length is then unknown', async () => {
    const body = gzipSync(text)
    const port = await origin((_, answer) => {
      answer.writeHead(200, { 'content-encoding': 'gzip', 'content-length': body.length, 'x-kept': 'yes' }).end(body)
    })
    const out = await egress([`media.example:${port}`])
    const response = await out.fetch(`http://media.example:${port}/`)
    expect(await response.text()).toBe(text)
    expect(Object.fromEntries(response.headers)).toMatchObject({ 'x-kept': 'yes' })
    expect(response.headers.get('content-length')).toBeNull()
    expect(response.url).toBe(`http://media.example:${port}/`)
    expect(out.receivedBytes).toBe(body.length)
  })

  test('of a range is answered by asking for the whole', async () => {
    const body = gzipSync(text)
    const port = await origin((incoming, answer) => {
      const part = incoming.headers.range ? body.subarray(10, 20) : body
      answer.writeHead(incoming.headers.range ? 206 : 200, { 'content-encoding': 'gzip' }).end(part)
    })
    const out = await egress([`media.example:${port}`])
    const response = await out.fetch(`http://media.example:${port}/`, { headers: { range: 'bytes=10-19' } })
    expect([response.status, await response.text()]).toEqual([200, text])
  })
})

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
    const port = await listen(createTcpServer(() => {}))
    const abort = new AbortController()
    const out = await egress([`media.example:${port}`], { signal: abort.signal })
    const talk = tunnel(out, `media.example:${port}`, '')
    setTimeout(() => abort.abort(), 50)
    expect(await talk).toMatch(/^HTTP\/1.1 200|^$/)
  })
})
