import { createServer } from 'node:http'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { choosePort } from '../../../scripts/start/ports.ts'
import { listenOnLoopback } from '../../support/loopback.ts'

const path = join(import.meta.dirname, '../../../scripts/start/ports.ts')
const COUNT = 20
const chooseMany = async (choose: typeof choosePort): Promise<number[]> => {
  const ports: number[] = []
  while (ports.length < COUNT) ports.push(await choose(0, 'PORT'))
  return ports
}

test('no other program chooses a port that one has chosen, though nobody listens on it yet', async () => {
  // The module a second time is like another process whose search begins at the same port.
  const another: typeof import('../../../scripts/start/ports.ts') = await import(`${path}?another`)
  const ports = [...(await chooseMany(choosePort)), ...(await chooseMany(another.choosePort))]
  expect(new Set(ports).size).toBe(2 * COUNT)
})

test('a port in use is refused with the name of its setting', async () => {
  const { port, close } = await listenOnLoopback(createServer())
  await expect(choosePort(port, 'PORT')).rejects.toThrow(`Port ${port} is in use: choose another port with PORT=…`)
  await close()
  expect(await choosePort(port, 'PORT')).toBe(port)
})
