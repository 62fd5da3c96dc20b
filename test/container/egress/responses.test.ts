import type { IncomingMessage } from 'node:http'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { egress, origin, unreachable } from './open-egress.ts'

describe('redirects', () => {
  test('five redirects are followed, a sixth is not', async () => {
    const port = await origin((incoming, outgoing) => {
      const left = Number(incoming.url?.slice(1))
      if (left === 0) outgoing.end('there')
      else outgoing.writeHead(302, { location: `/${left - 1}` }).end()
    })
    const out = await egress([`media.example:${port}`])
    const response = await out.fetch(`http://media.example:${port}/5`)
    expect([await response.text(), response.url]).toEqual(['there', `http://media.example:${port}/0`])
    await expect(out.fetch(`http://media.example:${port}/6`)).rejects.toMatchObject(unreachable)
  })

  test('each target is checked: an allowed origin cannot redirect to another port, a private address or another scheme', async () => {
    let requests = 0
    const forbidden = await origin((_, outgoing) => outgoing.end(String(++requests)))
    const port = await origin((incoming, outgoing) => {
      outgoing.writeHead(302, { location: decodeURIComponent(incoming.url?.slice(1) ?? '') }).end()
    })
    const out = await egress([`127.0.0.1:${port}`])
    for (const target of [
      `http://127.0.0.1:${forbidden}/`,
      `http://[::1]:${forbidden}/`,
      'file:///etc/passwd',
      'http://a:b@127.0.0.1/',
    ]) {
      const redirected = out.fetch(`http://127.0.0.1:${port}/${encodeURIComponent(target)}`)
      await expect(redirected, target).rejects.toMatchObject(unreachable)
    }
    expect(requests).toBe(0)
  })

  test('cookies and credentials are not sent to another origin', async () => {
    const seen: IncomingMessage['headers'][] = []
    const other = await origin((incoming, outgoing) => {
      seen.push(incoming.headers)
      outgoing.end()
    })
    const port = await origin((_, outgoing) =>
      outgoing.writeHead(307, { location: `http://other.example:${other}/` }).end(),
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

  test('is not requested', async () => {
    const port = await origin((incoming, outgoing) => outgoing.end(incoming.headers['accept-encoding']))
    const out = await egress([`media.example:${port}`])
    expect(await (await out.fetch(`http://media.example:${port}/`)).text()).toBe('identity')
  })

  test('is decoded if an origin compresses anyway, and the length is then unknown', async () => {
    const body = gzipSync(text)
    const port = await origin((_, outgoing) => {
      outgoing.writeHead(200, { 'content-encoding': 'gzip', 'content-length': body.length, 'x-kept': 'yes' }).end(body)
    })
    const out = await egress([`media.example:${port}`])
    const response = await out.fetch(`http://media.example:${port}/`)
    expect(await response.text()).toBe(text)
    expect(Object.fromEntries(response.headers)).toMatchObject({ 'x-kept': 'yes' })
    expect(response.headers.get('content-length')).toBeNull()
    expect(response.url).toBe(`http://media.example:${port}/`)
  })

  test('of a range causes a request for the whole file', async () => {
    const body = gzipSync(text)
    const port = await origin((incoming, outgoing) => {
      const part = incoming.headers.range ? body.subarray(10, 20) : body
      outgoing.writeHead(incoming.headers.range ? 206 : 200, { 'content-encoding': 'gzip' }).end(part)
    })
    const out = await egress([`media.example:${port}`])
    const response = await out.fetch(`http://media.example:${port}/`, { headers: { range: 'bytes=10-19' } })
    expect([response.status, await response.text()]).toEqual([200, text])
  })
})
