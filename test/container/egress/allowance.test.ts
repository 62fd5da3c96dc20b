import { expect, test } from 'vitest'
import { AllowanceExceeded, withAllowance } from '../../../container/egress/allowance.ts'
import { requestRange } from '../../../container/source/transfer/stream.ts'
import { egress, origin } from './open-egress.ts'

const opened = async (maxBytes: number) => {
  let requests = 0
  const port = await origin((incoming, outgoing) => {
    requests++
    outgoing.end(Buffer.alloc(Number(incoming.url?.slice(1))))
  })
  const limited = withAllowance(await egress([`127.0.0.1:${port}`]), maxBytes)
  const get = async (bytes: number) => (await limited.fetch(`http://127.0.0.1:${port}/${bytes}`)).arrayBuffer()
  return { limited, get, url: `http://127.0.0.1:${port}/100`, requests: () => requests }
}

test('all responses together may have as many bytes as are allowed', async () => {
  const { limited, get } = await opened(300_000)
  expect((await get(100_000)).byteLength).toBe(100_000)
  expect((await get(200_000)).byteLength).toBe(200_000)
  expect(limited.leftBytes).toBe(0)
})

test('a body above the rest of the allowance is cut, and nothing more is requested', async () => {
  const { limited, get, requests } = await opened(300_000)
  await get(200_000)
  await expect(get(10_000_000)).rejects.toThrow(AllowanceExceeded)
  expect(limited.leftBytes).toBe(0)
  await expect(get(1)).rejects.toThrow(AllowanceExceeded)
  expect(requests()).toBe(2)
})

test('a body that is not read is not counted', async () => {
  const { limited, url } = await opened(1_000)
  const response = await limited.fetch(url)
  expect([response.url, response.status, limited.leftBytes]).toEqual([url, 200, 1_000])
  expect((await response.arrayBuffer()).byteLength).toBe(100)
  expect(limited.leftBytes).toBe(900)
})

test('a download does not retry when the allowance is used up', async () => {
  const { limited, get, url } = await opened(50)
  await expect(get(51)).rejects.toThrow(AllowanceExceeded)
  const request = { url, headers: {}, start: 0, end: null }
  const context = { egress: limited, signal: AbortSignal.timeout(10_000) }
  await expect(requestRange(request, context)).rejects.toThrow(AllowanceExceeded)
})
