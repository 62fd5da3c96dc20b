import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startHaul } from '../../../scripts/start/haul.ts'
import { chooseEngines } from '../../../scripts/start/ports.ts'

test('several containers get ports of their own', async () => {
  const { urls, ports } = await chooseEngines(null, 3)
  expect(new Set(ports).size).toBe(3)
  expect(urls).toEqual(ports.map((port) => `http://127.0.0.1:${port}`))
})

test('containers that run elsewhere are used as they are, and none is started', async () => {
  const urls = ['http://10.0.0.5:8788', 'https://engines.example/two']
  expect(await chooseEngines(urls, 3)).toEqual({ urls, ports: [] })
})

test('a wrong setting stops `npm start` before anything is started', async () => {
  const stateDir = join(tmpdir(), `haul-never-${process.pid}`)
  const start = (env: NodeJS.ProcessEnv) => startHaul({ stateDir, env })
  await expect(start({ LEASE_MS: '1m' })).rejects.toThrow(/^LEASE_MS must be .*, not "1m"\.$/)
  await expect(start({ SOURCE_PROXIES: 'x' })).rejects.toThrow('SOURCE_PROXIES: entry 1 must be host=url')
  await expect(start({ ENGINE_URLS: 'http://10.0.0.5:8788' })).rejects.toThrow('ENGINE_URLS needs the ENGINE_TOKEN')
  expect(existsSync(stateDir)).toBe(false)
})
