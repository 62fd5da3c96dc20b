import { expect, test } from 'vitest'
import { claimEngines } from '../../scripts/start/engines.ts'

test('several containers get ports of their own', async () => {
  const { urls, ports } = await claimEngines({ count: 3 })
  expect(new Set(ports).size).toBe(3)
  expect(urls).toEqual(ports.map((port) => `http://127.0.0.1:${port}`))
})

test('containers that run elsewhere are used as they are, and none is started', async () => {
  const urls = ' http://10.0.0.5:8788, https://engines.example/two/,'
  expect(await claimEngines({ urls, count: 3 })).toEqual({
    urls: ['http://10.0.0.5:8788', 'https://engines.example/two'],
    ports: [],
  })
})

test.each([
  [{ urls: '10.0.0.5:8788' }, /ENGINE_URLS must be URLs .* not "10.0.0.5:8788"/],
  [{ urls: 'ftp://10.0.0.5' }, /ENGINE_URLS must be URLs/],
  [{ count: 0 }, 'ENGINES must be a number from 1 to 64.'],
  [{ count: Number('two') }, 'ENGINES must be a number from 1 to 64.'],
])('%o is refused', async (settings, message) => {
  await expect(claimEngines(settings)).rejects.toThrow(message)
})
