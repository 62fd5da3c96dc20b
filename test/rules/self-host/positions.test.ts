import { createServer } from 'node:http'
import { expect, onTestFinished, test, vi } from 'vitest'
import { openPositions, type Resolve } from '../../../self-host/servers/positions.ts'

/** Engines on addresses of their own, with one port, as the replicas of a service have. */
const startEngines = async (hosts: string[]): Promise<number> => {
  let port = 0
  for (const host of hosts) {
    const server = createServer((_, response) => response.setHeader('connection', 'close').end(host))
    await new Promise<void>((resolve) => server.listen(port, host, resolve))
    port = (server.address() as { port: number }).port
    onTestFinished(() => void server.close())
  }
  return port
}

const answerOf = (url: string): Promise<string> =>
  fetch(url).then(
    (response) => response.text(),
    () => 'nobody',
  )

const open = async (port: number, resolve: Resolve) => {
  vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  onTestFinished(() => void vi.restoreAllMocks())
  const positions = await openPositions([{ host: 'engine', port }], { resolve, count: 3, lookupMs: 20 })
  onTestFinished(positions.stop)
  return async () => Promise.all(positions.urls.map(answerOf))
}

test('each address of a name is one engine, also when addresses come and go', async () => {
  let addresses = ['127.0.0.5', '127.0.0.6']
  const answers = await open(await startEngines(['127.0.0.5', '127.0.0.6', '127.0.0.7']), async () => addresses)
  expect(await answers()).toEqual(['127.0.0.5', '127.0.0.6', 'nobody'])
  addresses = ['127.0.0.7', '127.0.0.6']
  await expect.poll(answers).toEqual(['nobody', '127.0.0.6', '127.0.0.7'])
  addresses = ['127.0.0.5', '127.0.0.6', '127.0.0.7']
  await expect.poll(answers).toEqual(addresses)
})

test('while the name server does not answer, the engines stay', async () => {
  let lookups = 0
  const answers = await open(await startEngines(['127.0.0.5']), async () => {
    lookups++
    if (lookups > 1) throw new Error('SERVFAIL')
    return ['127.0.0.5']
  })
  await expect.poll(() => lookups).toBeGreaterThan(4)
  expect(await answers()).toEqual(['127.0.0.5', 'nobody', 'nobody'])
})
