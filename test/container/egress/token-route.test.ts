import { expect, test } from 'vitest'
import type { Egress } from '../../../container/egress/egress.ts'
import { egress, throughProxy, tunnel, unreachable } from './open-egress.ts'

const withTokens = async (requestToken?: (asked: Uint8Array) => Promise<Uint8Array>) => {
  const asked: string[] = []
  const answer = async (bytes: Uint8Array) => {
    asked.push(Buffer.from(bytes).toString())
    return (await requestToken?.(bytes)) ?? Buffer.from('{"poToken":"t"}')
  }
  const out = await egress([], { requestToken: answer })
  return { out, host: out.tokenHost ?? '', asked }
}

const send = async (out: Egress, path: string, options: { method?: string; body?: string } = {}) => {
  const { status, body } = await throughProxy(out, path, { method: 'POST', body: '{}', ...options })
  return [status, body]
}

test('a child process gets a token by the name that its proxy has for the provider', async () => {
  const { out, host, asked } = await withTokens()
  expect(await send(out, `http://${host}/get_pot`, { body: '{"a":1}' })).toEqual([200, '{"poToken":"t"}'])
  expect(asked).toEqual(['{"a":1}'])
})

test('nothing else works by that name: no other path, method or port, no tunnel, no request of the container itself', async () => {
  const { out, host, asked } = await withTokens()
  expect(await send(out, `http://${host}/get_pot`, { method: 'GET', body: '' })).toEqual([404, ''])
  for (const path of ['/', '/ping', '/minter_cache', '/invalidate_caches', '/get_pot?x', '/get_pot/../ping']) {
    expect(await send(out, `http://${host}${path}`), path).toEqual([404, ''])
  }
  expect(await send(out, `http://${host}:4416/get_pot`)).toEqual([404, ''])
  expect(await send(out, `https://${host}/get_pot`)).toEqual([404, ''])
  // A tunnel resolves the name, which the test's resolver has at the loopback address.
  expect(await tunnel(out, `${host}:80`)).toMatch(/^HTTP\/1.1 502 /)
  await expect(out.fetch(`http://${host}/get_pot`)).rejects.toMatchObject(unreachable)
  expect(asked).toEqual([])
})

test('each job has a name of its own, which works in no other, and none without a provider', async () => {
  const [one, other] = [await withTokens(), await withTokens()]
  expect(one.host).toMatch(/^[0-9a-f-]{36}\.invalid$/)
  expect(one.host).not.toBe(other.host)
  expect(await send(other.out, `http://${one.host}/get_pot`)).toEqual([502, ''])
  expect(other.asked).toEqual([])
  expect((await egress([])).tokenHost).toBeNull()
})

test('a job can send no long requests and no more than 16', async () => {
  const { out, host, asked } = await withTokens()
  expect(await send(out, `http://${host}/get_pot`, { body: 'x'.repeat(65_537) })).toEqual([404, ''])
  const statuses: unknown[] = []
  for (let sent = 0; sent < 18; sent++) statuses.push((await send(out, `http://${host}/get_pot`))[0])
  expect(statuses).toEqual([...Array(16).fill(200), 429, 429])
  expect(asked).toHaveLength(16)
})

test('a provider that fails is like a host that cannot be reached', async () => {
  const { out, host } = await withTokens(() => Promise.reject(new Error('down')))
  expect(await send(out, `http://${host}/get_pot`)).toEqual([502, ''])
})
